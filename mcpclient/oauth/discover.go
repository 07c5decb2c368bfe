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
)

// place is where one logs in to a server.
type place struct {
	meta     *oauthex.AuthServerMeta
	resource string   // what the server is called there
	scopes   []string // that the server has
}

var errNoLoginServer = errors.New("the server names no login server")

// discover finds the login server.
func (s *Session) discover(ctx context.Context, asked challenge) (place, error) {
	told, err := s.resourceMetadata(ctx, asked)
	if err != nil {
		return place{}, err
	}
	if told == nil {
		return s.guess(ctx)
	}
	issuer, err := s.choose(told.AuthorizationServers)
	if err != nil {
		return place{}, err
	}
	meta, err := s.serverMetadata(ctx, issuer)
	switch {
	case err != nil:
		return place{}, err
	case meta == nil:
		return place{}, silentIssuer(issuer)
	}
	return place{meta: meta, resource: told.Resource, scopes: told.ScopesSupported}, nil
}

func silentIssuer(issuer string) error {
	return fmt.Errorf("the login server %q says nothing about itself", clean(issuer))
}

// guess is for servers of 2025-03-26, which are the authorization server themselves. A client that belongs to another one logs in there.
func (s *Session) guess(ctx context.Context) (place, error) {
	origin := s.home.Scheme + "://" + s.home.Host
	issuer := cmp.Or(s.boundTo(), origin)
	meta, err := s.serverMetadata(ctx, issuer)
	switch {
	case err != nil:
		return place{}, err
	case meta == nil && !sameIssuer(issuer, origin):
		return place{}, silentIssuer(issuer)
	case meta == nil:
		return place{}, errNoLoginServer
	}
	return place{meta: meta, resource: s.resourceName()}, nil
}

// resourceName is what a server that does not say so itself is called.
func (s *Session) resourceName() string {
	plain := *s.home
	plain.User, plain.Fragment = nil, ""
	return plain.String()
}

// serverMetadata is what an authorization server says about itself, nil when it says nothing.
func (s *Session) serverMetadata(ctx context.Context, issuer string) (*oauthex.AuthServerMeta, error) {
	meta, err := auth.GetAuthServerMetadata(ctx, issuer, s.client)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("the login server %q cannot be used: %s", clean(issuer), clean(err.Error()))
	case meta != nil && !slices.Contains(meta.CodeChallengeMethodsSupported, "S256"):
		return nil, fmt.Errorf("the login server %q is too old: it does not know PKCE with S256", clean(issuer))
	}
	return meta, nil
}

// resourceMetadata is what the server says about its logins, nil when it says nothing. What it says at the address it names goes before what
// is found where it belongs.
func (s *Session) resourceMetadata(ctx context.Context, asked challenge) (*oauthex.ProtectedResourceMetadata, error) {
	const wellKnown = "/.well-known/oauth-protected-resource"
	origin := s.home.Scheme + "://" + s.home.Host
	places := []string{origin + wellKnown}
	if way := strings.Trim(s.home.EscapedPath(), "/"); way != "" {
		places = []string{origin + wellKnown + "/" + way, origin + wellKnown}
	}
	if asked.metadata != "" {
		places = append([]string{asked.metadata}, places...)
	}
	for _, address := range places {
		told, err := s.readResource(ctx, address)
		if err != nil || told != nil {
			return told, err
		}
	}
	return nil, nil
}

// readResource reads what the server says at an address. It is nil when that is no such document: many servers answer any address with a page.
func (s *Session) readResource(ctx context.Context, address string) (*oauthex.ProtectedResourceMetadata, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("the server names %q, which is no address", clean(address))
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
	var told oauthex.ProtectedResourceMetadata
	switch {
	case response.StatusCode >= 500:
		return nil, fmt.Errorf("%q answered %s", clean(address), clean(response.Status))
	case response.StatusCode != http.StatusOK || json.Unmarshal(text, &told) != nil:
		return nil, nil
	case !s.covers(told.Resource):
		return nil, fmt.Errorf("the server says that it is %q: a login there would not be one here", clean(told.Resource))
	case len(told.AuthorizationServers) == 0:
		return nil, fmt.Errorf("the server names no login server, at %q", clean(address))
	}
	told.ScopesSupported = scopeList(strings.Join(told.ScopesSupported, " "))
	return &told, nil
}

// covers reports whether a resource is the MCP server, or a path above it on the same host.
func (s *Session) covers(resource string) bool {
	u, err := url.Parse(resource)
	if err != nil || !sameHost(u, s.home) || u.Fragment != "" || u.User != nil || u.RawQuery != "" && u.RawQuery != s.home.RawQuery {
		return false
	}
	outer, inner := path.Clean("/"+u.Path), path.Clean("/"+s.home.Path)
	return outer == "/" || strings.HasPrefix(inner+"/", outer+"/")
}

// sameHost reports whether two addresses have the same scheme, host and port.
func sameHost(a, b *url.URL) bool {
	whole := func(u *url.URL) string {
		port := map[string]string{"http": "80", "https": "443"}[u.Scheme] // Parse makes schemes lower case
		return strings.ToLower(u.Scheme + "://" + u.Hostname() + ":" + cmp.Or(u.Port(), port))
	}
	return whole(a) == whole(b)
}

// unreachable is the error of a request that got no answer.
func unreachable(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if inside, ok := errors.AsType[insideError](err); ok {
		return inside
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err // it repeats the address
	}
	host := address
	if u, parsed := url.Parse(address); parsed == nil {
		host = u.Host // the rest may be secret
	}
	return fmt.Errorf("the login at %q cannot be reached: %s", clean(host), clean(err.Error()))
}
