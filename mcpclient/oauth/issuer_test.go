package oauth_test

import (
	"testing"

	"github.com/aloudchat/aloud/e2e/oauthtest"
	"github.com/aloudchat/aloud/mcpclient/oauth"
)

// newClientWorld returns a world with the client "ours", and a second issuer that would accept its secret.
func newClientWorld(t *testing.T, grant string) (w *world, other *oauthtest.Issuer) {
	t.Helper()
	w = newWorld(t, oauthtest.Plain())
	w.blamed = true
	other = oauthtest.NewIssuer(oauthtest.Plain())
	t.Cleanup(other.Close)
	port := freePort(t)
	w.options.Grant, w.options.ClientID, w.options.ClientSecret, w.options.CallbackPort = grant, "ours",
		"the client's secret", port
	known := oauthtest.Client{Secret: w.options.ClientSecret, Method: "client_secret_basic",
		Redirects: []string{callbackOn(port)}}
	for _, issuer := range []*oauthtest.Issuer{w.issuer, other} {
		issuer.Change(func(r *oauthtest.Rules) { r.Registers, r.Methods = false, []string{known.Method} })
		issuer.Know("ours", known)
	}
	return w, other
}

func gotNothing(t *testing.T, issuer *oauthtest.Issuer) {
	t.Helper()
	for _, endpoint := range []string{"/register", "/authorize", "/token"} {
		if n := issuer.Count(endpoint); n != 0 {
			t.Errorf("%s was asked %d times", endpoint, n)
		}
	}
}

func TestClientCredentialsGoToTheConfiguredIssuerOnly(t *testing.T) {
	w, other := newClientWorld(t, oauth.ClientCredentials)
	w.options.Issuer = w.issuer.URL
	w.works(w.aloud(), "look")
	w.resource.MoveTo(other)
	s := w.aloud()
	_, err := w.use(s, "look")
	says(t, err, w.issuer.URL, other.URL, "oauth.issuer")
	says(t, s.LogIn(t.Context(), broken{}), w.issuer.URL, other.URL, "oauth.issuer")
	gotNothing(t, other)
}

func TestClientCredentialsNeedAnIssuer(t *testing.T) {
	w, other := newClientWorld(t, oauth.ClientCredentials)
	w.resource.MoveTo(other)
	_, err := w.use(w.aloud(), "look")
	says(t, err, "issuer")
	gotNothing(t, other)
}

func TestLoginGoesToTheConfiguredIssuerOnly(t *testing.T) {
	w, other := newClientWorld(t, oauth.AuthorizationCode)
	w.options.Issuer = w.issuer.URL + "/"
	if person := w.logIn(w.aloud()); person.secretTo != "" {
		t.Errorf("the person is told of %q, which they configured", person.secretTo)
	}
	w.resource.MoveTo(other)
	says(t, w.aloud().LogIn(t.Context(), &visitor{}), w.issuer.URL, other.URL, "oauth.issuer")
	gotNothing(t, other)
}

func TestConfiguredIssuerWithoutMetadata(t *testing.T) {
	w, _ := newClientWorld(t, oauth.AuthorizationCode)
	w.options.Issuer = w.issuer.URL
	w.options.Scopes = []string{"read"}
	w.resource.SayNothing()
	s := w.aloud()
	w.logIn(s)
	w.works(s, "look")
}

func TestCredentialsStayWithFirstIssuer(t *testing.T) {
	w, other := newClientWorld(t, oauth.AuthorizationCode)
	if person := w.logIn(w.aloud()); person.secretTo != w.issuer.URL {
		t.Errorf("the person is told of %q", person.secretTo)
	}
	if again := w.logIn(w.aloud()); again.secretTo != "" {
		t.Errorf("the person is told of %q again", again.secretTo)
	}
	w.resource.MoveTo(other)
	w.issuer.EndTokens()
	w.wantsLogin(w.aloud(), "look")
	s := w.aloud()
	says(t, s.LogIn(t.Context(), &visitor{}), w.issuer.URL, other.URL, "aloud mcp logout vault")
	gotNothing(t, other)

	must(t, s.LogOut(t.Context()))
	if person := w.logIn(w.aloud()); person.secretTo != other.URL {
		t.Errorf("after the logout the person is told of %q", person.secretTo)
	}
}

// A login at another issuer is not used once an issuer is configured.
func TestNoRenewalAtOtherIssuer(t *testing.T) {
	w, other := newClientWorld(t, oauth.AuthorizationCode)
	w.logIn(w.aloud())
	w.issuer.EndTokens()
	before := w.issuer.Count("/token")
	w.options.Issuer = other.URL
	s := w.aloud()
	w.wantsLogin(s, "look")
	_ = s.LogOut(t.Context())
	if n := w.issuer.Count("/token"); n != before {
		t.Errorf("the issuer of before got %d requests", n-before)
	}
}

func TestRegisteredClientGetsNoSecret(t *testing.T) {
	w, other := newClientWorld(t, oauth.AuthorizationCode)
	other.Change(func(r *oauthtest.Rules) { r.Registers, r.Names = true, "ours" })
	w.resource.MoveTo(other)
	secret, port := w.options.ClientSecret, w.options.CallbackPort
	w.options.ClientID, w.options.ClientSecret, w.options.CallbackPort = "", "", 0
	w.logIn(w.aloud())

	w.options.ClientID, w.options.ClientSecret, w.options.CallbackPort = "ours", secret, port
	other.EndTokens()
	w.works(w.aloud(), "look") // renewed with the secret of that registration, the only one that the issuer accepts
}
