//go:build e2e && engines && linux

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// A foreign server is one that others wrote, from a package registry.
type foreignServer struct {
	name, from, sdk, done string // a row of the table in docs/servers.md
	// words follow "aloud mcp add NAME". In them and in calls, HOME is the user's home, and MORE is the folder of
	// install-more-servers.sh.
	words []string
	calls []foreignCall
	start func(w *world) (address string) // starts a server over HTTP; nil for a program
	check func(w *world)                  // more checks after the calls; may be nil
}

// A foreignCall is a call that the model makes.
type foreignCall struct {
	tool, arguments string
	want            string // part of the result
	fails           bool
}

func foreignServers(page page) []foreignServer {
	node := func(server string, args ...string) []string {
		return append([]string{"--", "node", serverProgram(server)}, args...)
	}
	return []foreignServer{
		{
			name: "everything", from: "server-everything", sdk: "TypeScript", done: "adds two numbers, refuses words",
			words: node("everything", "stdio"),
			calls: []foreignCall{
				{tool: "get-sum", arguments: `{"a": 2, "b": 40}`, want: "is 42"},
				{tool: "get-sum", arguments: `{"a": "two"}`, want: "a", fails: true},
			},
		},
		{
			name: "filesystem", from: "server-filesystem", sdk: "TypeScript",
			done:  "writes a file, refuses a path outside its folder",
			words: node("filesystem", "HOME/notes"),
			calls: []foreignCall{
				{tool: "write_file", arguments: `{"path": "HOME/notes/a.txt", "content": "one"}`, want: "Successfully wrote"},
				{tool: "read_text_file", arguments: `{"path": "/etc/passwd"}`, want: "Access denied", fails: true},
			},
			check: func(w *world) { w.hasFile("notes/a.txt", "one") },
		},
		{
			name: "memory", from: "server-memory", sdk: "TypeScript", done: "keeps a fact, also in its file",
			words: append([]string{"--env", "MEMORY_FILE_PATH=HOME/graph.jsonl"}, node("memory")...),
			calls: []foreignCall{
				{tool: "create_entities", want: `"likes tea"`,
					arguments: `{"entities": [{"name": "Ada", "entityType": "person", "observations": ["likes tea"]}]}`},
				{tool: "add_observations", want: "Grace", fails: true,
					arguments: `{"observations": [{"entityName": "Grace", "contents": ["likes coffee"]}]}`},
			},
			check: func(w *world) { w.hasFile("graph.jsonl", "likes tea") },
		},
		{
			name: "sequential-thinking", from: "server-sequential-thinking", sdk: "TypeScript",
			done:  "takes a thought",
			words: node("sequential-thinking"),
			calls: []foreignCall{{tool: "sequentialthinking", want: `"thoughtHistoryLength": 1`, arguments: `{"thought": ` +
				`"first", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}`}},
		},
		{
			name: "browser", from: "@playwright/mcp", sdk: "TypeScript",
			done: "reads a page in Chromium, takes a picture of it, ends when aloud is killed",
			words: []string{"--", "node", "MORE/node_modules/@playwright/mcp/cli.js", "--headless", "--no-sandbox",
				"--user-data-dir", "HOME/profile", "--executable-path", "CHROMIUM"},
			calls: []foreignCall{
				{tool: "browser_navigate", arguments: `{"url": "` + page.URL + `"}`, want: "Page Title: Tulips"},
				{tool: "browser_evaluate", arguments: `{"function": "() => document.body.innerText"}`, want: "red, yellow"},
				{tool: "browser_take_screenshot", arguments: `{"type": "png", "scale": "css"}`, want: "[image: image/png"},
				{tool: "browser_navigate", arguments: `{"url": "http://127.0.0.1:1/"}`, want: "ERR_", fails: true},
			},
			check: func(w *world) {
				r := w.start("mcp", "call", "browser", "browser_navigate", `{"url": "`+page.URL+`/slow"}`)
				<-page.slow
				r.signal(os.Kill)
				r.wait()
			},
		},
		{
			name: "git", from: "mcp-server-git", sdk: "Python", done: "lists a commit and makes one",
			words: []string{"--", "MORE/python/bin/python", "-m", "mcp_server_git", "--repository", "HOME/garden"},
			calls: []foreignCall{
				{tool: "git_log", arguments: `{"repo_path": "HOME/garden"}`, want: "Plant tulips"},
				{tool: "git_add", arguments: `{"repo_path": "HOME/garden", "files": ["bulbs.txt"]}`, want: "staged"},
				{tool: "git_commit", arguments: `{"repo_path": "HOME/garden", "message": "Buy bulbs"}`, want: "committed"},
				{tool: "git_log", arguments: `{"repo_path": "/etc"}`, want: "outside", fails: true},
			},
			check: func(w *world) {
				w.t.Helper()
				if log := w.git("log", "--format=%s"); log != "Buy bulbs\nPlant tulips\n" {
					w.t.Errorf("the commits are %q", log)
				}
			},
		},
		{
			name: "time", from: "mcp-server-time", sdk: "Python", done: "converts a time",
			words: []string{"--", "MORE/python/bin/python", "-m", "mcp_server_time", "--local-timezone", "Europe/Madrid"},
			calls: []foreignCall{
				{tool: "convert_time", want: "T00:00:00+00:00",
					arguments: `{"source_timezone": "Asia/Tokyo", "time": "09:00", "target_timezone": "UTC"}`},
				{tool: "get_current_time", arguments: `{"timezone": "Mars/Base"}`, want: "Mars/Base", fails: true},
			},
		},
		{
			name: "excel", from: "excel-mcp-server", sdk: "Python", done: "writes a workbook and reads it",
			words: []string{"--", "MORE/python/bin/python", "-m", "excel_mcp", "stdio"},
			calls: []foreignCall{
				{tool: "create_workbook", arguments: `{"path": "HOME/ages.xlsx"}`, want: "ages.xlsx"},
				{tool: "describe_workbook", arguments: `{"path": "HOME/ages.xlsx"}`, want: "Sheet"},
				{tool: "describe_workbook", arguments: `{"path": "HOME/none.xlsx"}`, want: "none.xlsx", fails: true},
			},
			check: func(w *world) { w.hasFile("ages.xlsx", "PK") },
		},
		{
			name: "sample", from: "fastmcp-sample-server", sdk: "FastMCP",
			done: "keeps a note, offers it as a resource, fills in a prompt",
			words: []string{"--cwd", "HOME", "--env", "MCP_NOTES_DB=HOME/notes.db", "--", "MORE/fastmcp/bin/python", "-m",
				"server", "--transport", "stdio"},
			calls: []foreignCall{
				{tool: "note_add", arguments: `{"title": "Tulips", "body": "buy bulbs"}`, want: `"id":1`},
				{tool: "calculate", arguments: `{"expression": "1/0"}`, want: "division by zero", fails: true},
			},
			check: func(w *world) {
				w.sends("buy bulbs", "What is in @sample:resource://notes/all?")
				w.sends("segfault", `/sample:explain_error error_message="segfault in line 3"`)
			},
		},
		{
			name: "old", from: "excel-mcp-server", sdk: "Python 1.x, over SSE",
			done:  "writes a workbook and reads it",
			start: startOldExcel,
			calls: []foreignCall{
				{tool: "create_workbook", arguments: `{"filepath": "ages.xlsx"}`, want: "Created workbook"},
				{tool: "write_data_to_excel", want: "Data written",
					arguments: `{"filepath": "ages.xlsx", "sheet_name": "Sheet1", "data": [["Name", "Age"], ["Ada", 36]]}`},
				{tool: "read_data_from_excel", want: `"value": "Ada"`,
					arguments: `{"filepath": "ages.xlsx", "sheet_name": "Sheet1"}`},
				{tool: "read_data_from_excel", want: "No such file", fails: true,
					arguments: `{"filepath": "none.xlsx", "sheet_name": "Sheet1"}`},
			},
			check: func(w *world) { w.hasFile("ages.xlsx", "PK") },
		},
		{
			name: "graph", from: "examples/server/memory", sdk: "go-sdk", done: "keeps a fact, also in its file",
			words: []string{"--", "MORE/bin/memory", "-memory", "HOME/graph.json"},
			calls: []foreignCall{
				{tool: "create_entities", want: "likes tea",
					arguments: `{"entities": [{"name": "Ada", "entityType": "person", "observations": ["likes tea"]}]}`},
				{tool: "add_observations", want: "Grace not found", fails: true,
					arguments: `{"observations": [{"entityName": "Grace", "contents": ["likes coffee"]}]}`},
			},
			check: func(w *world) { w.hasFile("graph.json", "likes tea") },
		},
		{
			name: "features", from: "examples/everything", sdk: "mcp-go",
			done:  "adds two numbers, returns an image and a resource, reports progress, stops a call",
			words: []string{"--", "MORE/bin/everything"},
			calls: []foreignCall{
				{tool: "add", arguments: `{"a": 2, "b": 40}`, want: "is 42"},
				{tool: "getTinyImage", arguments: `{}`, want: "[image: image/png"},
				{tool: "add", arguments: `{"a": "two", "b": 40}`, want: "a", fails: true},
			},
			check: func(w *world) {
				w.sends("This is a sample resource", "What is in @features:test://static/resource?")
				s := w.openTerminal(w.command(w.t.Context(), "mcp", "call", "features", "longRunningOperation",
					`{"duration": 2, "steps": 4}`), 100, 30)
				s.see("2/4")
				s.see("operation completed")
				r := w.start("mcp", "call", "features", "longRunningOperation", `{"duration": 100, "steps": 100}`,
					"--log", w.home+"/wire.jsonl")
				if !eventually(func() bool { return w.hasText("wire.jsonl", "notifications/progress") }) {
					w.t.Error("no progress was received")
				}
				r.signal(os.Interrupt)
				if out := r.wait(); out.code != 130 {
					w.t.Errorf("exit code %d after ctrl+c\n%s", out.code, out.stderr)
				}
			},
		},
		{
			name: "words", from: "a program in e2e", sdk: "Java", done: "counts the words of a file",
			words: []string{"--", "java", "-cp", "MORE/java/*", "WORDS"},
			calls: []foreignCall{
				{tool: "count_words", arguments: `{"path": "HOME/garden/bulbs.txt"}`, want: "3 words"},
				{tool: "count_words", arguments: `{"path": "HOME/none.txt"}`, want: "NoSuchFile", fails: true},
			},
		},
		{
			name: "rust", from: "rust-mcp-filesystem", sdk: "Rust",
			done:  "writes a file, refuses a path outside its folder",
			words: []string{"--", "MORE/bin/rust-mcp-filesystem", "--allow-write", "HOME/notes"},
			calls: []foreignCall{
				{tool: "write_file", arguments: `{"path": "HOME/notes/a.txt", "content": "one"}`, want: "Successfully wrote"},
				{tool: "head_file", arguments: `{"path": "HOME/notes/a.txt", "lines": 1.0}`, want: "one"}, // it refuses 1.0
				{tool: "read_text_file", arguments: `{"path": "/etc/passwd"}`, want: "Access denied", fails: true},
			},
			check: func(w *world) { w.hasFile("notes/a.txt", "one") },
		},
	}
}

