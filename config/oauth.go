package config

import (
	"strings"

	"github.com/aloudchat/aloud/internal/secret"
)

// The values of OAuth.Grant.
const (
	GrantUser   = "authorization_code" // you log in
	GrantClient = "client_credentials" // the client logs in by itself
)

// OAuth configures the login to a server with a url. Only login servers that accept registered clients only need it.
type OAuth struct {
	Off               bool     // oauth = false: never log in
	Grant             string   `key:"grant" of:"authorization_code client_credentials"`
	Issuer            string   `key:"issuer" is:"web"` // the only login server that gets the secret, "" for the first seen
	ClientID          string   `key:"client_id"`
	ClientSecretEnv   string   `key:"client_secret_env" is:"variable"`
	ClientSecret      string   // the value of that variable
	PrivateKeyFile    string   `key:"private_key_file" is:"path"` // PEM, used instead of a secret
	SigningAlgorithm  string   `key:"signing_algorithm" of:"RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA"`
	Scopes            []string `key:"scopes"`
	CallbackPort      int      `key:"callback_port" span:"1 65535"` // of the redirect address, 0 for any free port
	ClientMetadataURL string   `key:"client_metadata_url" is:"web"` // the address of the client's metadata
}

// WantsLogin reports whether aloud logs in when the server requires it.
func (s Server) WantsLogin() bool { return s.URL != "" && !s.OAuth.Off && !s.authorized() }

// authorized reports whether the configuration sets an Authorization header.
func (s Server) authorized() bool {
	for name := range s.Headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

// Credential describes where the credential for a server with a url comes from: `the environment variable "TOKEN"`. It
// is "" if there is none.
func (s Server) Credential() string {
	switch names := `"` + strings.Join(s.HeaderVars, `", "`) + `"`; {
	case len(s.HeaderVars) == 1:
		return "the environment variable " + names
	case len(s.HeaderVars) > 1:
		return "the environment variables " + names
	case s.authorized():
		return "http_headers"
	}
	return ""
}

// oauth reads the key "oauth" of a server, which is false or a table.
func (t *table) oauth(f field, raw any, into *OAuth) {
	if on, isBool := raw.(bool); isBool {
		if into.Off = !on; on {
			t.wrong(f.key, "is on by default. Set it to false to turn logins off, or to a table")
		}
		return
	}
	values, ok := raw.(map[string]any)
	if !ok {
		t.wrong(f.key, "must be false or a table, not %s", kind(raw))
		return
	}
	o := t.inner(f.key, values)
	o.fill(into)
	if into.ClientSecretEnv != "" {
		into.ClientSecret = o.variable(into.ClientSecretEnv, "client_secret_env")
		o.hide(secret.Of("secret", into.ClientSecret))
	}
	hasSecret, hasKey := o.has("client_secret_env"), o.has("private_key_file")
	switch {
	case hasSecret && into.ClientID == "":
		o.wrong("client_secret_env", "needs a client_id")
	case hasKey && into.ClientID == "":
		o.wrong("private_key_file", "needs a client_id")
	case into.Grant == GrantClient && !hasSecret && !hasKey:
		o.wrong("grant", "is %q, which needs a client_id with client_secret_env or private_key_file", GrantClient)
	case into.Grant == GrantClient && !o.has("issuer"):
		o.wrong("grant", `is %q, which needs an issuer. Add issuer = "https://…"`, GrantClient)
	}
	t.secrets, t.unset = append(t.secrets, o.secrets...), append(t.unset, o.unset...)
}
