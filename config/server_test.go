package config_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/config"
)

func TestServersStandInTheOrderOfTheFile(t *testing.T) {
	c := load(t, `
[mcp_servers.zebra]
command = "zebra"
[mcp_servers]
files.builtin_write = true
apple = { url = "https://apple.example/mcp" }
[mcp_servers.monkey]
command = "monkey"
`)
	if got, want := names(c), []string{"clock", "fetch", "zebra", "files", "apple", "monkey"}; !slices.Equal(got, want) {
		t.Errorf("the order is %v, want %v", got, want)
	}
}

func TestAServerInEveryDetail(t *testing.T) {
	env := environment(t, "TOKEN=s3cr3t-token", "PLACE=/srv")
	home, _ := env("HOME")
	c, err := config.Load(config.LoadOptions{Env: env, Path: write(t, `
[limits]
tool_time = "45s"
[mcp_servers.notes]
command = "${PLACE}/notes"
args = ["--dir", "${PLACE}/x", "${MODE:-fast}", "$${literal}", "$plain"]
env = { TOKEN = "${TOKEN}", DEBUG = "1" }
env_vars = ["LANG"]
cwd = "${PLACE}"
transport = "stdio"
protocol = "2025-11-25"
startup_timeout_sec = 5
tool_timeout_sec = 2.5
enabled = true
required = true
trusted = true
enabled_tools = ["a", "b"]
disabled_tools = ["b"]
sampling = "allow"
roots = false
[mcp_servers.minimal]
command = "~/bin/minimal"
`)})
	if err != nil {
		t.Fatal(err)
	}
	s := server(t, c, "notes")
	if s.Command != "/srv/notes" || s.Cwd != "/srv" || s.Transport != "stdio" || s.Protocol != "2025-11-25" || s.Builtin != "" {
		t.Errorf("%+v", s)
	}
	if want := []string{"--dir", "/srv/x", "fast", "${literal}", "$plain"}; !slices.Equal(s.Args, want) {
		t.Errorf("args are %q", s.Args)
	}
	if !maps.Equal(s.Env, map[string]string{"TOKEN": "s3cr3t-token", "DEBUG": "1"}) || !slices.Equal(s.EnvVars, []string{"LANG"}) {
		t.Errorf("env is %q, %q", s.Env, s.EnvVars)
	}
	if s.StartupTimeout != 5*time.Second || s.ToolTimeout != 2500*time.Millisecond || !s.Enabled || !s.Required || !s.Trusted {
		t.Errorf("%+v", s)
	}
	if s.Sampling != "allow" || s.Roots || !slices.Equal(s.EnabledTools, []string{"a", "b"}) || !slices.Equal(s.DisabledTools, []string{"b"}) {
		t.Errorf("%+v", s)
	}
	if !slices.Equal(s.Secrets, []string{"s3cr3t-token"}) || !slices.Equal(c.Secrets(), s.Secrets) {
		t.Errorf("secrets are %q", s.Secrets)
	}
	s = server(t, c, "minimal")
	if s.Command != filepath.Join(home, "bin/minimal") || s.Transport != "stdio" || s.Protocol != "auto" || !s.Enabled || s.Required || s.Trusted || s.Sampling != "ask" || !s.Roots ||
		s.StartupTimeout != 20*time.Second || s.ToolTimeout != 45*time.Second {
		t.Errorf("%+v", s)
	}
}

// The file server of the specification's authors takes the folders that it is told of instead of those it was given.
func TestAServerThatWasGivenFoldersIsNotToldOfOthers(t *testing.T) {
	dir := filepath.ToSlash(t.TempDir())
	c := load(t, `
[mcp_servers.given]
command = "x"
args = ["-y", "some-server", "`+dir+`"]
[mcp_servers.place]
command = "uv"
args = ["--directory", "`+dir+`", "run", "server"]
[mcp_servers.both]
command = "x"
args = ["`+dir+`"]
roots = true
[mcp_servers.none]
command = "x"
args = ["`+dir+`/missing"]
`)
	for name, want := range map[string]bool{"given": false, "place": true, "both": true, "none": true} {
		if s := server(t, c, name); s.Roots != want {
			t.Errorf("%s is told of folders: %v, want %v", name, s.Roots, want)
		}
	}
}

