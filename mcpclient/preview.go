package mcpclient

import (
	"context"
	"encoding/json"
	"time"
)

// Insider knows of the calls of a built-in server what the protocol does not tell: *builtin.Server.
type Insider interface {
	// Preview is what a call would change, as a unified diff; "" for nothing. The error says why the call would fail.
	Preview(ctx context.Context, tool string, arguments json.RawMessage) (diff string, err error)
	// Caution says in a few words why a call must be asked for, whatever else is allowed; "" if it need not be.
	Caution(tool string, arguments json.RawMessage) string
	// Sources are the addresses of what a call reads, as far as its arguments tell.
	Sources(tool string, arguments json.RawMessage) []string
}

// Preview says what a call is about to change, as a unified diff of the file as it is now. Nothing is touched, and no server is asked that runs
// elsewhere: only built-in ones are believed about what they are about to do. It is "" when that is not known. The error is one sentence that says
// why the call would fail. The diff is file content and must pass sanitize on its way to a terminal.
func (s *Set) Preview(ctx context.Context, name string, arguments json.RawMessage) (diff string, err error) {
	p, tool, err := s.find(name)
	if err != nil || p.config.Insider == nil {
		return "", nil // what is wrong with the call is for Call to say
	}
	if arguments, err = object(arguments); err != nil {
		return "", nil
	}
	const long = 5 * time.Second // a person waits to be asked
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	diff, err = p.config.Insider.Preview(ctx, tool.ServerTool, arguments)
	return p.secrets.Text(diff), p.secrets.Error(err)
}

// Caution says in a few words why a call must be asked for, whatever else is allowed: a file that usually holds secrets. It is "" if it need not be.
// Like a preview it comes from built-in servers only, and the words must pass sanitize.
func (s *Set) Caution(name string, arguments json.RawMessage) string {
	p, tool, err := s.find(name)
	if err != nil || p.config.Insider == nil {
		return "" // what is wrong with the call is for Call to say
	}
	if arguments, err = object(arguments); err != nil {
		return ""
	}
	return p.secrets.Text(p.config.Insider.Caution(tool.ServerTool, arguments))
}
