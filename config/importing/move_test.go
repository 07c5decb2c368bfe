package importing_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/config/importing"
	"github.com/aloudchat/aloud/mcpclient/others"
)

// TestSecretsAreMovedOutOfArguments tells what becomes of a command line: | parts arguments, and what comes after > has moved.
func TestSecretsAreMovedOutOfArguments(t *testing.T) {
	const token = "ghp_abcdefABCDEF0123456789"
	for _, test := range []struct{ before, after string }{
		{"-y|@scope/server@1.2.3|/home/ada/notes", "-y|@scope/server@1.2.3|/home/ada/notes >"},
		{"--token|" + token, "--token|${GH_TOKEN} > GH_TOKEN=" + token},
		{"--token=" + token + "|--verbose", "--token=${GH_TOKEN}|--verbose > GH_TOKEN=" + token},
		{"--api-key|plainword|--x", "--api-key|${GH_API_KEY}|--x > GH_API_KEY=plainword"},
		{"--token|aGVsbG93b3JsZA==", "--token|${GH_TOKEN} > GH_TOKEN=aGVsbG93b3JsZA=="},
		{"--password|x=letmein", "--password|${GH_PASSWORD} > GH_PASSWORD=x=letmein"},
		{"--password|x: letmein", "--password|${GH_PASSWORD} > GH_PASSWORD=x: letmein"},
		{"run|-e|GITHUB_TOKEN=" + token, "run|-e|GITHUB_TOKEN=${GITHUB_TOKEN} > GITHUB_TOKEN=" + token},
		{"-c|API_KEY=abcdef exec npx srv --fast", "-c|API_KEY=${GH_API_KEY} exec npx srv --fast > GH_API_KEY=abcdef"},
		{"-c|LEVEL=debug exec npx srv: it", "-c|LEVEL=debug exec npx srv: it >"},
		{"run|-e|PASSWORD=two words", "run|-e|PASSWORD=${PASSWORD} > PASSWORD=two words"},
		{"run|-e|GITHUB_TOKEN", "run|-e|GITHUB_TOKEN >"},
		{"--header|Authorization: Bearer abcdefg", "--header|Authorization: Bearer ${GH_TOKEN} > GH_TOKEN=abcdefg"},
		{"--header|Authorization:Bearer abcdefg", "--header|Authorization:Bearer ${GH_TOKEN} > GH_TOKEN=abcdefg"},
		{"keycloak:26.0.1|localhost:16379", "keycloak:26.0.1|localhost:16379 >"},
		{"postgres://me:letmein@h/x", "postgres://me:${GH_KEY}@h/x > GH_KEY=letmein"},
		{token + "|" + token, "${GH_TOKEN}|${GH_TOKEN} > GH_TOKEN=" + token},
		{"--a|" + token + "|--b|GHP_" + token, "--a|${GH_A}|--b|GHP_" + token + " > GH_A=" + token},
		{"postgres://me:me@h/x", "postgres://me:${GH_KEY}@h/x > GH_KEY=me"},
		{"https://" + token + "@github.example/x.git", "https://${GH_KEY}@github.example/x.git > GH_KEY=" + token},
		{`{"host":"h","apiKey":"plainword"}`, `{"host":"h","apiKey":"${GH_APIKEY}"} > GH_APIKEY=plainword`},
		{`--json|{"auth": {"password": "letmein"}}`, `--json|{"auth": {"password": "${GH_PASSWORD}"}} > GH_PASSWORD=letmein`},
		{"host=db.example user=me password=letmein", "host=db.example user=me password=${GH_PASSWORD} > GH_PASSWORD=letmein"},
		{"--dsn|Server=db;User=me;Password=letmein;", "--dsn|Server=db;User=me;Password=${GH_PASSWORD}; > GH_PASSWORD=letmein"},
		{"me:letmein@tcp(db.example:3306)/x", "me:${GH_TOKEN}@tcp(db.example:3306)/x > GH_TOKEN=letmein"},
	} {
		args, err := json.Marshal(strings.Split(test.before, "|"))
		if err != nil {
			t.Fatal(err)
		}
		_, shown := planned(t, "", nothing, servers(`"gh": {"command": "x", "args": `+string(args)+`}`))
		got := strings.Join(arguments(t, shown), "|") + " >"
		for line := range strings.Lines(shown) {
			if export, ok := strings.CutPrefix(line, "  export "); ok {
				line, _, _ := strings.Cut(export, "  # ")
				got += " " + strings.ReplaceAll(line, "'", "")
			}
		}
		if got != test.after {
			t.Errorf("%q\n got %q\nwant %q", test.before, got, test.after)
		}
	}
}

