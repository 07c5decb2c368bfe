//go:build e2e && unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// user is the model that makes the calls of uses: [[memory]] makes those of the server memory.
const user = "tiny-user"

// addToolCaller adds the model to the shared server.
func addToolCaller(t testing.TB) {
	t.Helper()
	scripts := map[string]tinymodel.Script{
		tinymodel.Fallback: {{Text: "Nothing to use."}},
		"answer":           {{Text: "A plain answer."}},
		"sampled":          {{Text: "It was a dark and stormy night."}},
	}
	for server, calls := range uses {
		var script tinymodel.Script
		for _, u := range calls {
			if !u.sameReply {
				script = append(script, tinymodel.Step{})
			}
			call := fmt.Sprintf("{\"name\": \"%s__%s\", \"arguments\": %s}", server, u.tool, u.arguments)
			script[len(script)-1].Text += "<tool_call>\n" + call + "\n</tool_call>\n"
		}
		scripts[server] = append(script, tinymodel.Step{Text: finalAnswer(server) + "\n"})
	}
	addCaller(t, scripts)
}

// addCaller adds the model user with other scripts. They know the tools, so its template leaves them out: reading sixty
// of them in every round would take long.
func addCaller(t testing.TB, scripts map[string]tinymodel.Script) {
	t.Helper()
	var model bytes.Buffer
	must(t, tinymodel.Write(&model, scripts))
	for _, v := range tinymodel.Variants() {
		if v.Name == tinymodel.Tools {
			v.Name = user
			v.Template = strings.Replace(v.Template, "{{ json . }}", "", 1)
			must(t, parts.server.AddModels(t.Context(), model.Bytes(), v))
		}
	}
}

// finalAnswer is the answer after all calls.
func finalAnswer(server string) string { return "All of " + server + " was used." }

// worldWithServer returns a world with one reference server and all its tools.
func worldWithServer(t testing.TB, server string) *world {
	t.Helper()
	w := newWorld(t)
	w.write("notes/dot.png", dot)
	w.settings = "approval.mode = \"all\""
	table := map[string]string{
		"everything":          w.stdio("everything", "stdio") + "roots = true\n",
		"notes":               w.stdio("filesystem", w.home+"/notes"),
		"memory":              w.memory(),
		"sequential-thinking": w.stdio("sequential-thinking"),
	}[server]
	w.configure(w.traffic.URL, table)
	return w
}

// TestReferenceTools uses every tool on the screen, with text output and with a stream of events.
func TestReferenceTools(t *testing.T) {
	addToolCaller(t)
	for server, calls := range uses {
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			t.Run("screen", func(t *testing.T) { worldWithServer(t, server).useOnScreen(server, calls) })
			t.Run("text", func(t *testing.T) { worldWithServer(t, server).useForText(server, calls) })
			t.Run("stream-json", func(t *testing.T) { worldWithServer(t, server).useForEvents(server, calls) })
		})
	}
}

const manyRounds = "--max-iterations=100"

// useOnScreen checks the line of every call, and every result after ctrl+o.
func (w *world) useOnScreen(server string, calls []use) {
	w.t.Helper()
	cmd := w.command(w.t.Context(), manyRounds, "--model", user)
	cmd.Env = append(cmd.Env, "BROWSER=true") // does nothing
	s := w.openTerminal(cmd, 120, 400)
	s.see("Ask anything")
	s.enter("[[" + server + "]] please")
	var lines, results []string
	for _, u := range calls {
		if u.answer != nil {
			u.answer(s)
		}
		if !slices.Contains(lines, u.shows) { // calls of one tool in a row share a line
			lines = append(lines, u.shows)
		}
		results = append(results, u.shows, u.want)
	}
	s.see(fmt.Sprintf("%d tool", len(calls)))
	s.seeInOrder(append(lines, finalAnswer(server)))
	s.press("\x0f") // ctrl+o
	s.seeInOrder(append(results, finalAnswer(server)))
	s.quit()
}

