package oauth_test

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aloudchat/aloud/e2e/oauthtest"
	"github.com/aloudchat/aloud/mcpclient/oauth"
)

func TestClientMethods(t *testing.T) {
	port := freePort(t)
	for _, method := range []string{"none", "client_secret_basic", "client_secret_post"} {
		for _, byHand := range []bool{false, true} {
			t.Run(fmt.Sprint(method, " registered by hand: ", byHand), func(t *testing.T) {
				w := newWorld(t, oauthtest.Plain())
				w.issuer.Change(func(r *oauthtest.Rules) { r.Registers, r.Methods = !byHand, []string{method} })
				if byHand {
					w.options.ClientID, w.options.CallbackPort = "ours & only", port
					if method != "none" {
						w.options.ClientSecret = "s+cret: 100 %"
					}
					w.issuer.Know(w.options.ClientID,
						oauthtest.Client{Secret: w.options.ClientSecret, Method: method, Redirects: []string{callbackOn(port)}})
				}
				s := w.aloud()
				w.logIn(s)
				w.issuer.EndTokens()
				w.works(s, "look")
				if err := s.LogOut(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestClientMetadataDocument(t *testing.T) {
	var document *httptest.Server
	document = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"client_id": document.URL + "/aloud.json",
			"redirect_uris": []string{"http://127.0.0.1/callback"}})
	}))
	defer document.Close()
	w := newWorld(t, oauthtest.Plain())
	w.issuer.Change(func(r *oauthtest.Rules) { r.Documents, r.AnyPort, r.Reader = true, true, document.Client() })
	w.options.ClientMetadataURL = document.URL + "/aloud.json"
	s := w.aloud()
	w.logIn(s)
	w.issuer.EndTokens()
	w.works(s, "look")
	if w.issuer.Count("/register") != 0 {
		t.Error("aloud was registered besides")
	}
}

func TestCallbackPortInUse(t *testing.T) {
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	w := newWorld(t, oauthtest.Plain())
	w.options.CallbackPort = taken.Addr().(*net.TCPAddr).Port
	says(t, w.aloud().LogIn(t.Context(), &visitor{}), "cannot use port", "callback_port sets another")
}

func TestClientCredentials(t *testing.T) {
	ec, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	rs, _ := rsa.GenerateKey(rand.Reader, 2048)
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	for name, test := range map[string]struct {
		set  func(*oauth.Options)
		know oauthtest.Client
	}{
		"with a secret": {func(o *oauth.Options) { o.ClientSecret = "secret" },
			oauthtest.Client{Secret: "secret", Method: "client_secret_basic"}},
		"with an EC key": {func(o *oauth.Options) { o.PrivateKey = readKey(t, ec) },
			oauthtest.Client{Key: ec.Public(), Method: "private_key_jwt"}},
		"with an RSA key": {func(o *oauth.Options) { o.PrivateKey = readKey(t, rs) },
			oauthtest.Client{Key: rs.Public(), Method: "private_key_jwt"}},
		"with an Ed25519": {func(o *oauth.Options) { o.PrivateKey = readKey(t, ed) },
			oauthtest.Client{Key: ed.Public(), Method: "private_key_jwt"}},
		"with PS256 of RSA": {func(o *oauth.Options) { o.PrivateKey, o.SigningAlgorithm = rs, "PS256" },
			oauthtest.Client{Key: rs.Public(), Method: "private_key_jwt"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, oauthtest.Plain())
			w.issuer.Change(func(r *oauthtest.Rules) { r.Registers, r.Methods = false, []string{test.know.Method} })
			w.options.Grant, w.options.Issuer, w.options.ClientID = oauth.ClientCredentials, w.issuer.URL, "robot"
			test.set(&w.options)
			w.issuer.Know("robot", test.know)
			s := w.aloud()
			w.works(s, "look") // no login was needed
			w.issuer.EndTokens()
			w.works(s, "change") // aloud requests more scopes by itself
			if err := s.LogIn(t.Context(), broken{}); err != nil {
				t.Errorf("logging in all the same: %v", err)
			}
			w.works(w.aloud(), "look")
		})
	}
}

func TestClientCredentialsRefused(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	w.blamed = true
	w.options.Grant, w.options.Issuer, w.options.ClientID, w.options.ClientSecret = oauth.ClientCredentials,
		w.issuer.URL, "robot", "old"
	w.issuer.Know("robot", oauthtest.Client{Secret: "new", Method: "client_secret_basic"})
	_, err := w.use(w.aloud(), "look")
	says(t, err, `login to server "vault" failed`, "invalid_client")

	w.options.ClientSecret = ""
	_, err = w.use(w.aloud(), "look")
	says(t, err, "client_credentials", "secret or private key")
}

func TestReadKey(t *testing.T) {
	agreement, _ := ecdh.X25519().GenerateKey(rand.Reader) // cannot sign
	for name, text := range map[string]string{
		"no PEM":        "secret",
		"no key":        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
		"an agreement":  pemOf(t, agreement),
		"with password": "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
	} {
		t.Run(name, func(t *testing.T) {
			if key, err := oauth.ReadKey([]byte(text)); err == nil {
				t.Errorf("read as %T", key)
			}
		})
	}
}

// readKey reads a key from PEM.
func readKey(t *testing.T, key any) crypto.Signer {
	t.Helper()
	signer, err := oauth.ReadKey([]byte(pemOf(t, key)))
	must(t, err)
	return signer
}

func callbackOn(port int) string { return fmt.Sprintf("http://127.0.0.1:%d/callback", port) }

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func pemOf(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}