// TestSecretsAreMovedOutOfValues tells what becomes of the values of an environment and of headers, and what must not be left of them.
func TestSecretsAreMovedOutOfValues(t *testing.T) {
	const token = "ghp_abcdefABCDEF0123456789"
	for _, test := range []struct{ name, file, want string }{
		{"a cookie", header("Cookie", "session=a1B2c3D4e5F6g7H8i9J0; csrf=SECRET; theme=dark"), `Cookie = "${GH_COOKIE}"`},
		{"a scheme", header("X-Auth", "Token SECRET-1"), `X-Auth = "Token ${GH_X_AUTH}"`},
		{"a scheme before a variable", header("X-Auth", "Token ${T}"), `X-Auth = "Token ${T}"`},
		{"a default of a bearer", header("Authorization", "Bearer ${T:-SECRET-1}"), `bearer_token_env_var = "GH_T"`},
		{"a default", env("GITHUB_TOKEN", "${GITHUB_TOKEN:-"+token+"}"), `GITHUB_TOKEN = "${GH_GITHUB_TOKEN}"`},
		{"a default that is called a secret", env("PASSWORD", "${P:-SECRET}"), `PASSWORD = "${GH_P}"`},
		{"a default where passwords stand", env("DSN", "postgres://me:${P:-SECRET}@db/x"), `DSN = "postgres://me:${GH_P}@db/x"`},
		{"a default that is an address with a password", env("DSN", "${D:-postgres://me:SECRET@db/x}"), `DSN = "${GH_D}"`},
		{"a default of no consequence", env("LEVEL", "${LEVEL:-debugging}"), `LEVEL = "${LEVEL:-debugging}"`},
		{
			"a default of a question",
			`{"servers": {"gh": {"command": "x", "env": {"A": "${input:it}"}}}, "inputs": [{"id": "it", "type": "promptString", "default": "` + token + `"}]}`,
			`A = "${GH_IT}"`,
		},
		{"a password behind a variable", env("DSN", "postgres://${USER}:SECRET@db/x"), `DSN = "postgres://${USER}:${GH_KEY}@db/x"`},
		{"of a library of databases", env("DSN", "${USER}:SECRET@tcp(db)/x"), `DSN = "${USER}:${DSN}@tcp(db)/x"`},
		{"around a variable", env("PASSWORD", "pre-${X}-SECRETSECRET"), `PASSWORD = "pre-${X}${PASSWORD}"`},
		{"in an address", servers(`"gh": {"url": "https://${U}:SECRET@h/mcp"}`), `url = "https://${U}:${GH_KEY}@h/mcp"`},
		{"in a path", servers(`"gh": {"url": "${BASE}/s/a1B2c3D4e5F6g7H8i9J0k1L2/mcp"}`), `url = "${BASE}/s/${GH_KEY}/mcp"`},
		{"a file", env("API_KEY_FILE", "${HOME}/key.json"), `API_KEY_FILE = "${HOME}/key.json"`},
		{"JSON of headers", env("HEADERS", `{\"Authorization\": \"Bearer ${T}\", \"Version\": \"2022-06-28\"}`), `Bearer ${T}`},
		{"in a flag", servers(`"gh": {"command": "x", "args": ["--token=${T:-` + token + `}"]}`), `--token=${GH_T}`},
		{"in a command", servers(`"gh": {"command": "env API_TOKEN=SECRET-1 npx"}`), `command = "env API_TOKEN=${GH_API_TOKEN} npx"`},
		{"a command", servers(`"gh": {"command": "` + token + `"}`), `command = "${GH_KEY}"`},
		{"a folder", servers(`"gh": {"command": "x", "cwd": "` + token + `"}`), `cwd = "${GH_KEY}"`},
		{"a name", servers(`"gh": {"command": "x", "env_vars": ["` + token + `"], "env": {"` + token + `": "1"}}`), "gh: a variable is left out whose name looks like a secret"},
		{"in an argument", servers(`"gh": {"command": "x", "args": ["DB_PASS=${X}-SECRET-1"]}`), `DB_PASS=${X}${DB_PASS}`},
	} {
		_, shown := planned(t, "", nothing, test.file)
		table, _, _ := strings.Cut(shown, "\nSet these variables")
		if !strings.Contains(table, test.want) {
			t.Errorf("%s: %q is not in\n%s", test.name, test.want, shown)
		}
		for _, part := range []string{"SECRET", "a1B2c3", token} {
			if strings.Contains(table, part) {
				t.Errorf("%s: %s stands in the open:\n%s", test.name, part, shown)
			}
		}
	}
}

