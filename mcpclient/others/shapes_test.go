package others_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/aloudchat/aloud/mcpclient/others"
)

// TestShapesOfRealFiles tells what is taken from entries as the descriptions of servers, and people, write them. A file is read as that of the
// program that its name speaks of, on Linux unless a line says otherwise.
func TestShapesOfRealFiles(t *testing.T) {
	for _, test := range []struct{ name, file, goos, text, want string }{
		{
			"npx below cmd, paths of Windows, habits", "claude_desktop_config.json", "windows",
			`{"mcpServers": {"fs": {"command": "cmd", "args": ["/c", "npx", "-y", "server", "C:\\Users\\ada\\Documents", "%APPDATA%\\x"], "disabled": false, "alwaysAllow": []}}}`,
			`fs: stdio | cmd | /c | npx | -y | server | C:\Users\ada\Documents | %APPDATA%\x`,
		},
		{
			"a path with single backslashes that JSON takes for something else", "claude_desktop_config.json", "windows",
			`{"mcpServers": {"fs": {"command": "C:\new\tools.exe"}}}`,
			"its command has a line break or the like in it, as when a single backslash stands in JSON: look at it",
		},
		{
			"comments, commas at the end, the old transport", "mcp.json", "",
			"{\n  // mine\n  \"mcpServers\": { \"x\": { \"type\": \"sse\", \"url\": \"https://x.example/events\", /* old */ }, },\n}",
			"x: sse | https://x.example/events\n",
		},
		{"serverUrl", "mcp.json", "", `{"mcpServers": {"x": {"serverUrl": "https://x.example/mcp"}}}`, "x: http | https://x.example/mcp\n"},
		{"httpUrl", ".gemini/settings.json", "", `{"mcpServers": {"x": {"httpUrl": "https://x.example/mcp"}}}`, "x: http | https://x.example/mcp\n"},
		{"streamable-http", "mcp.json", "", `{"mcpServers": {"x": {"type": "streamable-http", "url": "https://x.example/sse"}}}`, "x: http | https://x.example/sse\n"},
		{"switched off", "mcp.json", "", `{"mcpServers": {"x": {"command": "x", "disabled": true}}}`, "x: stdio | x | off\n"},
		{"allowed before", "mcp.json", "", `{"mcpServers": {"x": {"command": "x", "alwaysAllow": ["a"]}}}`, `"alwaysAllow" is left out: its tools ask until you allow them`},
		{
			"a file of variables", ".cursor/mcp.json", "", `{"mcpServers": {"x": {"type": "stdio", "command": "x", "envFile": "${workspaceFolder}/.env"}}}`,
			`"envFile" is left out: set the variables of "${workspaceFolder}/.env" where you start aloud, and name them in env_vars`,
		},
		{"milliseconds", ".gemini/settings.json", "", `{"mcpServers": {"x": {"command": "x", "timeout": 600000}}}`, "answers in 10m0s"},
		{"seconds, where milliseconds are usual", "mcp.json", "", `{"mcpServers": {"x": {"command": "x", "timeout": 60}}}`, "answers in 1m0s"},
		{"milliseconds, where seconds are usual", "crush.json", "", `{"mcp": {"x": {"command": "x", "timeout": 30000}}}`, "answers in 30s"},
		{
			"variables of each kind", ".cursor/mcp.json", "",
			`{"mcpServers": {"x": {"command": "${env:BIN}/x", "args": ["${userHome}/y", "$LITERAL", "%LITERAL%", "$(whoami)"], "env": {"A": "${B:-c}"}}}}`,
			"x: stdio | ${BIN}/x | ~/y | $LITERAL | %LITERAL% | $(whoami) | in DIR | A=${B:-c}\n",
		},
		{
			"variables as Windows writes them", ".gemini/settings.json", "windows",
			`{"mcpServers": {"x": {"command": "%ProgramFiles%\\x.exe", "args": ["100%", "$A", "${B}"]}}}`,
			`x: stdio | ${ProgramFiles}\x.exe | 100% | ${A} | ${B}`,
		},
		{
			"nothing but servers, as a description shows them", "snippet.json", "",
			`{"x": {"command": "npx", "args": ["-y", "x"]}, "y": {"url": "https://y.example/mcp"}}`, "x: stdio | npx | -y | x\n",
		},
		{
			"a placeholder of a description", "mcp.json", "", `{"mcpServers": {"hf": {"url": "https://hf.example/mcp", "headers": {"Authorization": "Bearer <YOUR_HF_TOKEN>"}}}}`,
			"hf: http | https://hf.example/mcp | Authorization=Bearer <YOUR_HF_TOKEN>\n",
		},
		{
			"a login with somebody else's words", ".gemini/settings.json", "",
			`{"mcpServers": {"x": {"httpUrl": "https://x.example/mcp", "authProviderType": "google_credentials", "oauth": {"enabled": true, "scopes": ["a"]}}}}`,
			`"authProviderType" is left out: log in here if the server asks for it`,
		},
		{"a path in a project that does not look like one", ".mcp.json", "", `{"mcpServers": {"x": {"command": "node", "args": ["build/index.js"]}}}`, "x: stdio | node | build/index.js | in DIR\n"},
		{"a script of a project", ".mcp.json", "", `{"mcpServers": {"x": {"command": "npm", "args": ["run", "mcp"]}}}`, "x: stdio | npm | run | mcp | in DIR\n"},
		{"a folder in a project", ".mcp.json", "", `{"mcpServers": {"x": {"command": "uv", "args": ["run", "server.py"], "cwd": "tools"}}}`, "| in DIR/tools\n"},
		{"a whole folder in a project", ".mcp.json", "", `{"mcpServers": {"x": {"command": "x", "cwd": "${workspaceFolder}"}}}`, "x: stdio | x | in DIR\n"},
		{"a path of nobody's folder", "mcp.json", "", `{"mcpServers": {"x": {"command": "bin/x"}}}`, "its paths begin in the folder that aloud is started in: write a whole one in cwd"},
		{"an argument of nobody's folder", "mcp.json", "", `{"mcpServers": {"x": {"command": "node", "args": ["./x.js"]}}}`, "its paths begin in the folder that aloud is started in: write a whole one in cwd"},
		{"half a folder", "mcp.json", "", `{"mcpServers": {"x": {"command": "x", "cwd": "tools"}}}`, "its paths begin in the folder that aloud is started in: write a whole one in cwd"},
		{"a whole path", "mcp.json", "", `{"mcpServers": {"x": {"command": "/opt/x", "args": ["./y"], "cwd": "~/x"}}}`, "x: stdio | /opt/x | ./y | in ~/x\n"},
		{"a table in YAML", ".kit.yml", "", "mcpServers:\n  x:\n    type: remote\n    url: https://x.example/mcp\n", "x: http | https://x.example/mcp\n"},
		{"Codex", "config.toml", "", "[mcp_servers.x]\ncommand = 'x'\nstartup_timeout_sec = 20.5\n[mcp_servers.x.env]\nA = 'b'\n", "x: stdio | x | A=b | starts in 20.5s\n"},
		{"a token of older versions", "config.toml", "", "[mcp_servers.x]\nurl = 'https://x'\nbearer_token = 'abc'\n", "x: http | https://x | Authorization=Bearer abc\n"},
		{"two bytes a character", "mcp.json", "", twoBytes(`{"mcpServers": {"x": {"command": "ü"}}}`), "x: stdio | ü\n"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(test.file))
		save(t, path, test.text)
		place := others.Place{GOOS: test.goos, Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "work"), Env: nothing}
		s := others.Read(place, path)
		if got := strings.ReplaceAll(told(place, []others.Source{s}), filepath.ToSlash(dir), "DIR"); s.Err != nil || !strings.Contains(got, strings.ReplaceAll(test.want, `\`, "/")) {
			t.Errorf("%s:\n%s\nhas no\n  %s", test.name, got, test.want)
		}
	}
}

// twoBytes is what PowerShell writes with >.
func twoBytes(text string) string {
	bytes := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		bytes = append(bytes, byte(unit), byte(unit>>8))
	}
	return string(bytes)
}

// A mistake is told with its place, and with what mostly is the reason.
func TestMistakesInJSON(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"a\": \"C:\\Users\"\n}": `is not valid JSON at line 2, column 8: in a text a backslash is written twice, "C:\\Tools"`,
		"\ufeff{\"a\": 1\n  \"b\": 2}": "is not valid JSON at line 2, column 3: before this a comma or a bracket is missing",
		"{\"a\": {\"b\": 1}\n":         "is not valid JSON at line 2, column 1: the file ends before its last bracket",
		"{\"a\": True}":                "is not valid JSON at line 1, column 7: a word must stand in double quotes",
		"{a: 1}":                       "is not valid JSON at line 1, column 2: a word must stand in double quotes",
		"{\"a\": \"x\n\"}":             "is not valid JSON at line 1, column 7: the text does not end in its line",
		"{'a': 1}":                     "is not valid JSON at line 1, column 2",
		"[]":                           `is a JSON array, and the servers stand in an object: {"mcpServers": {…}}`,
		"{\"token\": \"sk-secret\", 'x': \"abc\"}": "is not valid JSON at line 1, column 24",
	} {
		path := filepath.Join(t.TempDir(), "mcp.json")
		save(t, path, text)
		s := others.Read(others.Place{Env: nothing}, path)
		if s.Err == nil || !strings.HasSuffix(s.Err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", text, s.Err, want)
		}
	}
}

// On Windows a program may be installed as a package, which has a folder of its own; a variable moves the files of Claude Code, and each profile of
// VS Code has its own.
func TestFilesThatWereMoved(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"LOCALAPPDATA": filepath.Join(dir, "Local"), "APPDATA": filepath.Join(dir, "Roaming"), "CLAUDE_CONFIG_DIR": filepath.Join(dir, "work")}
	packaged := filepath.Join(dir, "Local", "Packages", "Claude_abc", "LocalCache", "Roaming", "Claude", "claude_desktop_config.json")
	save(t, packaged, `{"mcpServers": {"a": {"command": "a"}}}`)
	save(t, filepath.Join(dir, "Roaming", "Code", "User", "profiles", "1a2b", "mcp.json"), `{"servers": {"d": {"command": "d"}}}`)
	save(t, filepath.Join(dir, "work", ".claude.json"), `{"mcpServers": {"b": {"command": "b"}}, "projects": {"/srv/c": {"mcpServers": {"c": {"command": "c"}}}}}`)
	place := others.Place{GOOS: "windows", Home: dir, Dir: filepath.FromSlash("/srv/c"), Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	var names []string
	for _, s := range others.Find(place, "claude-desktop", "claude-code", "vscode") {
		for _, server := range s.Servers {
			names = append(names, server.Name)
		}
	}
	if got := strings.Join(names, " "); got != "a b c d" {
		t.Errorf("found %q", got)
	}
	if err := os.RemoveAll(filepath.Dir(packaged)); err != nil {
		t.Fatal(err)
	}
	if found := others.Find(place, "claude-desktop"); found != nil {
		t.Errorf("found %+v", found)
	}
}
