package oauth

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// challenge is what a server says when it refuses a request for want of a token.
type challenge struct {
	bearer   bool   // it speaks of tokens
	metadata string // the address of the resource metadata
	err      string // "insufficient_scope", "invalid_token"
	scopes   []string
}

// Bounds on the scopes that a server names.
const (
	maxScopes = 50
	maxScope  = 200
)

func readChallenge(header http.Header) challenge {
	var found challenge
	lines := header.Values("WWW-Authenticate")
	said, err := oauthex.ParseWWWAuthenticate(lines)
	found.bearer = err != nil && slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(strings.ToLower(line), "bearer") })
	for _, one := range said {
		found.metadata = cmp.Or(found.metadata, one.Params["resource_metadata"])
		if one.Scheme == "bearer" && !found.bearer {
			found.bearer, found.err, found.scopes = true, one.Params["error"], scopeList(one.Params["scope"])
		}
	}
	found.bearer = found.bearer || found.metadata != ""
	return found
}

// scopeList reads scopes as the protocol writes them, in one text.
func scopeList(text string) []string {
	var scopes []string
	for scope := range strings.FieldsSeq(text) {
		if len(scope) <= maxScope && len(scopes) < maxScopes {
			scopes = union(scopes, []string{scope})
		}
	}
	return scopes
}