func env(name, value string) string {
	return servers(`"gh": {"command": "x", "env": {"` + name + `": "` + value + `"}}`)
}

func header(name, value string) string {
	return servers(`"gh": {"url": "https://h/mcp", "headers": {"` + name + `": "` + value + `"}}`)
}

// A variable of one server never is that of another: what somebody sets for the one must not reach the other.
func TestVariablesMeanOneValue(t *testing.T) {
	for _, test := range []struct{ name, configured, env, file, want string }{
		{
			"a name that is set already", "", "TOKEN=other", servers(`"gh": {"command": "x", "env": {"TOKEN": "secret-1"}}`),
			`env = { TOKEN = "${GH_TOKEN}" }`,
		},
		{
			"a name that is set to just that", "", "TOKEN=secret-1", servers(`"gh": {"command": "x", "env": {"TOKEN": "secret-1"}}`),
			`env = { TOKEN = "${TOKEN}" }`,
		},
		{
			"a name that another server needs", "", "", servers(`"a": {"command": "x", "env": {"TOKEN": "secret-1"}}, "b": {"command": "y", "env": {"T": "${TOKEN}"}}`),
			`env = { TOKEN = "${A_TOKEN}" }`,
		},
		{
			"a name that is passed on to another server", "[mcp_servers.b]\ncommand = \"y\"\nenv_vars = [\"TOKEN\"]\n", "",
			servers(`"a": {"command": "x", "env": {"TOKEN": "secret-1"}}`), `env = { TOKEN = "${A_TOKEN}" }`,
		},
		{
			"a name that the configuration needs", "[mcp_servers.b]\nurl = \"https://b.example/${TOKEN}\"\n", "",
			servers(`"a": {"command": "x", "env": {"TOKEN": "secret-1"}}`), `env = { TOKEN = "${A_TOKEN}" }`,
		},
		{
			"a name that is none", "", "", servers(`"a": {"command": "x", "env": {"api-key": "secret-1"}}`), `env = { api-key = "${API_KEY}" }`,
		},
		{
			"a question that nobody answered", "", "TOKEN=other",
			`{"servers": {"a": {"command": "x", "env": {"T": "${input:token}", "U": "${input:token}"}}}, "inputs": [{"id": "token", "type": "promptString"}]}`,
			`env = { T = "${A_TOKEN}", U = "${A_TOKEN}" }`,
		},
		{
			"the same question of two servers", "", "",
			`{"servers": {"a": {"command": "x", "args": ["${input:token}"]}, "b": {"command": "y", "args": ["${input:token}"]}}}`,
			`args = ["${B_TOKEN}"]`,
		},
		{
			"a question whose variable is set", "", "GITHUB_TOKEN=other", `{"servers": {"github": {"command": "x", "args": ["${input:github-token}"]}}}`,
			`args = ["${GITHUB_TOKEN_2}"]`,
		},
		{
			"what is not known here", "", "", servers(`"a": {"command": "x", "args": ["${token:}"]}`), `args = ["${A_TOKEN}"]`,
		},
	} {
		env := func(name string) (string, bool) {
			if value, set := strings.CutPrefix(test.env, name+"="); set {
				return value, true
			}
			return "", false
		}
		_, shown := planned(t, test.configured, env, test.file)
		if !strings.Contains(shown, test.want) {
			t.Errorf("%s: %q is not in\n%s", test.name, test.want, shown)
		}
	}
}