// answer waits for a dialog, presses keys and waits until the dialog closes.
func (s *screen) answer(question, keys string) {
	s.t.Helper()
	s.read(question)
	s.press(keys)
	s.see("no more of it", func(screen string) bool { return !strings.Contains(screen, question) })
}

const escape = "\x1b"

func (s *screen) seeInOrder(texts []string) {
	s.t.Helper()
	missing := ""
	s.see("all in order", func(screen string) bool {
		missing = firstMissing(screen, texts)
		return missing == ""
	})
}

// useForText checks the text for the model. Standard output has only the answer.
func (w *world) useForText(server string, calls []use) {
	w.t.Helper()
	out := w.run(manyRounds, "--model", user, "-p", "[["+server+"]] please")
	if out.code != 0 || out.stdout != finalAnswer(server)+"\n" {
		w.t.Errorf("exit code %d, the answer is %q\n%s", out.code, out.stdout, out.stderr)
	}
	var tools, results []string
	for _, u := range calls {
		tools, results = append(tools, u.tool), append(results, u.wantResult())
	}
	slices.Sort(tools)
	if offered := w.offeredTools(server); !slices.Equal(offered, slices.Compact(tools)) {
		w.t.Errorf("the model was offered %q, want all of %q", offered, tools)
	}
	if missing := firstMissing(w.lastRequest(), results); missing != "" {
		w.t.Errorf("the last request lacks %q:\n%s", missing, w.lastRequest())
	}
	if n := strings.Count(out.stderr, "the full-screen chat"); n != countDeclined(calls) {
		w.t.Errorf("standard error has %d declined requests, want %d:\n%s", n, countDeclined(calls), out.stderr)
	}
}

// offeredTools returns the server's tools in the first request, sorted.
func (w *world) offeredTools(server string) (names []string) {
	w.t.Helper()
	for _, raw := range w.traffic.requests()[0].Tools {
		var tool struct{ Function struct{ Name string } }
		must(w.t, json.Unmarshal(raw, &tool))
		if name, ok := strings.CutPrefix(tool.Function.Name, server+"__"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// countDeclined counts the calls that cannot be answered without a screen.
func countDeclined(calls []use) (n int) {
	for _, u := range calls {
		if u.headless != "" {
			n++
		}
	}
	return n
}

// A jsonEvent is a line of stream-json.
type jsonEvent struct {
	Type, ID string
	call
}

// useForEvents checks the events of every call. Results come as the calls end.
func (w *world) useForEvents(server string, calls []use) {
	w.t.Helper()
	out := w.run(manyRounds, "--model", user, "--output", "stream-json", "-p", "[["+server+"]] please")
	var called []jsonEvent
	results := map[string]jsonEvent{}
	for line := range strings.Lines(out.stdout) {
		var e jsonEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			w.t.Errorf("no JSON: %v: %s", err, line)
		}
		switch e.Type {
		case "tool_call":
			called = append(called, e)
		case "tool_result":
			results[e.ID] = e
		}
	}
	if out.code != 0 || len(called) != len(calls) || len(results) != len(calls) {
		w.t.Fatalf("exit code %d, %d calls, %d results\n%s", out.code, len(called), len(results), out.stderr)
	}
	for i, u := range calls {
		status := map[bool]string{true: "error", false: "ok"}[strings.HasPrefix(u.shows, "✗") || u.failsHeadless]
		r := results[called[i].ID]
		if r.Name != server+"__"+u.tool || r.Server != server || r.Status != status {
			w.t.Errorf("call %d has the status %q, want %q of %s: %s", i, r.Status, status, u.tool, r.call)
		}
		if !strings.Contains(r.Result, u.wantResult()) || !strings.Contains(u.shows, r.Title) {
			w.t.Errorf("the title is %q and the result %q, want %q and %q", r.Title, r.Result, u.shows, u.wantResult())
		}
	}
}
