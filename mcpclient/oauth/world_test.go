package oauth_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/oauthtest"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/oauth"
	"github.com/aloudchat/aloud/mcpclient/servers"
)

// world is an MCP server that requires a login, its authorization server, and the store of aloud.
type world struct {
	t        *testing.T
	issuer   *oauthtest.Issuer
	resource *oauthtest.Resource
	options  oauth.Options
	blamed   bool // the test has read the faults
}

func newWorld(t *testing.T, rules oauthtest.Rules) *world {
	t.Helper()
	w := &world{t: t, issuer: oauthtest.NewIssuer(rules)}
	w.resource = oauthtest.NewResource(w.issuer)
	w.options = oauth.Options{Server: "vault", URL: w.resource.URL, Dir: t.TempDir(), Patience: 20 * time.Second}
	t.Cleanup(func() {
		w.resource.Close()
		w.issuer.Close()
		if faults := w.issuer.Faults(); len(faults) > 0 && !w.blamed {
			t.Errorf("the authorization server blames us: %q", faults)
		}
	})
	return w
}

// loggedIn returns a world with a login.
func loggedIn(t *testing.T) (*world, *oauth.Session) {
	t.Helper()
	w := newWorld(t, oauthtest.Plain())
	s := w.aloud()
	w.logIn(s)
	return w, s
}

// aloud returns the login as a new process would.
func (w *world) aloud() *oauth.Session { return oauth.New(w.options) }

// logIn logs in with a local browser.
func (w *world) logIn(s *oauth.Session) *visitor {
	w.t.Helper()
	person := &visitor{}
	if err := s.LogIn(w.t.Context(), person); err != nil {
		w.t.Fatalf("the login went wrong: %v", err)
	}
	return person
}

// use calls a tool on a new connection.
func (w *world) use(s *oauth.Session, tool string) (string, error) {
	w.t.Helper()
	set := servers.Start(w.t.Context(),
		[]mcpclient.Server{{Name: "vault", URL: w.resource.URL, Protocol: "2025-11-25", Required: true, Login: s}},
		servers.Options{Board: new(servers.Board)})
	defer set.Close()
	if err := set.Ready(w.t.Context()); err != nil {
		return "", err
	}
	result, err := set.Call(w.t.Context(), mcpclient.Call{Tool: "vault__" + tool}, nil)
	return result.Text, err
}

// get sends one request with the transport of the login.
func (w *world) get(ctx context.Context, s *oauth.Session) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.resource.URL,
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := s.Transport(http.DefaultTransport).RoundTrip(request)
	if err == nil {
		response.Body.Close()
	}
	return response, err
}

// age makes the stored token expire after left.
func (w *world) age(left time.Duration) {
	w.t.Helper()
	var content struct {
		Logins map[string]map[string]map[string]any `json:"logins"`
	}
	data, err := os.ReadFile(w.file())
	if err == nil {
		err = json.Unmarshal(data, &content)
	}
	kept := content.Logins["vault "+w.resource.URL]["login"]
	if err != nil || kept["exp"] == nil {
		w.t.Fatalf("what is kept is %q, %v", data, err)
	}
	kept["iat"], kept["exp"] = time.Now().Add(left-time.Hour), time.Now().Add(left)
	data, _ = json.Marshal(content)
	must(w.t, os.WriteFile(w.file(), data, 0o600))
}

// file returns the path of the store.
func (w *world) file() string { return filepath.Join(w.options.Dir, "tokens.json") }

// works checks that a tool works.
func (w *world) works(s *oauth.Session, tool string) {
	w.t.Helper()
	if text, err := w.use(s, tool); err != nil || text != tool+": done" {
		w.t.Errorf("%s says %q, %v", tool, text, err)
	}
}

// wantsLogin checks that a tool needs a login, with these words in the error.
func (w *world) wantsLogin(s *oauth.Session, tool string, words ...string) {
	w.t.Helper()
	text, err := w.use(s, tool)
	if err == nil {
		w.t.Errorf("%s says %q without a login", tool, text)
		return
	}
	for _, part := range append(words, "Run `aloud mcp login vault`") {
		if !strings.Contains(err.Error(), part) {
			w.t.Errorf("the error %q does not say %q", err, part)
		}
	}
}

// says checks that an error contains the words.
func says(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("nothing went wrong, want %q", words)
		return
	}
	for _, part := range words {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error %q does not say %q", err, part)
		}
	}
}

// visitor has a local browser that follows the redirect.
type visitor struct {
	address  string // the address that was shown
	secretTo string // the login server that was shown
	page     string // the last page
	seen     chan struct{}
}

func (v *visitor) Visit(address, secretTo string) error {
	v.address, v.secretTo, v.seen = address, secretTo, make(chan struct{})
	go func() {
		defer close(v.seen)
		response, err := http.Get(address)
		if err != nil {
			v.page = err.Error()
			return
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		v.page = fmt.Sprint(response.StatusCode, " ", string(text))
	}()
	return nil
}

func (v *visitor) Tell(error) {}

func (v *visitor) Pasted(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

// paster pastes the redirect address, which write may change.
type paster struct {
	write func(redirect string, again int) string
	told  []error
	sent  chan string
}

func newPaster(write func(redirect string, again int) string) *paster {
	return &paster{write: write, sent: make(chan string, 1)}
}

func (p *paster) Visit(address, _ string) error {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(address)
	if err != nil {
		return err
	}
	response.Body.Close()
	p.sent <- response.Header.Get("Location")
	return nil
}

func (p *paster) Pasted(ctx context.Context) (string, error) {
	select {
	case redirect := <-p.sent:
		p.sent <- redirect
		return p.write(redirect, len(p.told)), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (p *paster) Tell(wrong error) { p.told = append(p.told, wrong) }

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
