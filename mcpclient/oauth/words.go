package oauth

import (
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
)

// clean makes a text of a server safe for an error.
func clean(text string) string { return sanitize.Clip(sanitize.Line(sanitize.Cut(text, 1200)), 300) }

// loginNeeded returns the error of a request that needs a login with a browser.
func (s *Session) loginNeeded(scopes []string) error {
	why := "requires a login"
	if len(scopes) > 0 {
		why = fmt.Sprintf("requires a login with more permissions (%s)", clean(strings.Join(scopes, " ")))
	}
	text := fmt.Sprintf("server %q %s. Run `aloud mcp login %s`", s.options.Server, why, s.options.Server)
	return &conn.Error{Kind: mcpclient.ErrLoginNeeded, Text: text}
}

// failed returns the error of a login that failed without being refused.
func (s *Session) failed(err error) error {
	text := fmt.Sprintf("login to server %q failed: %v", s.options.Server, err)
	return &conn.Error{Kind: mcpclient.ErrLogin, Text: text, Cause: err}
}