// A page is one about tulips. The path /slow never answers, and sends to slow.
type page struct {
	*httptest.Server
	slow chan struct{}
}

func newPage() page {
	slow := make(chan struct{})
	return page{httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/slow" {
			slow <- struct{}{}
			<-req.Context().Done()
		}
		_, _ = io.WriteString(rw, "<title>Tulips</title><p>red, yellow</p>") // fails if the browser has gone
	})), slow}
}

// TestForeignServers adds each server as you would, lists its tools, lets the model use them, and leaves no process.
func TestForeignServers(t *testing.T) {
	more, err := script(t.Context(), "./install-more-servers.sh")
	must(t, err)
	page := newPage()
	defer page.Close()
	words, err := filepath.Abs("moreservers/Words.java")
	must(t, err)
	table, err := os.ReadFile("../docs/servers.md")
	must(t, err)
	for _, server := range foreignServers(page) {
		t.Run(server.name, func(t *testing.T) {
			w := newWorld(t)
			w.settings = "approval.mode = \"all\""
			w.configure(w.traffic.URL, "")
			w.write("garden/bulbs.txt", "red and\nyellow\n")
			w.git("init", "--quiet")
			w.git("commit", "--quiet", "--allow-empty", "--message", "Plant tulips")
			t.Cleanup(w.checkNothingRuns)
			if server.start != nil {
				server.words = []string{"--transport", "sse", server.start(w)}
			}
			fill := strings.NewReplacer("HOME", w.home, "MORE", more, "WORDS", words,
				"CHROMIUM", chromium(t)).Replace
			w.add(server.name, fill(strings.Join(server.words, "\n")))
			w.letModelUse(server, fill)
			if server.check != nil {
				server.check(w)
			}
			row := fmt.Sprintf("| %s | %s | %s |", server.from, server.sdk, server.done)
			if !bytes.Contains(table, []byte(row)) {
				t.Errorf("docs/servers.md lacks the row\n%s", row)
			}
		})
	}
}

