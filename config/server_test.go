package config_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/config"
)

func TestRootsDefault(t *testing.T) {
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
			t.Errorf("%s gets folders: %v, want %v", name, s.Roots, want)
		}
	}
}

func TestHeaders(t *testing.T) {
	s := server(t, load(t, `
[mcp_servers.docs]
url = "https://me:hunter22@example.com/mcp?key=${KEY}"
http_headers = { X-Team = "the-team", X-Key = "${KEY}" }
env_http_headers = { X-Other = "OTHER" }
bearer_token_env_var = "TOKEN"
`, "KEY=key-12345", "OTHER=other-12345", "TOKEN=token-12345"), "docs")
	want := map[string]string{
		"X-Team": "the-team", "X-Key": "key-12345", "X-Other": "other-12345", "Authorization": "Bearer token-12345",
	}
	if !maps.Equal(s.Headers, want) || s.URL != "https://me:hunter22@example.com/mcp?key=key-12345" {
		t.Errorf("%+v", s)
	}
}

// Servers may repeat their configuration, so every secret part of it must be masked.
func TestSecrets(t *testing.T) {
	c := load(t, `
host = "http://me:horse%20staple@box"
[mcp_servers.remote]
url = "https://me:p%40ssword@example.com/mcp/s/0123456789abcdef0123/?view=short"
[providers.gpu]
base_url = "https://hf_12345@example.com/v1"
[mcp_servers.local]
command = "./env API_TOKEN=cmd12345 npx"
args = ["--auth-token=tk-12345", "-e", "LEVEL=debugging", "${HOME}/notes"]
env_vars = ["GITHUB_PAT", "LANG"]
env = { NODE_ENV = "production", DB_PASSWORD = "swordfish", CONFIG = '{"api_key":"json12345"}' }
`, "GITHUB_PAT=pat-12345", "LANG=en_US.UTF-8")
	want := []string{
		`{"api_key":"json12345"}`, "0123456789abcdef0123", "horse%20staple", "horse staple", "p%40ssword", "pat-12345",
		"p@ssword", "swordfish", "cmd12345", "json12345", "tk-12345", "hf_12345",
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

func TestVariablesNotShown(t *testing.T) {
	c := load(t, "host = 'https://box.example/${TOKEN}/'\nprovider = 'ollama'\n", "TOKEN=not/for/all/eyes")
	if shown := config.Show(c) + c.Mask(c.Host); strings.Contains(shown, "eyes") {
		t.Errorf("the path of the host is shown:\n%s", shown)
	}
	text := "[mcp_servers.x]\ncommand = 'x'\nprotocol = '${TOKEN}'\ntransport = '${TOKEN}'\n"
	got := strings.Join(mistakes(t, text, "TOKEN=not/for/all/eyes"), "\n")
	if strings.Contains(got, "eyes") || !strings.Contains(got, `"protocol" is "${TOKEN}"`) {
		t.Errorf("mistakes are\n%s", got)
	}
}

// A command with arguments may be a program that is not installed, so it affects only its own server.
func TestCommandWithArguments(t *testing.T) {
	const want = `config.toml:2:1: "command" must be the program alone. Put its arguments into args: command = "npx"`
	for _, command := range []string{"npx -y x", "my server"} {
		err := server(t, load(t, "[mcp_servers.x]\ncommand = '"+command+"'\nenabled = false"), "x").Broken
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q\n got %v\nwant %q", command, err, want)
		}
	}
	if err := server(t, load(t, "[mcp_servers.x]\ncommand = 'no-such-program'"), "x").Broken; err != nil {
		t.Error(err)
	}
}

// An unset variable affects only the server that uses it.
func TestUnsetVariables(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"[mcp_servers.x]\ncommand = 'a'\nargs = [\n  'a',\n  '${A}',\n]", `5:3: "args" uses environment variables that`},
		{"[mcp_servers.x]\ncommand = 'a'\nenv = { A = 'a', B = '${B}' }", `3:18: "env" uses environment variables that`},
		{"[mcp_servers.x]\ncommand = '${A}/${C:-c}/${B}'", `2:1: "command" uses environment variables that are not set:`},
		{"[mcp_servers.x]\nurl = 'http://x'\nbearer_token_env_var = 'A'", `3:1: "bearer_token_env_var" names the`},
		{"[mcp_servers.x]\ncommand = 'a'\nenv_vars = ['B', 'A']", `3:13: "env_vars" names the environment variable "B"`},
	} {
		unset := server(t, load(t, test.text), "x").Broken
		if unset == nil || !strings.Contains(unset.Error(), "config.toml:"+test.want) {
			t.Errorf("%q\n got %v\nwant %q", test.text, unset, test.want)
		}
		if ready := server(t, load(t, test.text, "A=a", "B=b"), "x"); ready.Broken != nil {
			t.Errorf("%q: %v", test.text, ready.Broken)
		}
	}
}

func TestHomeInServers(t *testing.T) {
	home := t.TempDir()
	x := server(t, load(t, `
[mcp_servers.x]
command = "~/bin/x"
args = ["~/docs", "~", "~ada", "a~/b", "--dir=~/x"]
env = { DIR = "~/docs" }
cwd = "~"
`, "HOME="+home, "USERPROFILE="+home), "x")
	docs := filepath.Join(home, "docs")
	want := []string{filepath.Join(home, "bin", "x"), docs, home, "~ada", "a~/b", "--dir=~/x", docs, home}
	if got := append(append([]string{x.Command}, x.Args...), x.Env["DIR"], x.Cwd); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A program whose path has a space is not a program with arguments, nor is a script of several lines an escaped path.
func TestValuesThatLookWrong(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my tools")
	for _, text := range []string{
		"command = '" + dir + "/x'", `command = 'C:\Program Files\nodejs\npx.cmd'`, `command = '/no/such folder/x'`,
		"command = 'sh'\nargs = ['-c', \"if:\\necho C: \\t\"]",
		"command = 'a'\nenv = { YAML = \"a:\\n  b: 1\", LIST = \"x=1,y:\\r\\n  - 2\" }",
		"command = 'a'\nargs = ['-c', \"\"\"x:\n  echo x\"\"\"]",
	} {
		if err := server(t, load(t, "[mcp_servers.x]\n"+text), "x").Broken; err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestCredentialNamesVariables(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"http_headers = { X-Team = 'red' }": "",
		"http_headers = { authorization = 'Bearer red' }":                        "http_headers",
		"bearer_token_env_var = 'A'":                                             `the environment variable "A"`,
		"env_http_headers = { X-Key = 'A' }":                                     `the environment variable "A"`,
		"http_headers = { Authorization = 'Bearer ${A}' }":                       `the environment variable "A"`,
		"http_headers = { X = '${B}' }\nenv_http_headers = { Y = 'A', Z = 'B' }": `the environment variables "A", "B"`,
	} {
		s := server(t, load(t, "[mcp_servers.x]\nurl = 'http://x'\n"+text, "A=token-12345", "B=token-23456"), "x")
		if got := s.Credential(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