// An argument that names a variable which the server's own environment sets means that: some servers put it in themselves. There is one variable to
// set, and the value of that is told.
func TestArgumentsNameTheServersOwnVariables(t *testing.T) {
	for _, test := range []struct{ name, args, env, want string }{
		{"a header", `["--header", "Authorization:${AUTH_HEADER}"]`, `{"AUTH_HEADER": "Bearer ghp_abcdefABCDEF0123456789"}`, "Authorization:${AUTH_HEADER} AUTH_HEADER='Bearer ghp_abcdefABCDEF0123456789'"},
		{"what is no secret", `["--port", "${PORT}"]`, `{"PORT": 8080}`, "8080"},
		{"a variable that is somebody else's", `["--region=${REGION}"]`, `{"REGION": "${REGION}"}`, "--region=${REGION} REGION=…"},
		{"one of the two", `["${B}-${A}"]`, `{"A": "x"}`, "${B}-x B=…"},
	} {
		_, shown := planned(t, "", nothing, servers(`"remote": {"command": "x", "args": `+test.args+`, "env": `+test.env+`}`))
		args := arguments(t, shown)
		got := args[len(args)-1]
		for line := range strings.Lines(shown) {
			if export, ok := strings.CutPrefix(line, "  export "); ok {
				line, _, _ := strings.Cut(export, "  # ")
				got += " " + line
			}
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s in\n%s", test.name, got, test.want, shown)
		}
	}
}

// What a project's file calls a variable is no name that somebody may set for something else, whatever its server is called.
func TestAProjectDoesNotChooseTheNamesOfVariables(t *testing.T) {
	dir := t.TempDir()
	save(t, filepath.Join(dir, "work", ".mcp.json"), servers(
		`"aws": {"command": "x", "env": {"AWS_SECRET_ACCESS_KEY": "dummy-1"}}`, `"y": {"command": "y", "env": {"GITHUB_TOKEN": "dummy-2"}}`,
	))
	cfg, err := config.Load(config.LoadOptions{Path: save(t, filepath.Join(dir, "config.toml"), ""), Env: nothing})
	if err != nil {
		t.Fatal(err)
	}
	place := others.Place{GOOS: "linux", Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "work"), Env: nothing}
	var shown bytes.Buffer
	importing.Make(others.Find(place), importing.Options{Config: cfg, Place: place}).Show(&shown)
	for _, want := range []string{`"${MCP_AWS_SECRET_ACCESS_KEY}"`, `"${MCP_Y_GITHUB_TOKEN}"`} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("%s is not in\n%s", want, shown.String())
		}
	}
}