// add runs aloud mcp add with one word in each line.
func (w *world) add(name, words string) {
	w.t.Helper()
	out := w.run(append([]string{"mcp", "add", name}, strings.Split(words, "\n")...)...)
	if out.code != 0 || !strings.Contains(out.stdout, name+"  ready") {
		w.t.Fatalf("mcp add: exit code %d\n%s%s", out.code, out.stdout, out.stderr)
	}
}

// letModelUse has one turn in which the model makes the calls of a server.
func (w *world) letModelUse(server foreignServer, fill func(string) string) {
	w.t.Helper()
	var steps tinymodel.Script
	for _, c := range server.calls {
		steps = append(steps, tinymodel.Step{Text: fmt.Sprintf("<tool_call>\n{\"name\": \"%s__%s\", \"arguments\": %s}\n"+
			"</tool_call>\n", server.name, c.tool, fill(c.arguments))})
	}
	addCaller(w.t, map[string]tinymodel.Script{
		tinymodel.Fallback: {{Text: "Nothing to use."}},
		server.name:        append(steps, tinymodel.Step{Text: finalAnswer(server.name) + "\n"}),
	})
	list := w.run("mcp", "tools", server.name)
	r, out := w.ask("[["+server.name+"]] please", "--model", user)
	if out.code != 0 || strings.TrimSpace(r.Answer) != finalAnswer(server.name) || len(r.ToolCalls) != len(server.calls) {
		w.t.Fatalf("exit code %d, the answer is %q after %v\n%s", out.code, r.Answer, r.ToolCalls, out.stderr)
	}
	for i, c := range server.calls {
		got, status := r.ToolCalls[i], map[bool]string{false: "ok", true: "error"}[c.fails]
		if got.Status != status || !strings.Contains(got.Result, c.want) {
			w.t.Errorf("%s: status %q, want %q with %q: %s", c.tool, got.Status, status, c.want, got)
		}
		if !strings.Contains(list.stdout, c.tool) {
			w.t.Errorf("mcp tools lacks %s:\n%s%s", c.tool, list.stdout, list.stderr)
		}
	}
}

