package oauth

import (
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// challenge is the WWW-Authenticate header of a refused request.
type challenge struct {
	bearer   bool   // the server accepts tokens
	metadata string // the address of the resource metadata
	err      string // "insufficient_scope", "invalid_token"
	scopes   []string
}

const (
	maxScopes = 50
	maxScope  = 200 // bytes
)

func readChallenge(header http.Header) challenge {
	var found challenge
	for _, line := range header.Values("WWW-Authenticate") { // separately, because some schemes have their own grammar
		challenges, _ := oauthex.ParseWWWAuthenticate([]string{line})
		for _, one := range challenges {
			if one.Scheme == "bearer" && !found.bearer {
				found = challenge{true, one.Params["resource_metadata"], one.Params["error"], scopeList(one.Params["scope"])}
			}
		}
	}
	return found
}

// scopeList parses a space-separated list of scopes.
func scopeList(text string) []string {
	var scopes []string
	for scope := range strings.FieldsSeq(text) {
		if len(scope) <= maxScope && len(scopes) < maxScopes {
			scopes = union(scopes, []string{scope})
		}
	}
	return scopes
}