// TestTheSameServerIsTakenOverOnce tells which servers are the same: those that do the same with the same values.
func TestTheSameServerIsTakenOverOnce(t *testing.T) {
	const one = `"a": {"command": "x", "args": ["y"], "env": {"USER": "ada"}}`
	const configured = "[mcp_servers.mine]\ncommand = \"x\"\nargs = [\"y\"]\nenv = { USER = \"ada\", TOKEN = \"${TOKEN}\" }\n"
	for _, test := range []struct {
		name, configured, file string
		want                   int
	}{
		{"twice", "", servers(one, `"b": {"command": "x", "args": ["y"], "env": {"USER": "ada"}}`), 1},
		{"of two people", "", servers(one, `"b": {"command": "x", "args": ["y"], "env": {"USER": "bob"}}`), 2},
		{"with one value more", "", servers(one, `"b": {"command": "x", "args": ["y"], "env": {"USER": "ada", "MORE": "1"}}`), 2},
		{"two accounts", "", servers(`"a": {"url": "https://x", "headers": {"X-Team": "1"}}`, `"b": {"url": "https://x/", "headers": {"x-team": "2"}}`), 2},
		{"one account", "", servers(`"a": {"url": "https://x", "headers": {"X-Team": "1"}}`, `"b": {"url": "https://x/", "headers": {"x-team": "1"}}`), 1},
		{"configured, with a secret", configured, servers(`"mine": {"command": "x", "args": ["y"], "env": {"USER": "ada", "TOKEN": "secret-1"}}`), 0},
		{"maybe another account", configured, servers(`"b": {"command": "x", "args": ["y"], "env": {"USER": "ada", "TOKEN": "secret-1"}}`), 1},
		{
			"the account of one that is configured", configured,
			servers(`"mine": {"command": "x", "args": ["y"], "env": {"USER": "ada", "T": "1"}}`, `"other": {"command": "x", "args": ["y"], "env": {"USER": "ada", "T": "1"}}`), 0,
		},
		{
			"configured, with a number", strings.ReplaceAll(configured, "mine", "b-2"),
			servers(`"b": {"command": "x", "args": ["y"], "env": {"USER": "ada", "TOKEN": "secret-1"}}`), 0,
		},
		{"two folders", "", servers(`"a": {"command": "x", "cwd": "/a"}`, `"b": {"command": "x", "cwd": "/b"}`, `"c": {"command": "x", "cwd": "/b"}`), 2},
		{"a folder that is configured", "[mcp_servers.c]\ncommand = \"x\"\ncwd = \"/a\"\n", servers(`"a": {"command": "x", "cwd": "/a"}`, `"b": {"command": "x", "cwd": "/b"}`), 1},
		{"two clients", "", servers(`"a": {"url": "https://x", "oauth": {"clientId": "a"}}`, `"b": {"url": "https://x", "oauth": {"clientId": "b"}}`), 2},
		{
			"a client that is configured", "[mcp_servers.c]\nurl = \"https://x\"\noauth = { client_id = \"a\" }\n",
			servers(`"a": {"url": "https://x", "oauth": {"clientId": "a"}}`, `"b": {"url": "https://x", "oauth": {"clientId": "b"}}`), 1,
		},
		{"a login that was added since", "[mcp_servers.a]\nurl = \"https://x\"\noauth = { client_id = \"a\" }\n", servers(`"a": {"url": "https://x"}`), 0},
		{"configured for somebody else", configured, servers(`"b": {"command": "x", "args": ["y"], "env": {"USER": "bob", "TOKEN": "secret-1"}}`), 1},
		{"configured, another way", configured, servers(one), 1},
		{"configured, with values added since", configured, servers(`"mine": {"command": "x", "args": ["y"], "env": {"USER": "ada"}}`), 0},
		{"configured, with an answer", "[mcp_servers.a]\ncommand = \"x\"\nargs = [\"me\"]\n", servers(`"a": {"command": "x", "args": ["${input:who}"]}`), 0},
		{"what is asked for may be anything", "[mcp_servers.b]\ncommand = \"x\"\nargs = [\"me\"]\n", servers(`"a": {"command": "x", "args": ["${input:who}"]}`), 1},
		{"a header that waits", "[mcp_servers.b]\nurl = \"https://x\"\nbearer_token_env_var = \"A\"\n", servers(`"b": {"url": "https://x", "headers": {"Authorization": "Bearer abcdefg"}}`), 0},
		{
			"a variable of its own under another name", "[mcp_servers.a]\ncommand = \"x\"\nargs = [\"A:${A_KEY}\"]\nenv = { KEY = \"${A_KEY}\" }\n",
			servers(`"a": {"command": "x", "args": ["A:${KEY}"], "env": {"KEY": "secret-1"}}`), 0,
		},
		{"another variable", "[mcp_servers.a]\ncommand = \"x\"\nargs = [\"${ONE}\"]\n", servers(`"b": {"command": "x", "args": ["${TWO}"]}`), 1},
	} {
		p, shown := planned(t, test.configured, nothing, test.file)
		if p.Own() != test.want {
			t.Errorf("%s: %d are new, want %d\n%s", test.name, p.Own(), test.want, shown)
		}
	}
}

