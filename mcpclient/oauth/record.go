package oauth

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"time"
)

// record is what is kept of a login.
type record struct {
	Issuer   string `json:"iss,omitempty"`      // the authorization server, to which all else belongs
	Token    string `json:"token,omitempty"`    // where tokens come from
	Resource string `json:"resource,omitempty"` // what the server is called there
	Client   client `json:"client,omitzero"`

	Access  string    `json:"at,omitempty"`
	Refresh string    `json:"rt,omitempty"`
	Issued  time.Time `json:"iat,omitzero"`
	Expires time.Time `json:"exp,omitzero"`   // zero if unknown
	Scopes  []string  `json:"scp,omitempty"`  // that were granted
	Wanted  []string  `json:"want,omitempty"` // that the server has asked for since
}

// client is what aloud is to a login server.
type client struct {
	ID         string `json:"id,omitempty"`
	Secret     string `json:"secret,omitempty"`     // of a registered client; that of the configured one is not kept
	Method     string `json:"auth,omitempty"`       // how it is proved, as the protocol calls it; "" is "none"
	Registered bool   `json:"registered,omitempty"` // by aloud, for this login
}

// leeway is how long before its end a token is renewed: requests and clocks take their time.
const leeway = 30 * time.Second

// due reports whether the token should be renewed.
func (r record) due(now time.Time) bool {
	early := leeway
	if !r.Issued.IsZero() {
		early = min(early, r.Expires.Sub(r.Issued)/10)
	}
	return !r.Expires.IsZero() && now.After(r.Expires.Add(-early))
}

// over reports whether there is no token, or one that has expired.
func (r record) over(now time.Time) bool {
	return r.Access == "" || !r.Expires.IsZero() && now.After(r.Expires)
}

// grants reports whether the login has all of these scopes.
func (r record) grants(scopes []string) bool {
	return !slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(r.Scopes, scope) })
}

// keyOf names a login in the store. It has the address in it: a name that stands for another server has no login yet.
func keyOf(server string, home *url.URL) string {
	place := url.URL{Scheme: home.Scheme, Host: home.Host, Path: home.Path}
	key := server + " " + place.String()
	if whole := home.String(); whole != place.String() {
		sum := sha256.Sum256([]byte(whole)) // the rest may be secret
		key += " " + hex.EncodeToString(sum[:6])
	}
	return key
}

// union is a with what b has besides.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, one := range b {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}
