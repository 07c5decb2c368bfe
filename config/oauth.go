package config

import (
	"net/url"
	"strings"

	"github.com/aloudchat/aloud/secret"
)

// The grants of OAuth.
const (
	GrantUser   = "authorization_code" // you log in
	GrantClient = "client_credentials" // the client logs in for itself
)

// OAuth says how to log in to a server with a url. Only servers whose login server accepts known clients alone need it.
type OAuth struct {
	Off               bool     // oauth = false: a server that wants a login is refused instead
	Grant             string   `key:"grant" of:"authorization_code client_credentials"`
	Issuer            string   `key:"issuer"` // the login server that gets the client's secret; "": that of the first login
	ClientID          string   `key:"client_id"`
	ClientSecretEnv   string   `key:"client_secret_env" is:"variable"`
	ClientSecret      string   // the value of that variable
	PrivateKeyFile    string   `key:"private_key_file" is:"path"` // PEM; signs for the client instead of a secret
	SigningAlgorithm  string   `key:"signing_algorithm" of:"RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA"`
	Scopes            []string `key:"scopes"`
	CallbackPort      int      `key:"callback_port" span:"1 65535"` // where the browser is sent in the end; 0: any that is free
	ClientMetadataURL string   `key:"client_metadata_url"`          // of a document that describes the client
}

// WantsLogin reports whether aloud logs in to the server when it asks for that.
func (s Server) WantsLogin() bool { return s.URL != "" && !s.OAuth.Off && !s.authorized() }

// authorized reports whether the configuration has credentials.
func (s Server) authorized() bool {
	for name := range s.Headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

// oauth reads the key "oauth" of a server: false, or a table.
func (t *table) oauth(f field, raw any, into *OAuth) {
	if on, isBool := raw.(bool); isBool {
		if into.Off = !on; on {
			t.wrong(f.key, "is true, as it is without being written; write false to switch it off, or a table with a client_id")
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
	u, err := url.Parse(into.Issuer)
	if o.has("issuer") && len(o.unset) == 0 && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "") {
		o.wrong("issuer", `is no address of a login server; write one like "https://login.example.com"`)
	}
	u, err = url.Parse(into.ClientMetadataURL)
	if o.has("client_metadata_url") && (err != nil || u.Scheme != "https" || strings.Trim(u.Path, "/") == "") {
		o.wrong("client_metadata_url", `is no address of a document; write one like "https://example.com/aloud.json"`)
	}
	hasSecret, hasKey := o.has("client_secret_env"), o.has("private_key_file")
	switch {
	case hasSecret && hasKey:
		o.wrong("private_key_file", "is instead of client_secret_env; keep one of them")
	case (hasSecret || hasKey) && into.ClientID == "":
		o.wrong(map[bool]string{true: "client_secret_env", false: "private_key_file"}[hasSecret], "belongs to a client_id, which is not there; write it too")
	case into.Grant == GrantClient && !hasSecret && !hasKey:
		o.wrong("grant", "is %q, which needs a client_id with client_secret_env or private_key_file", GrantClient)
	case into.Grant == GrantClient && !o.has("issuer"):
		o.wrong("grant", `is %q, which needs the login server that the credentials are for; add issuer = "https://…"`, GrantClient)
	}
	t.secrets, t.unset = append(t.secrets, o.secrets...), append(t.unset, o.unset...)
}

// fitsOAuth refuses two ways to log in.
func (t *table) fitsOAuth(s *Server) {
	if _, written := t.values["oauth"].(map[string]any); written && s.authorized() {
		t.wrong("oauth", "is of no use beside a header Authorization or bearer_token_env_var; keep one of them")
	}
}
