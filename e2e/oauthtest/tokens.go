package oauthtest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"
)

func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	err := r.ParseForm()
	kind := r.PostForm.Get("grant_type")
	i.asked <- kind
	if hold := i.Rules().Hold; hold != nil {
		select {
		case <-hold:
		case <-r.Context().Done():
			return
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if err != nil || r.URL.RawQuery != "" {
		i.fault(w, http.StatusBadRequest, "invalid_request", "a request for tokens that is no form")
		return
	}
	id, err := i.whoAsks(r)
	if err != nil {
		i.fault(w, http.StatusUnauthorized, "invalid_client", "%v", err)
		return
	}
	switch kind {
	case "authorization_code":
		i.trade(w, id, r.PostForm)
	case "refresh_token":
		i.renew(w, id, r.PostForm)
	case "client_credentials":
		if i.clients[id].Method == "none" {
			i.fault(w, http.StatusBadRequest, "unauthorized_client", "a public client wants to be let in for itself")
			return
		}
		i.give(w, &grant{client: id, resource: r.PostForm.Get("resource"), scopes: strings.Fields(r.PostForm.Get("scope")),
			family: new(family)}, false)
	default:
		i.fault(w, http.StatusBadRequest, "unsupported_grant_type", "asked for the grant %q", kind)
	}
}

// whoAsks authenticates a client. i.mu is held.
func (i *Issuer) whoAsks(r *http.Request) (string, error) {
	id, secret, basic := r.BasicAuth()
	method := "client_secret_basic"
	switch {
	case basic:
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
	case r.PostForm.Has("client_assertion"):
		id, method = r.PostForm.Get("client_id"), "private_key_jwt"
	case r.PostForm.Has("client_secret"):
		id, secret, method = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret"), "client_secret_post"
	default:
		id, method = r.PostForm.Get("client_id"), "none"
	}
	c, known := i.clients[id]
	switch {
	case r.PostForm.Get("client_id") == "": // the Python SDK needs it with every method
		return "", errors.New("the form has no client_id")
	case basic && r.PostForm.Has("client_secret"):
		return "", fmt.Errorf("the client %q sends its secret twice", id)
	case !known:
		return "", fmt.Errorf("no client is called %q", id)
	case c.Method != method:
		return "", fmt.Errorf("the client %q proves itself by %q instead of %q", id, method, c.Method)
	case c.Secret != secret:
		return "", fmt.Errorf("the client %q does not know its secret", id)
	case method == "private_key_jwt":
		return id, i.checkAssertion(id, c, r.PostForm)
	}
	return id, nil
}

func (i *Issuer) checkAssertion(id string, c Client, form url.Values) error {
	if kind := form.Get("client_assertion_type"); kind != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" {
		return fmt.Errorf("an assertion of the type %q", kind)
	}
	var claims jwt.RegisteredClaims
	_, err := jwt.ParseWithClaims(form.Get("client_assertion"), &claims,
		func(*jwt.Token) (any, error) { return c.Key, nil },
		jwt.WithAudience(i.URL), jwt.WithIssuer(id), jwt.WithSubject(id), jwt.WithExpirationRequired())
	if err == nil && (claims.ID == "" || i.jwts[claims.ID]) {
		err = errors.New("its id is missing or was used")
	}
	i.jwts[claims.ID] = true
	return err
}

func (i *Issuer) trade(w http.ResponseWriter, id string, form url.Values) {
	g, known := i.codes[form.Get("code")]
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	switch {
	case !known || g.client != id:
		i.fault(w, http.StatusBadRequest, "invalid_grant", "the code is none of this client")
	case g.used:
		g.family.revoked = true
		i.fault(w, http.StatusBadRequest, "invalid_grant", "the code was used before")
	case g.redirect != form.Get("redirect_uri"):
		i.fault(w, http.StatusBadRequest, "invalid_grant", "the redirect %q was %q before", form.Get("redirect_uri"),
			g.redirect)
	case base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge:
		i.fault(w, http.StatusBadRequest, "invalid_grant", "the verifier is not that of the challenge")
	case g.resource != form.Get("resource"):
		i.fault(w, http.StatusBadRequest, "invalid_target", "the resource %q was %q before", form.Get("resource"), g.resource)
	default:
		g.used = true
		i.give(w, g, !i.rules.NoRefresh)
	}
}

func (i *Issuer) renew(w http.ResponseWriter, id string, form url.Values) {
	g, known := i.refresh[form.Get("refresh_token")]
	switch {
	case !known || g.client != id:
		i.fault(w, http.StatusBadRequest, "invalid_grant", "the refresh token is none of this client")
	case g.family.revoked:
		refuse(w, http.StatusBadRequest, "invalid_grant", "the login is over")
	case g.used:
		g.family.revoked = true
		i.fault(w, http.StatusBadRequest, "invalid_grant", "the refresh token was used before")
	case g.resource != form.Get("resource"):
		i.fault(w, http.StatusBadRequest, "invalid_target", "the resource %q was %q before", form.Get("resource"), g.resource)
	default:
		g.used = i.rules.Rotates
		i.give(w, g, i.rules.Rotates)
	}
}

// give responds with tokens. i.mu is held.
func (i *Issuer) give(w http.ResponseWriter, g *grant, refreshable bool) {
	g.scopes = slices.DeleteFunc(g.scopes, func(scope string) bool { return !slices.Contains(i.rules.Scopes, scope) })
	next := grant{client: g.client, redirect: g.redirect, resource: g.resource, scopes: g.scopes, family: g.family}
	access := "access-" + rand.Text()
	i.tokens[access] = &next
	body := map[string]any{"access_token": access, "token_type": "Bearer", "scope": strings.Join(g.scopes, " ")}
	if i.rules.Lifetime != 0 {
		body["expires_in"] = i.rules.Lifetime
	}
	if refreshable {
		renewal, again := "refresh-"+rand.Text(), next
		i.refresh[renewal] = &again
		body["refresh_token"] = renewal
	}
	answer(w, http.StatusOK, body)
}

// allows returns the scopes of a token at a resource, and whether it is valid.
func (i *Issuer) allows(access, resource string) ([]string, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	g, ok := i.tokens[access]
	if !ok || g.family.revoked {
		return nil, false
	}
	if g.resource != resource {
		i.faults = append(i.faults, fmt.Sprintf("a token for %q came to %q", g.resource, resource))
		return nil, false
	}
	return g.scopes, true
}
