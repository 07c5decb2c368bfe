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
