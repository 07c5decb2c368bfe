package oauth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/aloudchat/aloud/internal/netaddr"
)

// endpoint is a login server and its purpose.
type endpoint struct {
	meta     *oauthex.AuthServerMeta
	resource string   // the MCP server's name at the login server
	scopes   []string // that the MCP server supports
}

var errNoLoginServer = errors.New("the server names no login server")

// discover finds the login server.
func (s *Session) discover(ctx context.Context, asked challenge) (endpoint, error) {
	found, err := s.resourceMetadata(ctx, asked)
	if err != nil {
		return endpoint{}, err
	}
	if found == nil {
		return s.guess(ctx)
	}
	issuer, err := s.choose(found.AuthorizationServers)
	if err != nil {
		return endpoint{}, err
	}
	meta, err := s.serverMetadata(ctx, issuer)
	if err != nil {
		return endpoint{}, err
	}
	return endpoint{meta: meta, resource: found.Resource, scopes: found.ScopesSupported}, nil
}

// guess is for servers of 2025-03-26, which are their own login server unless the client is bound to another.
func (s *Session) guess(ctx context.Context) (endpoint, error) {
	origin := s.home.Scheme + "://" + s.home.Host
	issuer := cmp.Or(s.boundTo(), origin)
	meta, err := s.serverMetadata(ctx, issuer)
	switch {
	case errors.Is(err, errNoMetadata) && sameIssuer(issuer, origin):
		return endpoint{}, errNoLoginServer
	case err != nil:
		return endpoint{}, err
	}
	plain := *s.home
	plain.User, plain.Fragment = nil, ""
	return endpoint{meta: meta, resource: plain.String()}, nil
}

var errNoMetadata = errors.New("it has no metadata")

// serverMetadata returns the metadata of a login server.
func (s *Session) serverMetadata(ctx context.Context, issuer string) (*oauthex.AuthServerMeta, error) {
	meta, err := auth.GetAuthServerMetadata(ctx, issuer, s.client)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("cannot use login server %q: %s", clean(issuer), clean(err.Error()))
	case meta == nil:
		return nil, fmt.Errorf("cannot use login server %q: %w", clean(issuer), errNoMetadata)
	case !slices.Contains(meta.CodeChallengeMethodsSupported, "S256"):
		return nil, fmt.Errorf("cannot use login server %q: it does not support PKCE with S256", clean(issuer))
	}
	return meta, nil
}

// resourceMetadata returns the resource metadata of the MCP server, or nil if it has none. The address in the challenge
// comes before the well-known ones.
func (s *Session) resourceMetadata(ctx context.Context, asked challenge) (*oauthex.ProtectedResourceMetadata, error) {
	const wellKnown = "/.well-known/oauth-protected-resource"
	origin := s.home.Scheme + "://" + s.home.Host
	var addresses []string
	if asked.metadata != "" {
		addresses = append(addresses, asked.metadata)
	}
	if path := strings.Trim(s.home.EscapedPath(), "/"); path != "" {
		addresses = append(addresses, origin+wellKnown+"/"+path)
	}
	for _, address := range append(addresses, origin+wellKnown) {
		found, err := s.readResource(ctx, address)
		if err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}

// readResource reads resource metadata from an address. It returns nil for anything else: many servers return a page.
func (s *Session) readResource(ctx context.Context, address string) (*oauthex.ProtectedResourceMetadata, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("invalid address %q of the resource metadata", clean(address))
	}
	request.Header.Set("Accept", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, unreachable(ctx, address, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, unreachable(ctx, address, err)
	}
	var found oauthex.ProtectedResourceMetadata
	switch {
	case response.StatusCode >= 500:
		return nil, fmt.Errorf("%q answered %s", clean(address), clean(response.Status))
	case response.StatusCode != http.StatusOK || json.Unmarshal(text, &found) != nil:
		return nil, nil
	case !s.covers(found.Resource):
		return nil, fmt.Errorf("the resource metadata is for %q, not for this server", clean(found.Resource))
	case len(found.AuthorizationServers) == 0:
		return nil, fmt.Errorf("%w at %q", errNoLoginServer, clean(address))
	}
	found.ScopesSupported = scopeList(strings.Join(found.ScopesSupported, " "))
	return &found, nil
}

// covers reports whether a resource is the MCP server, or a path above it on the same host.
func (s *Session) covers(resource string) bool {
	u, err := url.Parse(resource)
	if err != nil || !sameHost(u, s.home) || u.Fragment != "" || u.User != nil {
		return false
	}
	if u.RawQuery != "" && u.RawQuery != s.home.RawQuery {
		return false
	}
	outer, inner := path.Clean("/"+u.Path), path.Clean("/"+s.home.Path)
	return outer == "/" || strings.HasPrefix(inner+"/", outer+"/")
}

// sameHost reports whether two addresses have the same scheme, host and port.
func sameHost(a, b *url.URL) bool {
	whole := func(u *url.URL) string {
		return strings.ToLower(u.Scheme + "://" + u.Hostname() + ":" + netaddr.Port(u))
	}
	return whole(a) == whole(b)
}

// unreachable returns the error of a request without a response. The rest of the address may be secret.
func unreachable(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if inside, ok := errors.AsType[insideError](err); ok {
		return inside
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err // without the address
	}
	host := address
	if u, parsed := url.Parse(address); parsed == nil {
		host = u.Host
	}
	return fmt.Errorf("cannot reach %q: %s", clean(host), clean(err.Error()))
}

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