// sends checks that a message brings a text to the model.
func (w *world) sends(text, message string) {
	w.t.Helper()
	if out := w.run("--model", user, "-p", message); out.code != 0 || !strings.Contains(w.lastRequest(), text) {
		w.t.Errorf("%s: exit code %d, the request lacks %q:\n%s%s", message, out.code, text, w.lastRequest(), out.stderr)
	}
}

// hasFile checks that a file of the home contains a text.
func (w *world) hasFile(name, text string) {
	w.t.Helper()
	if !w.hasText(name, text) {
		w.t.Errorf("%s does not exist or lacks %q", name, text)
	}
}

// hasText reports whether a file of the home contains a text.
func (w *world) hasText(name, text string) bool {
	got, err := os.ReadFile(filepath.Join(w.home, name))
	return err == nil && strings.Contains(string(got), text)
}

// git runs git in the folder garden.
func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
	cmd.Dir = filepath.Join(w.home, "garden")
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// chromium returns the path of a browser.
func chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-headless-shell", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium: install the package chromium")
	return ""
}

// startOldExcel runs a server of 2025 over SSE until the test ends.
func startOldExcel(w *world) (address string) {
	w.t.Helper()
	more, err := script(w.t.Context(), "./install-more-servers.sh")
	must(w.t, err)
	cmd := exec.Command(filepath.Join(more, "old/bin/python"), "-m", "excel_mcp", "sse")
	cmd.Dir = w.home
	cmd.Env = []string{"EXCEL_FILES_PATH=" + w.home, "FASTMCP_HOST=127.0.0.1", "FASTMCP_PORT=0"}
	stderr, err := cmd.StderrPipe()
	must(w.t, err)
	must(w.t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	w.t.Cleanup(func() {
		_ = cmd.Process.Kill() // fails if it has ended
		_, _ = io.Copy(io.Discard, stderr)
		_ = cmd.Wait()
	})
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), "running on "); ok {
			url, _, _ = strings.Cut(url, " ")
			return url + "/sse"
		}
	}
	w.t.Fatal("the server ended before it listened")
	return ""
}

// checkNothingRuns checks that no process has the home in its environment. Not all servers have it in their arguments.
func (w *world) checkNothingRuns() {
	w.t.Helper()
	var left []string
	gone := eventually(func() bool {
		left = nil
		all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
		for _, process := range all {
			environment, _ := os.ReadFile(process + "/environ") // it may have ended
			if bytes.Contains(environment, []byte("HOME="+w.home+"\x00")) {
				args, _ := os.ReadFile(process + "/cmdline")
				left = append(left, strings.ReplaceAll(string(args), "\x00", " "))
			}
		}
		return len(left) == 0
	})
	if !gone {
		w.t.Errorf("processes left:\n%s", strings.Join(left, "\n"))
	}
}
