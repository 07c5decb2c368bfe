package config

import (
	"net/url"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/secret"
)

// The grants of OAuth.
const (
	GrantPerson = "authorization_code" // a person logs in
	GrantClient = "client_credentials" // the client is let in for itself
)

// OAuth says how to log in to a server with a url. Only servers whose login server accepts known clients alone need it.
type OAuth struct {
	Off               bool   // oauth = false: a server that wants a login is refused instead
	Grant             string // GrantPerson or GrantClient
	Issuer            string // the login server that gets the client's secret or signature; "": that of the first login
	ClientID          string
	ClientSecretEnv   string // the name of the variable that holds the secret; "": there is none
	ClientSecret      string // what that holds
	PrivateKeyFile    string // PEM; signs for the client instead of a secret
	SigningAlgorithm  string // of the key, "RS256"; "": the usual one of its kind
	Scopes            []string
	CallbackPort      int    // on 127.0.0.1, where the browser is sent in the end; 0: any that is free
	ClientMetadataURL string // of a document that describes the client
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
func (t *serverTable) oauth() {
	into := &t.server.OAuth
	into.Grant = GrantPerson
	switch raw := t.values["oauth"].(type) {
	case nil:
		return
	case bool:
		t.truth("oauth", &raw)
		if into.Off = !raw; raw {
			t.mistake("oauth", "is true, as it is without being written; write false to switch it off, or a table with a client_id")
		}
		return
	case map[string]any:
	default:
		t.asked = append(t.asked, "oauth")
		t.mistake("oauth", "must be false or a table, not %s", kind(raw))
		return
	}
	o := &resolving{table: t.loader.table(append(slices.Clone(t.path), "oauth")...)}
	o.choice("grant", &into.Grant, GrantPerson, GrantClient)
	if o.text("issuer", &into.Issuer) {
		into.Issuer = o.expanded(into.Issuer, "issuer")
		u, err := url.Parse(into.Issuer)
		if len(o.unset) == 0 && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "") {
			o.unresolved(nil, []string{"issuer"}, `"issuer" is no address of a login server; write one like "https://login.example.com"`)
		}
	}
	if o.text("client_id", &into.ClientID) {
		into.ClientID = o.expanded(into.ClientID, "client_id")
	}
	if o.text("client_secret_env", &into.ClientSecretEnv) {
		into.ClientSecret = o.variable(into.ClientSecretEnv, "client_secret_env")
		o.hide(secret.Of("secret", into.ClientSecret))
	}
	o.text("private_key_file", &into.PrivateKeyFile)
	into.PrivateKeyFile = o.home(o.expanded(into.PrivateKeyFile, "private_key_file"))
	o.choice("signing_algorithm", &into.SigningAlgorithm, "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
	o.texts("scopes", &into.Scopes)
	if o.asked = append(o.asked, "callback_port"); o.has("callback_port") {
		o.whole("callback_port", &into.CallbackPort, span[int]{1, 65535})
	}
	o.text("client_metadata_url", &into.ClientMetadataURL)
	o.fitsOAuth(into)
	if t.server.authorized() {
		t.mistake("oauth", "is of no use beside a header Authorization or bearer_token_env_var; keep one of them")
	}
	t.secrets, t.unset = append(t.secrets, o.secrets...), append(t.unset, o.unset...)
}

// fitsOAuth notes values that do not fit together.
func (t *resolving) fitsOAuth(with *OAuth) {
	if u, err := url.Parse(with.ClientMetadataURL); with.ClientMetadataURL != "" && (err != nil || u.Scheme != "https" || strings.Trim(u.Path, "/") == "") {
		t.mistake("client_metadata_url", `is no address of a document; write one like "https://example.com/aloud.json"`)
	}
	for i, scope := range with.Scopes {
		if scope == "" || strings.ContainsAny(scope, " \t\n\"\\") {
			t.mistake("scopes", "has %q at place %d; a scope is one word", scope, i+1)
		}
	}
	secret, key := t.has("client_secret_env"), t.has("private_key_file")
	switch {
	case secret && key:
		t.mistake("private_key_file", "is instead of client_secret_env; keep one of them")
	case (secret || key) && with.ClientID == "":
		t.mistake(map[bool]string{true: "client_secret_env", false: "private_key_file"}[secret], "belongs to a client_id, which is not there; write it too")
	case with.Grant == GrantClient && !secret && !key:
		t.mistake("grant", "is %q, which needs a client_id with client_secret_env or private_key_file", GrantClient)
	case with.Grant == GrantClient && !t.has("issuer"):
		t.mistake("grant", `is %q, which needs the login server that the credentials are for; add issuer = "https://…"`, GrantClient)
	}
}