func TestNamesOfServersAreMadeValid(t *testing.T) {
	for name, want := range map[string]string{
		"github": "github", "Brave Search": "Brave-Search", "a.b c": "a-b-c", "io.github.vercel/next-devtools-mcp": "next-devtools-mcp", "a/": "a", "--x--": "x", "日本": "server", "": "server",
		strings.Repeat("long ", 10): "long-long-long-long-long-long-lo",
	} {
		if got := importing.ValidName(name); got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
	if _, shown := planned(t, "", nothing, servers(`"clock": {"command": "x"}`)); !strings.Contains(shown, "[mcp_servers.clock-2]") {
		t.Errorf("the name of a built-in server became\n%s", shown)
	}
}

// Patterns for which a server's calls run without asking are told, also when they mean more than this server.
func TestAllowed(t *testing.T) {
	for pattern, want := range map[string]bool{
		"docs.search": true, "docs.*": true, "*": true, "*.search": true, "d*": true, "do?s.search": true, `docs\.search`: true, "docs.fetch(a.example)": true,
		"other.*": false, "doc.*": false, "docs2.x": false, "docs": false, `\*.x`: false,
	} {
		cfg := &config.Config{Approval: config.Approval{Allow: []string{"none.x", pattern}}}
		if got := importing.Allowed(cfg, "docs"); (got != "") != want || strings.Contains(got, "none") {
			t.Errorf("%q: %q", pattern, got)
		}
	}
}

// servers is a file of Claude Code.
func servers(entries ...string) string {
	return `{"mcpServers": {` + strings.Join(entries, ", ") + `}}`
}

// planned plans for one file, named by a person, into a configuration.
func planned(t *testing.T, configured string, env func(string) (string, bool), text string) (*importing.Plan, string) {
	t.Helper()
	dir := t.TempDir()
	file := save(t, filepath.Join(dir, "mcp.json"), text)
	cfg, err := config.Load(config.LoadOptions{Path: save(t, filepath.Join(dir, "config.toml"), configured), Env: env})
	if err != nil {
		t.Fatal(err)
	}
	place := others.Place{GOOS: "linux", Home: dir, Env: env}
	p := importing.Make([]others.Source{others.Read(place, file)}, importing.Options{Config: cfg, Place: place, ShowSecrets: true})
	var shown bytes.Buffer
	p.Show(&shown)
	return p, shown.String()
}

// arguments are those that the only table that is shown has.
func arguments(t *testing.T, shown string) []string {
	t.Helper()
	_, table, _ := strings.Cut(shown, "[mcp_servers.")
	table, _, _ = strings.Cut("[mcp_servers."+table, "\n\n")
	var values struct {
		Servers map[string]struct{ Args []string } `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal([]byte(table), &values); err != nil {
		t.Fatalf("%v in\n%s", err, shown)
	}
	for _, s := range values.Servers {
		return s.Args
	}
	return nil
}
