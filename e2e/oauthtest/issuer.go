// Package oauthtest has an authorization server and an MCP server for tests. They record each violation of OAuth 2.1
// and MCP by a client. Rules configure faults of the servers.
package oauthtest

import (
	"cmp"
	"crypto"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Rules are the behaviour of an authorization server. Start with Plain.
type Rules struct {
	Registers bool     // clients may register themselves
	Names     string   // the id of every client; "" means a new id for each
	Documents bool     // a client's id may be the URL of its metadata, which is read with Reader
	Methods   []string // of client authentication
	Scopes    []string // supported scopes
	Iss       string   // in answers: "right", "wrong" or "none"
	SaysIss   bool     // the metadata announces the iss parameter
	Lifetime  int      // of access tokens in seconds; 0 if not sent
	Rotates   bool     // each refresh token can be used once
	NoRefresh bool     // no refresh tokens are issued
	Denies    bool     // the user denies the login
	AnyPort   bool     // any port of a loopback redirect is accepted
	Down      int      // the status of every response; 0 means normal operation
	DownSays  string   // with it
	Reader    *http.Client
	Hold      <-chan struct{} // the token endpoint responds when this is closed; nil means at once
}

// Plain returns the rules of a correct server.
func Plain() Rules {
	return Rules{Registers: true, Methods: []string{"none"}, Scopes: []string{"read", "write"}, Iss: "right",
		SaysIss: true, Lifetime: 3600, Rotates: true}
}

// Issuer is a local authorization server.
type Issuer struct {
	URL string

	server *httptest.Server

	mu      sync.Mutex
	rules   Rules
	clients map[string]Client
	codes   map[string]*grant
	tokens  map[string]*grant // by access token
	refresh map[string]*grant
	jwts    map[string]bool // the ids of assertions that were used
	faults  []string
	counts  map[string]int
	asked   chan string
}

// Client is a registered client.
type Client struct {
	Secret    string
	Key       crypto.PublicKey
	Method    string // of client authentication
	Redirects []string
	Scopes    []string // that it may request; nil means any
}

// grant is the access that a login or a client has.
type grant struct {
	client, redirect, challenge, resource string
	scopes                                []string
	used                                  bool // the code, or the refresh token
	family                                *family
}

// family is the tokens of one login.
type family struct{ revoked bool }

// NewIssuer starts a server. Close ends it.
func NewIssuer(rules Rules) *Issuer {
	i := &Issuer{rules: rules, clients: map[string]Client{}, codes: map[string]*grant{}, tokens: map[string]*grant{},
		refresh: map[string]*grant{},
		jwts:    map[string]bool{}, counts: map[string]int{}, asked: make(chan string, 1000)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", i.metadata)
	mux.HandleFunc("POST /register", i.register)
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	i.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rules := i.Rules(); rules.Down != 0 {
			http.Error(w, cmp.Or(rules.DownSays, "out of order"), rules.Down)
			return
		}
		i.mu.Lock()
		i.counts[r.URL.Path]++
		i.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	i.URL = i.server.URL
	return i
}

// Close ends the server.
func (i *Issuer) Close() { i.server.Close() }

// Rules returns the current rules.
func (i *Issuer) Rules() Rules {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.rules
}

// Change changes the rules.
func (i *Issuer) Change(change func(*Rules)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change(&i.rules)
}

// Know registers a client.
func (i *Issuer) Know(id string, c Client) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.clients[id] = c
}

// Faults returns the violations by clients.
func (i *Issuer) Faults() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.faults)
}

// Count returns the number of requests to an endpoint: "/register", "/authorize", "/token".
func (i *Issuer) Count(endpoint string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.counts[endpoint]
}

// Asked returns a channel with the grant type of each token request.
func (i *Issuer) Asked() <-chan string { return i.asked }

// EndTokens revokes all access tokens, but not the refresh tokens.
func (i *Issuer) EndTokens() {
	i.mu.Lock()
	defer i.mu.Unlock()
	clear(i.tokens)
}

// EndLogins revokes all tokens.
func (i *Issuer) EndLogins() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, all := range []map[string]*grant{i.tokens, i.refresh} {
		for _, g := range all {
			g.family.revoked = true
		}
	}
}

// ForgetClients removes all registered clients.
func (i *Issuer) ForgetClients() {
	i.mu.Lock()
	defer i.mu.Unlock()
	clear(i.clients)
}

// fault records a violation and sends it as the response. i.mu is held.
func (i *Issuer) fault(w http.ResponseWriter, status int, code, format string, args ...any) {
	i.faults = append(i.faults, fmt.Sprintf(format, args...))
	refuse(w, status, code, fmt.Sprintf(format, args...))
}

func refuse(w http.ResponseWriter, status int, code, text string) {
	answer(w, status, map[string]any{"error": code, "error_description": text})
}

func answer(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (i *Issuer) metadata(w http.ResponseWriter, _ *http.Request) {
	rules := i.Rules()
	about := map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": rules.Methods, "scopes_supported": rules.Scopes,
		"authorization_response_iss_parameter_supported": rules.SaysIss,
		"client_id_metadata_document_supported":          rules.Documents,
	}
	if rules.Registers {
		about["registration_endpoint"] = i.URL + "/register"
	}
	answer(w, http.StatusOK, about)
}

