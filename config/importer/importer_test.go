package importer_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/config/importer"
)

func nothing(string) (string, bool) { return "", false }

func save(t testing.TB, path, text string) string {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// plan returns the plan for an empty configuration, and its output.
func plan(t testing.TB, place importer.Environment, sources []importer.Source) (*importer.Plan, string) {
	t.Helper()
	cfg, err := config.Load(config.LoadOptions{Path: save(t, filepath.Join(t.TempDir(), "config.toml"), ""), Env: nothing})
	must(t, err)
	cfg.Path = "config.toml"
	p := importer.NewPlan(cfg, place, sources)
	var out bytes.Buffer
	p.Show(&out)
	return p, out.String()
}

func find(t *testing.T, place importer.Environment, names ...string) []importer.Source {
	t.Helper()
	sources, err := place.Sources(names...)
	if err != nil {
		t.Error(err)
	}
	return sources
}

// read returns the plan for a named file.
func read(t testing.TB, name, text string) (*importer.Plan, string, error) {
	t.Helper()
	place := importer.Environment{GOOS: "linux", Home: "/home/ada", Env: nothing}
	sources, err := place.Sources(save(t, filepath.Join(t.TempDir(), filepath.FromSlash(name)), text))
	p, out := plan(t, place, sources)
	return p, out, err
}

var update = flag.Bool("update", false, "write testdata/plan.txt")

// TestEveryProgram imports the files of all programs and compares the plan with testdata/plan.txt.
func TestEveryProgram(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "files.txtar"))
	must(t, err)
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	for _, file := range archive.Files {
		text := strings.ReplaceAll(string(file.Data), "@WORK@", filepath.ToSlash(work))
		save(t, filepath.Join(dir, filepath.FromSlash(file.Name)), text)
	}
	place := importer.Environment{GOOS: "linux", Home: filepath.Join(dir, "home"), Dir: work, Env: nothing}
	p, got := plan(t, place, find(t, place))
	got = strings.NewReplacer(strings.ReplaceAll(dir, `\`, `\\`), "@", `\\`, "/", `\`, "/").Replace(got)
	golden := filepath.Join("testdata", "plan.txt")
	if *update {
		save(t, golden, got)
	}
	if want, err := os.ReadFile(golden); err != nil || got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%v, got\n%s", err, got)
	}
	for _, secret := range []string{"BSAabcdef", "pass-word", "hf_abcdef"} {
		if strings.Contains(got, secret) {
			t.Errorf("%s… is shown", secret)
		}
	}
	path := save(t, filepath.Join(dir, "config.toml"), "")
	for _, s := range p.Servers {
		if err := config.AddServers(path, nothing, s); err != nil || s.Trusted {
			t.Errorf("%s: %v, trusted %v", s.Name, err, s.Trusted)
		}
	}
	if sources := find(t, place, "cursor", "codex"); len(sources) != 2 {
		t.Errorf("%d files of two programs were read", len(sources))
	}
}

func TestFilesOnEverySystem(t *testing.T) {
	const text = `{"mcpServers": {"a": {"command": "a"}}}`
	for _, test := range []struct{ goos, file, key string }{
		{"linux", "home/.config/Claude/claude_desktop_config.json", "claude-desktop"},
		{"darwin", "home/Library/Application Support/Claude/claude_desktop_config.json", "claude-desktop"},
		{"windows", "Roaming/Claude/claude_desktop_config.json", "claude-desktop"},
		{"windows", "Local/crush/crush.json", "crush"},
		{"darwin", "xdg/crush/crush.json", "crush"},
		{"darwin", "home/.cursor/mcp.json", "cursor"},
		{"windows", "home/.lmstudio/mcp.json", "lmstudio"},
	} {
		dir := t.TempDir()
		home := filepath.Join(dir, "home")
		place := importer.Environment{GOOS: test.goos, Home: home, Env: func(name string) (string, bool) {
			folder, ok := map[string]string{"APPDATA": "Roaming", "LOCALAPPDATA": "Local", "XDG_CONFIG_HOME": "xdg"}[name]
			if name == "XDG_CONFIG_HOME" && test.goos == "linux" {
				return "", false
			}
			return filepath.Join(dir, folder), ok
		}}
		key := map[bool]string{true: "mcp", false: "mcpServers"}[test.key == "crush"]
		save(t, filepath.Join(dir, filepath.FromSlash(test.file)), strings.Replace(text, "mcpServers", key, 1))
		if sources := find(t, place, test.key); len(sources) != 1 {
			t.Errorf("%+v: %d files", test, len(sources))
		}
	}
	if sources := find(t, importer.Environment{GOOS: "linux", Env: nothing}); sources != nil {
		t.Errorf("without a home folder, found %v", sources)
	}
}

func TestNamedFiles(t *testing.T) {
	const inGemini = `{"mcpServers": {"a": {"command": "a", "env": {"TOKEN": "$GITHUB_TOKEN"}}}}`
	_, out, err := read(t, ".gemini/settings.json", inGemini)
	if err != nil || !strings.Contains(out, `"${GITHUB_TOKEN}"`) {
		t.Errorf("%v\n%s", err, out)
	}
	for name, text := range map[string]string{
		"mcp.json":                   `{"mcpServers": {"a": {"command": "a"}}}`,
		".vscode/mcp.json":           "{\"servers\": {\"a\": {\"command\": \"a\",}}} // with comments\n",
		"my.toml":                    "[mcp_servers.a]\ncommand = 'a'\n",
		"my-crush.json":              `{"mcp": {"a": {"type": "stdio", "command": "a"}}}`,
		"claude_desktop_config.json": "\ufeff" + `{"mcpServers": {"a": {"command": ["a"]}}}`,
	} {
		if p, out, err := read(t, name, text); err != nil || len(p.Servers) != 1 || p.Servers[0].Command != "a" {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// Errors about hostile and broken files come soon, and must not quote the files: they may contain secrets.
func TestInvalidFiles(t *testing.T) {
	many := `{"mcpServers": {`
	for i := range 201 {
		many += fmt.Sprintf(`"s%d": {"command": "a"},`, i)
	}
	for _, test := range []struct{ name, text, want string }{
		{"broken.json", `{"mcpServers": {"a": {"token": sk-secret}}}`, "invalid JSON at line 1, column 3"},
		{"broken.toml", "a = 1\nb = sk-secret", "invalid TOML at line 2, column"},
		{"deep.json", strings.Repeat(`{"a":[`, 1_000_000), "invalid JSON"},
		{"deep.json", strings.Repeat(`{"a":[`, 18_000), "invalid JSON"},
		{"deep.toml", "a = " + strings.Repeat("[", 120_000), "invalid TOML"},
		{"large.json", strings.Repeat(" ", 17<<20), "too large"},
		{"large.toml", strings.Repeat(" ", 2<<20), "too large"},
		{"list.json", `["sk-secret"]`, "invalid JSON"},
		{"empty.json", "\n", "no MCP servers"},
		{"many.json", many + `"t": {"command": "a"}}}`, "more than 200 servers"},
	} {
		_, out, err := read(t, test.name, test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error()+out, "secret") {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestInvalidServers(t *testing.T) {
	for entry, want := range map[string]string{
		`3`:                                   "not a table",
		`{"command": []}`:                     `needs a "command"`,
		`{"command": "a", "url": "http://x"}`: "is only for servers with a url",
		`{"url": "ftp://x"}`:                  `"url" is not an address`,
		`{"command": "` + strings.Repeat("a", 2<<20) + `"}`: "larger than 1 MiB",
	} {
		p, out, err := read(t, "mcp.json", `{"mcpServers": {"a": `+entry+`}}`)
		if err != nil || len(p.Servers) > 0 || !strings.Contains(out, "a: left out: ") || !strings.Contains(out, want) {
			t.Errorf("%s: %v, want %q in\n%s", entry, err, want, out)
		}
	}
}

// Two secrets never get the same variable, and a variable that is set to another value is not used.
func TestVariablePerSecret(t *testing.T) {
	place := importer.Environment{GOOS: "linux", Env: func(name string) (string, bool) {
		return map[string]string{"API_KEY": "another"}[name], name == "API_KEY"
	}}
	sources, err := place.Sources(save(t, filepath.Join(t.TempDir(), "mcp.json"), `{"mcpServers": {
		"a": {"command": "a", "env": {"API_KEY": "letmein-1", "X_TOKEN": "letmein-2"}},
		"b": {"command": "b", "env": {"X_TOKEN": "letmein-3"}},
		"c": {"command": "c", "env": {"X_TOKEN": "letmein-2"}}}}`))
	must(t, err)
	p, _ := plan(t, place, sources)
	for i, want := range []string{"${A_API_KEY} ${X_TOKEN}", " ${B_X_TOKEN}", " ${X_TOKEN}"} {
		if got := p.Servers[i].Env["API_KEY"] + " " + p.Servers[i].Env["X_TOKEN"]; got != want {
			t.Errorf("%s has %q, want %q", p.Servers[i].Name, got, want)
		}
	}
}

// FuzzImport checks that every planned server loads.
func FuzzImport(f *testing.F) {
	f.Add("--token", "ghp_abcdefABCDEF0123456789", "postgres://me:letmein@h/x")
	f.Add("--header", "Authorization: Bearer abcdefg", "${input:a}${b:-c}$d${")
	f.Add("API_KEY=letmein", "https://h.example?token=letmein#x", `{"apiKey":"plainword"}`)
	f.Add("-----BEGIN PRIVATE KEY-----MIIEvQ-----END PRIVATE KEY-----", "x", "$${A}")
	f.Fuzz(func(t *testing.T, first, second, value string) {
		quote := func(s string) string { return fmt.Sprintf("%q", strings.ToValidUTF8(s, "")) }
		text := fmt.Sprintf(`{"mcp": {"a": {"command": "a", "args": [%s, %s], "env": {"A": %[3]s, "API_KEY": %[3]s}},
			"b": {"url": "https://h.example", "headers": {"X": %[3]s}}}}`, quote(first), quote(second), quote(value))
		p, _, err := read(t, "crush.json", text)
		if err != nil {
			return // Go escapes some characters in ways that JSON does not allow
		}
		for _, s := range p.Servers {
			if _, err := s.Loaded(nothing); err != nil {
				t.Errorf("%s became %s: %v", text, s.Table(), err)
			}
		}
	})
}

func TestTokenInsteadOfVariable(t *testing.T) {
	const token = "aB3dE5gH7jK9mN1pQ3sT5"
	p, out, err := read(t, "mcp.json", fmt.Sprintf(`{"mcpServers":{
		"a":{"url":"https://a.example","bearer_token_env_var":%[1]q,"env_http_headers":{"X-Key":%[1]q}},
		"b":{"command":"b","env_vars":[%[1]q]}}}`, token))
	if err != nil || len(p.Servers) != 2 {
		t.Fatal(err, out)
	}
	if strings.Contains(out, token) || !strings.Contains(out, "a: bearer_token_env_var is not the name of a variable") {
		t.Error(out)
	}
}

// names returns the names and commands of the planned servers.
func names(p *importer.Plan) (all []string) {
	for _, s := range p.Servers {
		all = append(all, s.Name+"="+s.Command)
	}
	return all
}

// Servers whose names are equal once they are valid are all imported, and a second import finds each of them.
func TestEqualNamesGetSuffix(t *testing.T) {
	const long = "awslabs.aws-documentation-mcp-server"
	for _, test := range []struct{ servers, want, note string }{
		{`"github.com/acme/mcp-server": {"command": "a"}, "github.com/other/mcp-server": {"command": "b"}`,
			"mcp-server=a mcp-server-2=b",
			`github.com/other/mcp-server: added as "mcp-server-2", because "mcp-server" is taken`},
		{`"` + long + `": {"command": "a"}, "` + long + `-cn": {"command": "b"}`,
			"awslabs-aws-documentation-mcp-se=a awslabs-aws-documentation-mcp-2=b",
			long + `: added as "awslabs-aws-documentation-mcp-se"`},
		{`"заметки": {"command": "a"}, "записки": {"command": "b"}, "天气 预报": {"command": "c"}`,
			"заметки=a записки=b 天气-预报=c", `天气 预报: added as "天气-预报"`},
		{`"!": {"command": "a"}, "?": {"command": "b"}`, "server=a server-2=b", `!: added as "server"`},
		{`"fetch": {"command": "a"}`, "fetch-2=a", `fetch: added as "fetch-2", because "fetch" is taken`},
	} {
		place := importer.Environment{GOOS: "linux", Env: nothing}
		sources, err := place.Sources(save(t, filepath.Join(t.TempDir(), "mcp.json"), `{"mcpServers": {`+test.servers+`}}`))
		must(t, err)
		p, out := plan(t, place, sources)
		if got := strings.Join(names(p), " "); got != test.want || !strings.Contains(out, test.note) {
			t.Errorf("%s: %s, want %s\n%s", test.servers, got, test.want, out)
		}
		path := save(t, filepath.Join(t.TempDir(), "config.toml"), "")
		if err := config.AddServers(path, nothing, p.Servers...); err != nil {
			t.Error(err)
			continue
		}
		cfg, err := config.Load(config.LoadOptions{Path: path, Env: nothing})
		must(t, err)
		if again := importer.NewPlan(cfg, place, sources); len(again.Servers) > 0 {
			t.Errorf("%s: a second import adds %v", test.servers, names(again))
		}
	}
}

// A server of the same name in two files is added once, and is not called configured.
func TestSameNameInTwoFiles(t *testing.T) {
	place := importer.Environment{GOOS: "linux", Env: nothing}
	dir := t.TempDir()
	sources, err := place.Sources(
		save(t, filepath.Join(dir, "a.json"), `{"mcpServers": {"x": {"command": "a"}}}`),
		save(t, filepath.Join(dir, "b.json"), `{"mcpServers": {"x": {"command": "b"}}}`))
	must(t, err)
	p, out := plan(t, place, sources)
	if len(p.Servers) != 1 || !strings.Contains(out, "b.json: 1 server, also in a file above: x\n") {
		t.Errorf("%v\n%s", names(p), out)
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
