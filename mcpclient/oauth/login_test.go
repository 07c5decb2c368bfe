package oauth_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/oauthtest"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/oauth"
)

func TestLogIn(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	s := w.aloud()
	w.wantsLogin(s, "look")
	if w.issuer.Count("/authorize") != 0 {
		t.Error("a browser was opened for an automatic connect")
	}
	person := w.logIn(s)
	<-person.seen
	if !strings.HasPrefix(person.page, "200 ") || !strings.Contains(person.page, "Go back to the terminal") {
		t.Errorf("the browser shows %q", person.page)
	}
	w.works(s, "look")

	w.works(w.aloud(), "look") // the login was kept
	if refusals := w.resource.Refusals(); refusals > 2 {
		t.Errorf("%d requests were refused: the token is not sent at once", refusals)
	}
}

func TestServerWithoutLogin(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	w.resource.Open()
	s := w.aloud()
	w.works(s, "look")
	says(t, s.LogIn(t.Context(), &visitor{}), `login to server "vault" failed`, "it requires no login")
	if n := w.issuer.Count("/.well-known/oauth-authorization-server"); n != 0 {
		t.Errorf("the authorization server was asked %d times", n)
	}
}

// A server without a login server accepts only tokens that are configured.
func TestRefusalWithoutLoginServer(t *testing.T) {
	for _, challenge := range []string{"", "Bearer", `Bearer realm="vault", error="invalid_token"`} {
		for _, metadata := range []string{"", `{"resource":"RESOURCE","bearer_methods_supported":["header"]}`} {
			var closed *httptest.Server
			closed = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/mcp":
					w.Header().Set("WWW-Authenticate", challenge)
					http.Error(w, "no key, no entry", http.StatusUnauthorized)
				case metadata != "" && strings.Contains(r.URL.Path, "oauth-protected-resource"):
					_, _ = io.WriteString(w, strings.ReplaceAll(metadata, "RESOURCE", closed.URL+"/mcp"))
				default:
					http.NotFound(w, r)
				}
			}))
			defer closed.Close()
			s := oauth.New(oauth.Options{Server: "vault", URL: closed.URL + "/mcp"})
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, closed.URL+"/mcp", nil)
			must(t, err)
			response, err := s.Transport(http.DefaultTransport).RoundTrip(request)
			if err != nil || response.StatusCode != http.StatusUnauthorized {
				t.Errorf("%q, %q: got %v, %v: its own words should come through", challenge, metadata, response, err)
				continue
			}
			response.Body.Close()
			says(t, s.LogIn(t.Context(), &visitor{}), "the server names no login server",
				"Set bearer_token_env_var or http_headers instead")
		}
	}
}

func TestLoginFoundWithoutChallenge(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	w.resource.Hush()
	s := w.aloud()
	w.wantsLogin(s, "look")
	w.logIn(s)
	w.works(s, "look")
}

func TestPastedAddress(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	wrong := []string{"what?", "http://127.0.0.1:1/callback?code=x&state=of-another-login"}
	person := newPaster(func(redirect string, again int) string {
		if again < len(wrong) {
			return wrong[again]
		}
		return "  \"" + redirect + "\"\n"
	})
	s := w.aloud()
	must(t, s.LogIn(t.Context(), person))
	if len(person.told) != len(wrong) {
		t.Fatalf("the person hears %q", person.told)
	}
	says(t, person.told[0], "not the address of this login")
	w.works(s, "look")
}

func TestLoginDenied(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	w.issuer.Change(func(r *oauthtest.Rules) { r.Denies = true })
	person := &visitor{}
	err := w.aloud().LogIn(t.Context(), person)
	says(t, err, "failed", "login was denied", "access_denied", "the person said")
	if strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%q reaches the terminal", err)
	}
}

func TestRedirectOfOtherIssuer(t *testing.T) {
	for name, test := range map[string]struct {
		iss  string
		says bool
		want string // "" if the login succeeds
	}{
		"right":                 {"right", true, ""},
		"right but not said":    {"right", false, ""},
		"none and none said":    {"none", false, ""},
		"wrong":                 {"wrong", true, "https://elsewhere.example"},
		"wrong and not said":    {"wrong", false, "https://elsewhere.example"},
		"none though it is due": {"none", true, "does not name"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, oauthtest.Plain())
			w.issuer.Change(func(r *oauthtest.Rules) { r.Iss, r.SaysIss = test.iss, test.says })
			err := w.aloud().LogIn(t.Context(), &visitor{})
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			says(t, err, test.want)
			if w.issuer.Count("/token") != 0 {
				t.Error("the code was handed on")
			}
		})
	}
}

// stranger is a browser that first sends forged redirects.
type stranger struct {
	visitor
	t *testing.T
}

func (s *stranger) Visit(address, secretTo string) error {
	page, err := url.Parse(address)
	if err != nil {
		return err
	}
	back := page.Query().Get("redirect_uri")
	for _, answer := range []string{"", "?code=evil", "?code=evil&state=guess", "?error=access_denied&state=guess"} {
		response, err := http.Get(back + answer)
		if err != nil {
			return err
		}
		response.Body.Close()
		if response.StatusCode != http.StatusBadRequest {
			s.t.Errorf("%q is answered %s", answer, response.Status)
		}
	}
	return s.visitor.Visit(address, secretTo)
}

func TestForeignRedirectsAreIgnored(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	s := w.aloud()
	must(t, s.LogIn(t.Context(), &stranger{t: t}))
	w.works(s, "look")
}

// broken is a browser that cannot open pages.
type broken struct{ *visitor }

func (broken) Visit(string, string) error { return errors.New("no browser") }

func TestUnusableLoginServers(t *testing.T) {
	for name, test := range map[string]struct {
		rules func(*oauthtest.Rules)
		want  string
	}{
		"down":               {func(r *oauthtest.Rules) { r.Down = 503 }, "cannot use"},
		"silent":             {func(r *oauthtest.Rules) { r.Down = 404 }, "it has no metadata"},
		"for known clients":  {func(r *oauthtest.Rules) { r.Registers = false }, "set oauth.client_id"},
		"of another service": {func(r *oauthtest.Rules) { r.Methods = []string{"tls_client_auth"} }, "rejects aloud"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, oauthtest.Plain())
			w.blamed = true
			w.issuer.Change(test.rules)
			says(t, w.aloud().LogIn(t.Context(), &visitor{}), `login to server "vault" failed: `, test.want)
		})
	}
}

func TestResourceMismatch(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	w.resource.CallItself("https://bank.example/mcp")
	says(t, w.aloud().LogIn(t.Context(), &visitor{}), `"https://bank.example/mcp"`, "not for this server")
	if w.issuer.Count("/authorize") != 0 {
		t.Error("the person was sent to log in")
	}
}

func TestLogOut(t *testing.T) {
	w, s := loggedIn(t)
	must(t, s.LogOut(t.Context()))
	w.wantsLogin(s, "look")
	w.wantsLogin(w.aloud(), "look")
	if err := s.LogOut(t.Context()); !errors.Is(err, oauth.ErrLoggedOut) {
		t.Errorf("a second time it says %v", err)
	}
}

var _ mcpclient.Browser = (*visitor)(nil)

// plainText is a login server that sends JSON as text/plain.
type plainText struct{}

func (plainText) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method == http.MethodPost {
		response.Header.Set("Content-Type", "text/plain;charset=UTF-8")
	}
	return response, err
}

func TestTokenAsTextPlain(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	w.options.Base = plainText{}
	s := w.aloud()
	w.logIn(s)
	w.works(s, "look")
	w.issuer.EndTokens()
	w.works(s, "look")
}
