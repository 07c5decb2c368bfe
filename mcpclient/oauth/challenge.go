package oauth

import (
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// challenge is what a server says when it refuses a request that lacks a token.
type challenge struct {
	bearer   bool   // it asks for a token
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
	for _, line := range header.Values("WWW-Authenticate") { // one by one: some schemes have a grammar of their own
		said, _ := oauthex.ParseWWWAuthenticate([]string{line})
		for _, one := range said {
			if one.Scheme == "bearer" && !found.bearer {
				found = challenge{true, one.Params["resource_metadata"], one.Params["error"], scopeList(one.Params["scope"])}
			}
		}
	}
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
