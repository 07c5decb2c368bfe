package oauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/e2e/oauthtest"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/oauth"
)

// internet is a fake network.
type internet map[string]http.HandlerFunc

func (n internet) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	serve, found := n[r.URL.Scheme+"://"+r.URL.Host+r.URL.Path]
	if !found {
		serve = http.NotFound
	}
	w := httptest.NewRecorder()
	serve(w, r)
	return w.Result(), nil
}

func says200(body any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(body)
	}
}

// far returns a remote MCP server and its login server, both correct.
func far() (n internet, meta map[string]any) {
	meta = map[string]any{
		"issuer": "https://login.example", "authorization_endpoint": "https://login.example/authorize",
		"token_endpoint":        "https://login.example/token",
		"registration_endpoint": "https://login.example/register", "code_challenge_methods_supported": []string{"S256"},
	}
	return internet{
		"https://mcp.example/mcp": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://mcp.example/about"`)
			w.WriteHeader(http.StatusUnauthorized)
		},
		"https://mcp.example/about": says200(map[string]any{
			"resource": "https://mcp.example/mcp", "authorization_servers": []string{"https://login.example"},
		}),
		"https://login.example/.well-known/oauth-authorization-server": says200(meta),
		"https://login.example/register": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"client_id":"us","token_endpoint_auth_method":"none"}`)
		},
		"https://login.example/token": says200(map[string]any{"access_token": "secret-token", "token_type": "bearer",
			"expires_in": "3600"}),
	}, meta
}

// allowing is a browser that logs in at once.
type allowing struct {
	visitor
	shown string
}

func (a *allowing) Visit(address, _ string) error {
	a.shown = address
	return nil
}

func (a *allowing) Pasted(context.Context) (string, error) {
	_, state, _ := strings.Cut(a.shown, "state=")
	state, _, _ = strings.Cut(state, "&")
	return "http://127.0.0.1/callback?code=c&state=" + state, nil
}

func TestTokenGoesToServerOnly(t *testing.T) {
	n, _ := far()
	s := oauth.New(oauth.Options{Server: "far", URL: "https://mcp.example/mcp", Base: n})
	must(t, s.LogIn(t.Context(), &allowing{}))
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://mcp.example/mcp",
		strings.NewReader("{}"))
	n["https://mcp.example/mcp"] = func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer secret-token" {
			t.Errorf("the token goes as %q", got)
		}
	}
	if _, err := s.Transport(n).RoundTrip(request); err != nil {
		t.Error(err)
	}
	for _, elsewhere := range []string{"https://mcp.example.evil/mcp", "http://mcp.example/mcp",
		"https://mcp.example:444/mcp"} {
		request = httptest.NewRequestWithContext(t.Context(), http.MethodPost, elsewhere, strings.NewReader("{}"))
		n[elsewhere] = func(_ http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" {
				t.Errorf("the token goes to %q", elsewhere)
			}
		}
		if _, err := s.Transport(n).RoundTrip(request); err != nil {
			t.Error(err)
		}
	}
}

// The address of a server may contain secrets.
func TestErrorHidesAddress(t *testing.T) {
	down := reaches(func(*http.Request) (*http.Response, error) { return nil, errors.New("no route to host") })
	s := oauth.New(oauth.Options{Server: "far", URL: "https://me:hunter22@mcp.example/u/hunter23/mcp?key=hunter24",
		Base: down})
	err := s.LogIn(t.Context(), &allowing{})
	says(t, err, `cannot reach "mcp.example": no route to host`)
	if err != nil && strings.Contains(err.Error(), "hunter") {
		t.Errorf("it is shown: %v", err)
	}
}

type reaches func(*http.Request) (*http.Response, error)

func (r reaches) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

func TestHostileDiscovery(t *testing.T) {
	about := func(key string, value any) func(internet, map[string]any) {
		return func(_ internet, meta map[string]any) { meta[key] = value }
	}
	answers := func(address string, serve http.HandlerFunc) func(internet, map[string]any) {
		return func(n internet, _ map[string]any) { n[address] = serve }
	}
	resource := func(servers ...string) func(internet, map[string]any) {
		return answers("https://mcp.example/about",
			says200(map[string]any{"resource": "https://mcp.example/mcp", "authorization_servers": servers}))
	}
	const token = "https://login.example/token"
	public := oauthtest.Names(t, map[string][]string{"mcp.example": {"93.184.215.14"}})
	for name, test := range map[string]struct {
		lie  func(internet, map[string]any)
		want string
	}{
		"logs in on this machine":         {resource("http://127.0.0.1:8080"), "this machine"},
		"logs in on this machine by name": {resource("https://localhost"), "this machine"},
		"logs in without encryption":      {resource("http://login.example"), "cannot use"},
		"names no login server":           {resource(), "names no login server"},
		"names what is no address":        {resource("://"), "it has no metadata"},
		"tells of itself on this machine": {answers("https://mcp.example/mcp",
			challengeOf(`Bearer resource_metadata="http://127.0.0.1:1/about"`)), "this machine"},
		"tells of itself in the open": {answers("https://mcp.example/mcp",
			challengeOf(`Bearer resource_metadata="http://mcp.example/about"`)), "not encrypted"},
		"tells of itself in a file": {answers("https://mcp.example/mcp",
			challengeOf(`Bearer resource_metadata="file:///etc/passwd"`)), "not the address of a login"},
		"has a page that is a script": {about("authorization_endpoint", "javascript:alert(1)"), "cannot use"},
		"has a page that is a file":   {about("authorization_endpoint", "file:///etc/passwd"), "cannot use"},
		"has a page on this machine":  {about("authorization_endpoint", "http://127.0.0.1:1/x"), "this machine"},
		"has tokens on this machine":  {about("token_endpoint", "http://127.0.0.1:1/x"), "this machine"},
		"registers on this machine":   {about("registration_endpoint", "https://localhost/x"), "this machine"},
		"is called otherwise":         {about("issuer", "https://bank.example"), "cannot use"},
		"knows no PKCE": {about("code_challenge_methods_supported", []string{"plain"}),
			"does not support PKCE"},
		"says no word of PKCE": {about("code_challenge_methods_supported", nil), "cannot use"},
		"gives no token":       {answers(token, says200(map[string]any{"token_type": "bearer"})), "returned"},
		"gives an empty page":  {answers(token, func(http.ResponseWriter, *http.Request) {}), "returned"},
		"gives a header": {answers(token, says200(map[string]any{"access_token": "a\r\nX-Evil: 1"})),
			"returned"},
		"gives a token of another kind": {answers(token,
			says200(map[string]any{"access_token": "a", "token_type": "mac"})), `type "mac"`},
		"sends the code on": {answers(token, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/", http.StatusTemporaryRedirect)
		}), "answered 307"},
		"answers with escapes": {answers(token,
			refusesWith(map[string]any{"error": "x\x1b]0;title\x07", "error_description": strings.Repeat("long ", 1000)})), "x"},
		"answers with a page": {answers(token,
			func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusBadGateway) }), "answered 502"},
		"answers without end": {answers(token,
			func(w http.ResponseWriter, _ *http.Request) { _, _ = io.Copy(w, io.LimitReader(zeros{}, 8<<20)) }), "returned"},
		"tells of itself without end": {answers("https://mcp.example/about",
			func(w http.ResponseWriter, _ *http.Request) { _, _ = io.Copy(w, io.LimitReader(zeros{}, 8<<20)) }), ""},
		"sends discovery to this machine": {answers("https://mcp.example/about",
			func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
			}), "this machine"},
		"sends discovery inside": {answers("https://mcp.example/about", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://10.0.0.1/", http.StatusFound)
		}), "in a private network"},
		"sends discovery round and round": {answers("https://mcp.example/about",
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/about", http.StatusFound) }), ""},
		"registers a client without an id": {answers("https://login.example/register", says200(map[string]any{})),
			"rejects aloud"},
	} {
		t.Run(name, func(t *testing.T) {
			n, meta := far()
			test.lie(n, meta)
			s := oauth.New(oauth.Options{Server: "far", URL: "https://mcp.example/mcp", Base: n, Resolver: public})
			err := s.LogIn(t.Context(), &allowing{})
			says(t, err, `login to server "far" failed: `, test.want)
			if err != nil && (strings.ContainsAny(err.Error(), "\x1b\x07\n") || len(err.Error()) > 2000) {
				t.Errorf("the error is %d bytes, %.300q", len(err.Error()), err)
			}
		})
	}
}

func challengeOf(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", text)
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func refusesWith(body map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(maps.Clone(body))
	}
}

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestTooManyScopes(t *testing.T) {
	n, _ := far()
	n["https://mcp.example/mcp"] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate",
			`Bearer error="insufficient_scope", scope="`+strings.Repeat("\x1b[31mscope"+strings.Repeat("x", 90)+" ", 100)+`"`)
		w.WriteHeader(http.StatusForbidden)
	}
	s := oauth.New(oauth.Options{Server: "far", URL: "https://mcp.example/mcp", Base: n})
	_, err := s.Transport(n).RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodPost,
		"https://mcp.example/mcp", strings.NewReader("{}")))
	if !errors.Is(err, mcpclient.ErrLoginNeeded) || strings.Contains(err.Error(), "\x1b") || len(err.Error()) > 500 {
		t.Errorf("the error is %q", err)
	}
}

func TestLoginTimesOut(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	w.options.Patience = 50 * time.Millisecond
	says(t, w.aloud().LogIn(t.Context(), absent{}), "the login timed out")
}

// absent is a browser that ignores the page.
type absent struct{ *visitor }

func (absent) Visit(string, string) error { return nil }

func TestServerHangsAtLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := reaches(func(request *http.Request) (*http.Response, error) {
			<-request.Context().Done()
			return nil, request.Context().Err()
		})
		s := oauth.New(oauth.Options{Server: "far", URL: "https://mcp.example/mcp", Base: hangs, Patience: time.Hour})
		says(t, s.LogIn(t.Context(), &allowing{}), `cannot reach "mcp.example"`)
	})
}

func TestLoginServerHangs(t *testing.T) {
	n, _ := far()
	asked := make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	n["https://login.example/.well-known/oauth-authorization-server"] = func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}
	s := oauth.New(oauth.Options{Server: "far", URL: "https://mcp.example/mcp", Base: n})
	go func() {
		<-asked
		leave()
	}()
	if err := s.LogIn(ctx, &allowing{}); !errors.Is(err, context.Canceled) {
		t.Errorf("who leaves gets %v", err)
	}
}