func TestHeadersAreResolvedAndSecret(t *testing.T) {
	c := load(t, `
[mcp_servers.docs]
url = "https://me:hunter22@example.com/mcp?key=${KEY}"
http_headers = { X-Team = "the-team", X-Key = "${KEY}" }
env_http_headers = { X-Other = "OTHER" }
bearer_token_env_var = "TOKEN"
[mcp_servers.old]
url = "http://localhost:3000/sse"
http_headers = { A = "the-letter" }
transport = "sse"
ca_file = "~/own.pem"
`, "KEY=key-12345", "OTHER=other-12345", "TOKEN=token-12345")
	s := server(t, c, "docs")
	want := map[string]string{"X-Team": "the-team", "X-Key": "key-12345", "X-Other": "other-12345", "Authorization": "Bearer token-12345"}
	if !maps.Equal(s.Headers, want) || s.Transport != "http" || s.URL != "https://me:hunter22@example.com/mcp?key=key-12345" {
		t.Errorf("%+v", s)
	}
	secrets := []string{"Bearer token-12345", "other-12345", "token-12345", "key-12345", "hunter22", "the-team"}
	if !slices.Equal(s.Secrets, secrets) {
		t.Errorf("secrets are %q, want %q", s.Secrets, secrets)
	}
	if old := server(t, c, "old"); old.Transport != "sse" || old.Headers["A"] != "the-letter" || !filepath.IsAbs(old.CAFile) || filepath.Base(old.CAFile) != "own.pem" {
		t.Errorf("%+v", old)
	}
	shown := config.Show(c)
	for _, secret := range secrets {
		if strings.Contains(shown, secret) {
			t.Errorf("%q is shown", secret)
		}
	}
}

// Servers repeat what they were given: every secret part of it is known, wherever it stands. secret has the rules.
func TestSecretsAreKnownAndNeverShown(t *testing.T) {
	c := load(t, `
host = "http://me:horse%20staple@box"
[mcp_servers.remote]
url = "https://me:p%40ssword@example.com/mcp/s/0123456789abcdef0123/?view=short"
[providers.gpu]
base_url = "https://hf_12345@example.com/v1"
[mcp_servers.local]
command = "env API_TOKEN=cmd12345 npx"
args = ["--auth-token=tk-12345", "-e", "LEVEL=debugging", "${HOME}/notes"]
env_vars = ["GITHUB_PAT", "LANG"]
env = { NODE_ENV = "production", DB_PASSWORD = "swordfish", CONFIG = '{"api_key":"json12345"}' }
`, "GITHUB_PAT=pat-12345", "LANG=en_US.UTF-8")
	want := []string{
		`{"api_key":"json12345"}`, "0123456789abcdef0123", "horse%20staple", "horse staple", "p%40ssword", "pat-12345", "p@ssword", "swordfish",
		"cmd12345", "json12345", "tk-12345", "hf_12345",
	}
	got := c.Secrets()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("secrets are %q, want %q", got, want)
	}
	shown := config.Show(c)
	for _, secret := range want {
		if strings.Contains(shown, secret) {
			t.Errorf("%q is shown", secret)
		}
	}
	if got := c.Mask("at " + c.Host); got != "at http://me:•••@box" {
		t.Errorf("masked: %q", got)
	}
}

func TestBuiltInServersAreConfiguredOrReplaced(t *testing.T) {
	c := load(t, `
[mcp_servers.files]
builtin_write = true
cwd = "~"
[mcp_servers.fetch]
enabled = false
allow_private = true
[mcp_servers.clock]
command = "my-clock"
[mcp_servers.work]
builtin = "files"
cwd = "/srv/files"
trusted = false
`)
	if s := server(t, c, "files"); s.Builtin != "files" || !s.BuiltinWrite || s.Cwd == "" || s.Cwd == "~" || !s.Trusted {
		t.Errorf("%+v", s)
	}
	if s := server(t, c, "fetch"); s.Enabled || !s.AllowPrivate || s.Builtin != "fetch" {
		t.Errorf("%+v", s)
	}
	if s := server(t, c, "clock"); s.Builtin != "" || s.Command != "my-clock" || s.Trusted {
		t.Errorf("%+v", s)
	}
	if s := server(t, c, "work"); s.Builtin != "files" || s.Cwd != "/srv/files" || s.Trusted || s.BuiltinWrite {
		t.Errorf("%+v", s)
	}
	if len(c.Servers) != 4 {
		t.Errorf("servers are %v", names(c))
	}
}

func TestAServerThatIsOffNeedsNoVariables(t *testing.T) {
	c := load(t, "[mcp_servers.x]\nenabled = false\nurl = '${NOWHERE}'\nbearer_token_env_var = 'NOTHING'\n")
	if s := server(t, c, "x"); s.Enabled || s.URL != "${NOWHERE}" {
		t.Errorf("%+v", s)
	}
}

