package config_test

import (
	"slices"
	"testing"

	"github.com/aloudchat/aloud/config"
)

func TestWantsLogin(t *testing.T) {
	c := load(t, `
[mcp_servers.plain]
url = "https://a.example/mcp"
[mcp_servers.off]
url = "https://b.example/mcp"
oauth = false
[mcp_servers.keyed]
url = "https://c.example/mcp"
http_headers = { authorization = "Bearer x" }
[mcp_servers.team]
url = "https://d.example/mcp"
oauth = { client_id = "ours", client_secret_env = "TEAM_SECRET" }
`, "TEAM_SECRET=s3cret-of-team")
	for name, wants := range map[string]bool{"plain": true, "off": false, "keyed": false, "team": true, "clock": false} {
		if got := server(t, c, name).WantsLogin(); got != wants {
			t.Errorf("%s: WantsLogin is %v", name, got)
		}
	}
	if o := server(t, c, "team").OAuth; o.Grant != config.GrantUser || !slices.Contains(c.Secrets(), "s3cret-of-team") {
		t.Errorf("%+v", o)
	}
}

func TestMistakesInOAuth(t *testing.T) {
	for _, test := range []invalid{
		{"oauth = true", `3:1: "oauth" is on by default. Set it to false to turn logins off, or to a table`},
		{"oauth = 'on'", `3:1: "oauth" must be false or a table, not a string`},
		{"oauth = { clientid = 'a' }", `3:11: unknown key "clientid" in [mcp_servers.x.oauth]; did you mean "client_id"?`},
		{"oauth = { client_id = 3 }", `3:11: "client_id" must be a string, not a whole number`},
		{"[mcp_servers.x.oauth]\ngrant = 'client'", `4:1: "grant" is "client"; it must be "authorization_code" or`},
		{"oauth = { callback_port = 70000 }", `3:11: "callback_port" is 70000; it must be 1 to 65535`},
		{"oauth = { client_metadata_url = 'x/y' }", `3:11: "client_metadata_url" is not an address. Use one like`},
		{"oauth = { scopes = 'a' }", `3:11: "scopes" must be an array of strings, not a string`},
		{"oauth = { private_key_file = 'k' }", `3:11: "private_key_file" needs a client_id`},
		{"oauth = { grant = 'client_credentials', client_id = 'a' }",
			`3:11: "grant" is "client_credentials", which needs a client_id with client_secret_env or private_key_file`},
		{"oauth = { grant = 'client_credentials', client_id = 'a', private_key_file = 'k' }",
			`3:11: "grant" is "client_credentials", which needs an issuer. Add issuer = "https://…"`},
		{"oauth = { issuer = 'login.example.com' }", `3:11: "issuer" is not an address. Use one like`},
		{"oauth = { client_id = 'a' }\nbearer_token_env_var = 'S'", `3:1: "oauth" cannot be used with an Authorization`},
	} {
		invalid{"[mcp_servers.x]\nurl = 'http://x'\n" + test.text, test.want}.check(t)
	}
}
