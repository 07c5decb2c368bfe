package oauth_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/e2e/oauthtest"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/oauth"
)

func TestConcurrentRenewals(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	alouds := []*oauth.Session{w.aloud(), w.aloud()}
	w.logIn(alouds[0])
	w.works(alouds[1], "look")
	w.issuer.EndTokens()
	before := w.issuer.Count("/token")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if response, err := w.get(t.Context(), alouds[i%2]); err != nil || response.StatusCode == http.StatusUnauthorized {
				t.Errorf("a request is not let in: %v", err)
			}
		})
	}
	all.Wait()
	if n := w.issuer.Count("/token") - before; n != 1 {
		t.Errorf("the token was renewed %d times", n)
	}
}

func TestLoginExpired(t *testing.T) {
	w, s := loggedIn(t)
	w.issuer.EndLogins()
	w.wantsLogin(s, "look")
	w.issuer.ForgetClients() // each login registers a new client
	w.logIn(s)
	w.works(s, "look")
}

func TestNoRefreshToken(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	w.issuer.Change(func(r *oauthtest.Rules) { r.NoRefresh = true })
	s := w.aloud()
	w.logIn(s)
	w.works(s, "look")
	w.issuer.EndTokens()
	w.wantsLogin(s, "look")
}

// TestLoginSurvivesAnswers sends an answer of the login server to a renewal. Only invalid_grant ends a login.
func TestLoginSurvivesAnswers(t *testing.T) {
	w, _ := loggedIn(t)
	for _, test := range []struct {
		status       int
		answer, says string
	}{
		{400, "<html><title>Bad\x1b[2J gateway</title>", `answered 400 "<html><title>Bad[2J gateway</title>"`},
		{400, " \n", "answered 400."},
		{400, strings.Repeat("wait ", 1000), `wait …"`},
		{400, `{"error":"invalid_request"}`, "answered 400 invalid_request."},
		{400, `{"error":"invalid_target","error_description":"no\u001b[2J thing"}`, "400 invalid_target: no[2J thing."},
		{400, `{"error":"unauthorized_client"}`, "unauthorized_client"},
		{400, `{"error":{"code":"invalid_grant"}}`, "answered 400"},
		{401, `{"error":"invalid_client"}`, "answered 401 invalid_client."},
		{401, "<html>who are you?", `answered 401 "<html>who are you?"`},
		{403, "<html>who are you?", "403"},
		{429, "", "429"},
		{500, `{"error":"Internal Server Error"}`, "500"},
		{500, `{"error":"invalid_grant"}`, "500"}, // a server that fails does not know
		{503, "", "503"},
		{200, "<html>hello", "returned no token"},
		{200, `{"error":"slow_down"}`, "answered 200 slow_down."},
	} {
		w.issuer.EndTokens()
		w.issuer.Change(func(r *oauthtest.Rules) { r.Down, r.DownSays = test.status, test.answer })
		_, err := w.use(w.aloud(), "look")
		says(t, err, `login to server "vault" failed`, test.says, "The login is kept", "aloud mcp login vault")
		if errors.Is(err, mcpclient.ErrLoginNeeded) || len(err.Error()) > 700 || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("after %d %q the error is %q", test.status, test.answer, err)
		}
		w.issuer.Change(func(r *oauthtest.Rules) { r.Down = 0 })
		w.works(w.aloud(), "look")
	}
	for _, test := range []struct {
		status int
		code   string
	}{{400, "invalid_grant"}, {401, "invalid_grant"}, {403, "invalid_grant"}, {200, "bad_refresh_token"}} { // as of GitHub
		w, s := loggedIn(t)
		w.issuer.EndTokens()
		w.issuer.Change(func(r *oauthtest.Rules) { r.Down, r.DownSays = test.status, `{"error":"`+test.code+`"}` })
		w.wantsLogin(s, "look")
		w.issuer.Change(func(r *oauthtest.Rules) { r.Down = 0 })
		w.wantsLogin(w.aloud(), "look")
	}
}

// TestFailedRenewalsRest sends requests for an hour while the login server fails.
func TestFailedRenewalsRest(t *testing.T) {
	for _, grant := range []string{oauth.AuthorizationCode, oauth.ClientCredentials} {
		synctest.Test(t, func(t *testing.T) {
			n, _ := far()
			s := oauth.New(oauth.Options{Server: "far", URL: "https://mcp.example/mcp", Base: n, Grant: grant,
				Issuer: "https://login.example", ClientID: "us", ClientSecret: "a-long-secret"})
			n["https://login.example/token"] = says200(map[string]any{"access_token": "t", "refresh_token": "r",
				"token_type": "bearer"})
			must(t, s.LogIn(t.Context(), &allowing{}))
			asked := 0
			n["https://login.example/token"] = func(w http.ResponseWriter, _ *http.Request) {
				asked++
				http.Error(w, "out of order", http.StatusBadRequest)
			}
			send := func() error {
				request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://mcp.example/mcp",
					strings.NewReader("{}"))
				_, err := s.Transport(n).RoundTrip(request)
				return err
			}
			for began := time.Now(); time.Since(began) < time.Hour; time.Sleep(time.Second) {
				says(t, send(), `login to server "far" failed`, `answered 400 "out of order"`)
			}
			if asked < 60 || asked > 250 {
				t.Errorf("%s: the login server was asked %d times in an hour", grant, asked)
			}
			if err := s.LogIn(t.Context(), &allowing{}); err == nil {
				t.Error("the login did not ask the login server")
			}
			n["https://login.example/token"] = says200(map[string]any{"access_token": "t2", "token_type": "bearer"})
			refuse := n["https://mcp.example/mcp"]
			n["https://mcp.example/mcp"] = func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer t2" {
					refuse(w, r)
				}
			}
			time.Sleep(time.Minute)
			if err := send(); err != nil {
				t.Errorf("a minute after the login server works: %v", err)
			}
		})
	}
}

func TestCallerNeedNotWaitForSlowLoginServer(t *testing.T) {
	w, s := loggedIn(t)
	<-w.issuer.Asked()
	w.issuer.EndTokens()
	hold := make(chan struct{})
	w.issuer.Change(func(r *oauthtest.Rules) { r.Hold = hold })
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := w.get(ctx, s)
		left <- err
	}()
	<-w.issuer.Asked()
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who leaves gets %v", err)
	}
	w.issuer.Change(func(r *oauthtest.Rules) { r.Hold = nil })
	close(hold)
	w.works(s, "look") // the renewal continued after its caller left: the old refresh token is no longer valid
}

func TestStepUp(t *testing.T) {
	w, chat := loggedIn(t)
	w.works(chat, "look")
	w.wantsLogin(chat, "change", "write")

	w.logIn(w.aloud()) // in another process
	w.works(chat, "change")
	w.works(chat, "look")
}

func TestScopesNotGranted(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	w.issuer.Change(func(r *oauthtest.Rules) { r.Scopes = []string{"read"} })
	s := w.aloud()
	w.logIn(s)
	for range 2 {
		w.wantsLogin(s, "change", "write")
		w.logIn(s) // the result is the same
	}
	w.works(s, "look")
}

func TestServerChangesLoginServer(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	w.options.CallbackPort = freePort(t) // the same for both, so that only the owner distinguishes the registrations
	s := w.aloud()
	w.logIn(s)
	next := oauthtest.NewIssuer(oauthtest.Plain())
	defer next.Close()
	w.resource.MoveTo(next)
	before := w.issuer.Count("/token")
	w.wantsLogin(s, "look")
	if n := w.issuer.Count("/token"); n != before {
		t.Error("the old login server was asked for another token")
	}
	w.logIn(s)
	w.works(s, "look")
	if next.Count("/register") != 1 {
		t.Error("aloud was not registered anew")
	}
	if faults := next.Faults(); faults != nil {
		t.Errorf("the new login server blames us: %q", faults)
	}
}

func TestTokensAreHidden(t *testing.T) {
	w, s := loggedIn(t)
	w.issuer.EndTokens()
	if text, err := w.use(s, "tell"); err != nil || text != "you sent Bearer •••" {
		t.Errorf("it says %q, %v", text, err)
	}
}

func TestTokenWithoutExpiry(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	s := w.aloud()
	w.issuer.Change(func(r *oauthtest.Rules) { r.Lifetime = 1 << 62 }) // overflows a time.Duration
	w.logIn(s)
	w.works(s, "look")
	if n := w.issuer.Count("/token"); n != 1 {
		t.Errorf("it was renewed %d times", n-1)
	}
}

func TestTokenRenewedEarly(t *testing.T) {
	for name, left := range map[string]time.Duration{"nearly": 20 * time.Second, "long ago": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			w, _ := loggedIn(t)
			w.age(left)
			before := w.resource.Refusals()
			w.works(w.aloud(), "look")
			if n := w.resource.Refusals() - before; n != 0 {
				t.Errorf("%d requests were refused", n)
			}
			if n := w.issuer.Count("/token"); n != 2 {
				t.Errorf("tokens were given %d times", n)
			}
		})
	}
}

func TestTokenUsedWhenRenewalFails(t *testing.T) {
	w, _ := loggedIn(t)
	w.age(20 * time.Second)
	w.issuer.Change(func(r *oauthtest.Rules) { r.Down = 503 })
	w.works(w.aloud(), "look")
}
