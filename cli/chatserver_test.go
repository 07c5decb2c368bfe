package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
)

func TestServerName(t *testing.T) {
	for line, want := range map[string]string{
		"npx -y @modelcontextprotocol/server-filesystem /tmp": "filesystem",
		"npx -y @playwright/mcp@latest":                       "playwright",
		"uvx mcp-server-git --repository .":                   "git",
		"docker run -i --rm -e TOKEN mcp/github":              "github",
		"/opt/github-mcp-server.exe stdio":                    "github",
		"sh -c 'exec x'":                                      "sh",
		"mcp-server":                                          "server",
		"https://mcp.linear.app/sse":                          "linear",
		"http://localhost:3000/mcp":                           "localhost",
		"naïve-сервер\x1b[2J":                                 "сервер",
		strings.Repeat("é", 40):                               strings.Repeat("é", 32),
	} {
		s, err := (&chatParts{board: new(servers.Board), cfg: new(config.Config)}).readServer(line, "")
		if err != nil || s.Name != want {
			t.Errorf("%s: the name is %q, want %q, error %v", line, s.Name, want, err)
		}
	}
}

func TestReadServer(t *testing.T) {
	c := &chatParts{board: new(servers.Board), cfg: new(config.Config)}
	c.board.Set(mcpclient.ServerStatus{Name: "git"})
	c.cfg.Approval.Allow = []string{"*", "notes.read #1234", "old.*"}
	for _, test := range []struct{ line, name, wantName, wantErr string }{
		{"uvx mcp-server-git", "", "git", ""},
		{"MODE=fast NEXT= uvx 'mcp-server-x y'", "mine", "mine", ""},
		{"https://example.com/mcp 'X-Key: ${KEY}' X-Team:docs", "", "example", ""},
		{"uvx mcp-server-git", "git", "", `a server "git" already exists`},
		{"uvx x", "notes", "notes", ""},
		{"uvx x", "old", "", `calls of "old.*" run without asking`},
		{"uvx x", "no name", "", "must be letters, digits"},
		{"  ", "", "", "write a command or an address"},
		{"A=b", "", "", "write a command or an address"},
		{"uvx 'x", "", "", "a quotation mark is not closed"},
		{"A=b https://example.com/mcp", "", "", `"env" is only for`},
		{"https://example.com/mcp x", "", "", "a header needs a name and a value"},
		{"TOKEN=ghp_abcdefABCDEF0123456789 uvx x", "", "", `"env" seems to contain a secret`},
		{"uvx x --token ghp_abcdefABCDEF0123456789", "", "", `"args" seems to contain a secret`},
		{"https://example.com/mcp 'Authorization: Bearer abcdef'", "", "", "write ${NAME} in its place"},
	} {
		s, err := c.readServer(test.line, test.name)
		switch {
		case err != nil && (test.wantErr == "" || !strings.Contains(err.Error(), test.wantErr)):
			t.Errorf("%s: the error is %v, want %q", test.line, err, test.wantErr)
		case err == nil && (test.wantErr != "" || s.Name != test.wantName):
			t.Errorf("%s: the name is %q, want %q and %q", test.line, s.Name, test.wantName, test.wantErr)
		case err != nil && strings.Contains(err.Error(), "abcdef"):
			t.Errorf("the error repeats the secret: %v", err)
		}
	}
}

func FuzzServerLine(f *testing.F) {
	f.Add(`A='b c' npx -y "@scope/server" \ x`)
	f.Add("https://example.com 'X: y'")
	f.Fuzz(func(t *testing.T, line string) {
		c := &chatParts{board: new(servers.Board), cfg: new(config.Config)}
		s, err := c.readServer(line, "")
		n := utf8.RuneCountInString(s.Name)
		if err == nil && (n == 0 || n > config.LongestName || sanitize.Line(s.Name) != s.Name) {
			t.Fatalf("%q is named %q", line, s.Name)
		}
	})
}