func TestMistakesInServersSayWhere(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"[mcp_servers.x]\ncomand = 'a'\nurl = 'http://x'", `2:1: unknown key "comand" in [mcp_servers.x]; did you mean "command"?`},
		{"[mcp_servers]\nx = { command = 'a', agrs = [] }", `2:22: unknown key "agrs" in [mcp_servers.x]; did you mean "args"?`},
		{"[mcp_servers.x]\ncommand = 'a'\n[mcp_servers.x.env]\nA = 1", `4:1: "A" in "env" must be a string, not a whole number`},
		{"[mcp_servers.x]\ncommand = 'a ${'", `2:1: "command" has ${ without }; write $${ for the characters themselves`},
		{"[mcp_servers.x]\ncommand = '${a b}'", `2:1: "command" has ${a b}, which names no variable; write $${ for the characters themselves`},
		{"[mcp_servers.x]\ncommand = ' '", `2:1: "command" is empty; write the program to start, like "npx"`},
		{"[mcp_servers.x]\ncommand = 'a'\nurl = 'http://x'", `3:1: "url" is for servers with a url; this one has a command`},
		{"[mcp_servers.x]\nurl = 'http://x'\ncwd = 'x'", `3:1: "cwd" is for servers with a command or the built-in server "files"; this one has a url`},
		{"[mcp_servers.x]\nurl = 'x'", `2:1: "url" is no address; write one like "https://example.com/mcp"`},
		{"[mcp_servers.x]\nurl = 'http://x'\ntransport = 'ssee'", `3:1: "transport" is "ssee"; did you mean "sse"?`},
		{"[mcp_servers.x]\nurl = 'http://x'\nprotocol = '1'", `3:1: "protocol" is "1"; it must be "auto" or an MCP revision like "2025-11-25"`},
		{"[mcp_servers.x]\nenabled = true", `1:14: the server "x" has no "command", "url" or "builtin"; write one of them`},
		{"[mcp_servers.clock]\nargs = ['a']", `2:1: "args" is for servers with a command; this one is built in as "clock"`},
		{"[mcp_servers.x]\nbuiltin = 'file'", `2:1: "builtin" is "file"; did you mean "files"?`},
		{"[mcp_servers.clock]\nbuiltin_write = true", `2:1: "builtin_write" is for the built-in server "files"; this one is built in as "clock"`},
		{"[mcp_servers.'a.b']\ncommand = 'x'", `1:14: the server's name "a.b" must be letters, digits, - and _, at most 32`},
		{"mcp_servers.x = 3", `1:13: "x" must be a table, not a whole number`},
		{"[mcp_servers.x]\ncommand = 'a'\nstartup_timeout_sec = 0", `3:1: "startup_timeout_sec" is 0s; it must be 100ms to 1h`},
	} {
		got := mistakes(t, test.text)
		if len(got) != 1 || got[0] != test.want {
			t.Errorf("%q\n got %q\nwant %q", test.text, got, test.want)
		}
	}
}

// A variable that is not set is no mistake in the file: the server that needs it waits for it, and everything else works.
func TestAServerWaitsForItsVariables(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"[mcp_servers.x]\ncommand = 'a'\nargs = [\n  'a',\n  '${A}',\n]", `5:3: "args" needs the environment variable A, which is not set; set it, or write ${A:-default}`},
		{"[mcp_servers.x]\ncommand = 'a'\nenv = { A = 'a', B = '${B}' }", `3:18: "env" needs the environment variable B, which is not set; set it, or write ${B:-default}`},
		{"[mcp_servers.x]\ncommand = '${A}/${C:-c}/${B}'", `2:1: "command" needs the environment variables A, B, which are not set; set them, or write ${NAME:-default}`},
		{"[mcp_servers.x]\nurl = 'http://x'\nbearer_token_env_var = 'A'", `3:1: "bearer_token_env_var" names the environment variable "A", which is not set`},
	} {
		waiting := server(t, load(t, test.text), "x")
		if waiting.Unset == nil || !strings.HasSuffix(waiting.Unset.Error(), "config.toml:"+test.want) {
			t.Errorf("%q\n got %v\nwant %q", test.text, waiting.Unset, test.want)
		}
		if ready := server(t, load(t, test.text, "A=a", "B=b"), "x"); ready.Unset != nil {
			t.Errorf("%q still waits: %v", test.text, ready.Unset)
		}
	}
}
