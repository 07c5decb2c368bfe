package oauth

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"time"
)

// record is a stored login.
type record struct {
	Issuer   string `json:"iss,omitempty"`      // the login server
	Token    string `json:"token,omitempty"`    // the token endpoint
	Resource string `json:"resource,omitempty"` // the MCP server's name at the login server
	Client   client `json:"client,omitzero"`

	Access  string    `json:"at,omitempty"`
	Refresh string    `json:"rt,omitempty"`
	Issued  time.Time `json:"iat,omitzero"`
	Expires time.Time `json:"exp,omitzero"`   // zero if unknown
	Scopes  []string  `json:"scp,omitempty"`  // granted
	Wanted  []string  `json:"want,omitempty"` // requested by the server since then
}

// client is the OAuth client at a login server.
type client struct {
	ID         string `json:"id,omitempty"`
	Secret     string `json:"secret,omitempty"`     // of a registered client; a configured one is not stored
	Method     string `json:"auth,omitempty"`       // how it authenticates; "" means "none"
	Registered bool   `json:"registered,omitempty"` // by aloud
}

// leeway is how long before its expiry a token is renewed.
const leeway = 30 * time.Second

// due reports whether the token should be renewed.
func (r record) due(now time.Time) bool {
	early := leeway
	if !r.Issued.IsZero() {
		early = min(early, r.Expires.Sub(r.Issued)/10)
	}
	return !r.Expires.IsZero() && now.After(r.Expires.Add(-early))
}

// over reports whether the token is missing or has expired.
func (r record) over(now time.Time) bool {
	return r.Access == "" || !r.Expires.IsZero() && now.After(r.Expires)
}

// grants reports whether the login has all these scopes.
func (r record) grants(scopes []string) bool {
	return !slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(r.Scopes, scope) })
}

// keyOf returns the key of a login in the store. It contains the address, because a name may later mean another server.
func keyOf(server string, home *url.URL) string {
	place := url.URL{Scheme: home.Scheme, Host: home.Host, Path: home.Path}
	key := server + " " + place.String()
	if whole := home.String(); whole != place.String() {
		sum := sha256.Sum256([]byte(whole)) // the rest may be secret
		key += " " + hex.EncodeToString(sum[:6])
	}
	return key
}

// union returns a with the elements that only b has.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, one := range b {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}
