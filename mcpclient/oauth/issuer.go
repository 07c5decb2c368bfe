package oauth

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// configures reports whether c is the configured client, not a registered one with the same id.
func (s *Session) configures(c client) bool {
	return c.ID != "" && c.ID == s.options.ClientID && !c.Registered
}

// boundTo returns the only login server that may get the configured credentials: the configured issuer, or that of
// the first login. It returns "" if neither is known, or if there are no credentials.
func (s *Session) boundTo() string {
	if s.options.Issuer != "" {
		return s.options.Issuer
	}
	secret := s.options.ClientSecret != "" || s.options.PrivateKey != nil
	if kept := s.known(); secret && s.configures(kept.Client) {
		return kept.Issuer
	}
	return ""
}

// choose returns one of the login servers that the MCP server names.
func (s *Session) choose(named []string) (string, error) {
	bound := s.boundTo()
	wanted := cmp.Or(bound, s.known().Issuer)
	i := slices.IndexFunc(named, func(issuer string) bool { return sameIssuer(issuer, wanted) })
	switch {
	case bound == "":
		return named[max(i, 0)], nil
	case i >= 0:
		return named[i], nil
	case s.options.Issuer != "":
		return "", fmt.Errorf("the server names login server %q, but oauth.issuer is %q. Correct oauth.issuer if needed",
			clean(strings.Join(named, " ")), clean(bound))
	}
	return "", fmt.Errorf("the server names login server %q, but the credentials of client %q belong to %q. "+
		"If the login server has moved, run `aloud mcp logout %s` and log in again",
		clean(strings.Join(named, " ")), clean(s.options.ClientID), clean(bound), s.options.Server)
}

func sameIssuer(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }
