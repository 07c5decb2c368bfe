package oauth_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/oauthtest"
	"github.com/aloudchat/aloud/mcpclient/conn"
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

func TestLoginSurvivesLoginServerDown(t *testing.T) {
	w, s := loggedIn(t)
	w.issuer.EndTokens()
	for status, text := range map[int]string{503: "", 429: "", 403: "<html>who are you?",
		500: `{"error":"Internal Server Error"}`} {
		w.issuer.Change(func(r *oauthtest.Rules) { r.Down, r.DownSays = status, text })
		_, err := w.use(s, "look")
		says(t, err, `login to server "vault" failed`, strconv.Itoa(status))
		if errors.Is(err, conn.ErrLoginNeeded) {
			t.Errorf("%q asks for a login that would not help", err)
		}
	}
	w.issuer.Change(func(r *oauthtest.Rules) { r.Down = 0 })
	w.works(s, "look")
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