func (i *Issuer) register(w http.ResponseWriter, r *http.Request) {
	var said struct {
		Redirects []string `json:"redirect_uris"`
		Name      string   `json:"client_name"`
		Kind      string   `json:"application_type"`
		Method    string   `json:"token_endpoint_auth_method"`
		Grants    []string `json:"grant_types"`
		Scope     string   `json:"scope"`
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&said)
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case err != nil || !i.rules.Registers:
		i.fault(w, http.StatusBadRequest, "invalid_client_metadata", "a registration that is none, or where there are none")
	case len(said.Redirects) != 1 || !strings.HasPrefix(said.Redirects[0], "http://127.0.0.1:"):
		i.fault(w, http.StatusBadRequest, "invalid_redirect_uri", "registered with the redirects %q", said.Redirects)
	case said.Kind != "native" || said.Name == "" || !slices.Contains(i.rules.Methods, said.Method) ||
		!slices.Contains(said.Grants, "refresh_token"):
		i.fault(w, http.StatusBadRequest, "invalid_client_metadata", "registered as %+v", said)
	default:
		id := cmp.Or(i.rules.Names, "client-"+rand.Text())
		c := Client{Method: said.Method, Redirects: said.Redirects, Scopes: append([]string{}, strings.Fields(said.Scope)...)}
		body := map[string]any{"client_id": id, "redirect_uris": said.Redirects, "token_endpoint_auth_method": said.Method}
		if said.Method != "none" {
			c.Secret = rand.Text()
			body["client_secret"], body["client_secret_expires_at"] = c.Secret, 0
		}
		i.clients[id] = c
		answer(w, http.StatusCreated, body)
	}
}

// authorize is the login page. It redirects at once.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	i.learn(q.Get("client_id"))
	i.mu.Lock()
	defer i.mu.Unlock()
	c, known := i.clients[q.Get("client_id")]
	unregistered := func(scope string) bool { return c.Scopes != nil && !slices.Contains(c.Scopes, scope) }
	switch redirect := q.Get("redirect_uri"); {
	case !known:
		i.fault(w, http.StatusBadRequest, "invalid_client", "no client is called %q", q.Get("client_id"))
	case !slices.ContainsFunc(c.Redirects, func(one string) bool { return i.sameRedirect(one, redirect) }):
		i.fault(w, http.StatusBadRequest, "invalid_request", "the redirect %q is none of %q", redirect, c.Redirects)
	case q.Get("response_type") != "code" || q.Get("state") == "":
		i.fault(w, http.StatusBadRequest, "invalid_request", "asked for %q with the state %q", q.Get("response_type"),
			q.Get("state"))
	case q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43:
		i.fault(w, http.StatusBadRequest, "invalid_request", "the challenge %q is not of S256", q.Get("code_challenge"))
	case q.Get("resource") == "":
		i.fault(w, http.StatusBadRequest, "invalid_target", "no resource is named")
	case slices.ContainsFunc(strings.Fields(q.Get("scope")), unregistered): // the Python SDK refuses this
		i.fault(w, http.StatusBadRequest, "invalid_scope", "the scopes %q were not all registered: %q", q.Get("scope"),
			c.Scopes)
	default:
		back, _ := url.Parse(redirect)
		result := url.Values{"state": {q.Get("state")}}
		switch i.rules.Iss {
		case "right":
			result.Set("iss", i.URL)
		case "wrong":
			result.Set("iss", "https://elsewhere.example")
		}
		if i.rules.Denies {
			result.Set("error", "access_denied")
			result.Set("error_description", "the person said \x1b[31mno")
		} else {
			code := rand.Text()
			i.codes[code] = &grant{client: q.Get("client_id"), redirect: redirect, challenge: q.Get("code_challenge"),
				resource: q.Get("resource"),
				scopes:   strings.Fields(q.Get("scope")), family: new(family)}
			result.Set("code", code)
		}
		back.RawQuery = result.Encode()
		http.Redirect(w, r, back.String(), http.StatusFound)
	}
}

// sameRedirect compares redirect addresses, without the port if the rules say so.
func (i *Issuer) sameRedirect(registered, given string) bool {
	a, errA := url.Parse(registered)
	b, errB := url.Parse(given)
	if i.rules.AnyPort && errA == nil && errB == nil {
		return a.Scheme == b.Scheme && a.Hostname() == b.Hostname() && a.Path == b.Path
	}
	return registered == given
}

// learn reads the metadata document of a client.
func (i *Issuer) learn(id string) {
	rules := i.Rules()
	if !rules.Documents || !strings.HasPrefix(id, "https://") {
		return
	}
	response, err := rules.Reader.Get(id)
	if err != nil {
		return
	}
	defer response.Body.Close()
	var said struct {
		ID        string   `json:"client_id"`
		Redirects []string `json:"redirect_uris"`
	}
	if json.NewDecoder(response.Body).Decode(&said) == nil && said.ID == id {
		i.Know(id, Client{Method: "none", Redirects: said.Redirects})
	}
}
