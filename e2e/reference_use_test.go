//go:build e2e && unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// user is the model that makes the calls of uses: [[memory]] those of the server memory, one after another.
const user = "tiny-user"

// addUser writes it into the server that all tests share.
func addUser(t *testing.T) {
	t.Helper()
	scripts := map[string]tinymodel.Script{
		tinymodel.Fallback: {{Text: "Nothing to use."}},
		"answer":           {{Text: "A plain answer."}},
		"sampled":          {{Text: "It was a dark and stormy night."}},
	}
	for server, calls := range uses {
		var script tinymodel.Script
		for _, u := range calls {
			if !u.with {
				script = append(script, tinymodel.Step{})
			}
			script[len(script)-1].Text += fmt.Sprintf("<tool_call>\n{\"name\": \"%s__%s\", \"arguments\": %s}\n</tool_call>\n", server, u.tool, u.arguments)
		}
		scripts[server] = append(script, tinymodel.Step{Text: allUsed(server) + "\n"})
	}
	var model bytes.Buffer
	if err := tinymodel.Write(&model, scripts); err != nil {
		t.Fatal(err)
	}
	for _, v := range tinymodel.Variants() {
		if v.Name == tinymodel.Tools {
			v.Name = user
			v.Template = strings.Replace(v.Template, "{{ json . }}", "", 1) // it knows its tools, and need not read of sixty in every round
			if err := parts.server.AddModels(t.Context(), model.Bytes(), v); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// allUsed is what the model says when it has made all calls.
func allUsed(server string) string { return "All of " + server + " was used." }

// only is a world with one reference server in it, with all its tools.
func only(t *testing.T, server string) *world {
	t.Helper()
	w := newWorld(t)
	w.write("notes/dot.png", dot)
	w.settings = "approval.mode = \"all\""
	table := map[string]string{
		"everything":          w.stdio("everything", "stdio") + "roots = true\n",
		"notes":               w.stdio("filesystem", w.home+"/notes"),
		"memory":              w.stdio("memory") + fmt.Sprintf("env = { MEMORY_FILE_PATH = %q }\n", w.home+"/memory.jsonl"),
		"sequential-thinking": w.stdio("sequential-thinking"),
	}[server]
	w.configure(w.traffic.URL, table)
	return w
}

// TestEveryToolOfTheReferenceServers has the model use all of them: in front of a person, and for a script that reads text or a stream of events.
func TestEveryToolOfTheReferenceServers(t *testing.T) {
	addUser(t)
	for server, calls := range uses {
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			t.Run("screen", func(t *testing.T) { only(t, server).isUsedOnScreen(server, calls) })
			t.Run("text", func(t *testing.T) { only(t, server).isUsedForText(server, calls) })
			t.Run("stream-json", func(t *testing.T) { only(t, server).isUsedForEvents(server, calls) })
		})
	}
}

const manyRounds = "--max-iterations=100"

// isUsedOnScreen looks at the line of every call, and at every result when they are unfolded.
func (w *world) isUsedOnScreen(server string, calls []use) {
	w.t.Helper()
	cmd := w.command(w.t.Context(), manyRounds, "--model", user)
	cmd.Env = append(cmd.Env, "BROWSER=true") // a program that does nothing
	s := w.openTerminal(cmd, 120, 400)
	s.see("Ask anything")
	s.enter("[[" + server + "]] please")
	var lines, results []string
	for _, u := range calls {
		if u.answer != nil {
			u.answer(s)
		}
		lines, results = append(lines, u.shows), append(results, u.shows, u.want)
	}
	s.see(fmt.Sprintf("%d tool", len(calls)))
	s.seeInOrder(append(lines, allUsed(server)))
	s.press("\x18") // ctrl+x
	s.seeInOrder(append(results, allUsed(server)))
	s.leave()
}

// answers presses keys once a question can be read, and sees it go.
func (s *screen) answers(question, keys string) {
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
		missing = inOrder(screen, texts)
		return missing == ""
	})
}

// isUsedForText looks at what came back to the model: standard output has the answer alone.
func (w *world) isUsedForText(server string, calls []use) {
	w.t.Helper()
	out := w.run(manyRounds, "--model", user, "-p", "[["+server+"]] please")
	if out.code != 0 || out.stdout != allUsed(server)+"\n" {
		w.t.Errorf("exit code %d, the answer is %q\n%s", out.code, out.stdout, out.stderr)
	}
	same(w.t, "tool", w.offeredTools(server), toolsOf(calls))
	var results []string
	for _, u := range calls {
		results = append(results, u.gets(false))
	}
	if missing := inOrder(w.asked(), results); missing != "" {
		w.t.Errorf("the model was not given %q:\n%s", missing, w.asked())
	}
	if n := strings.Count(out.stderr, "the full-screen chat"); n != unanswered(calls) {
		w.t.Errorf("standard error says %d times that a question was declined, want %d:\n%s", n, unanswered(calls), out.stderr)
	}
}

// offeredTools are those of a server that the model was offered.
func (w *world) offeredTools(server string) (names []string) {
	w.t.Helper()
	for _, raw := range w.traffic.requests()[0].Tools {
		var tool struct{ Function struct{ Name string } }
		if err := json.Unmarshal(raw, &tool); err != nil {
			w.t.Fatal(err)
		}
		if name, ok := strings.CutPrefix(tool.Function.Name, server+"__"); ok {
			names = append(names, name)
		}
	}
	return names
}

// unanswered counts the calls that cannot be answered without a person.
func unanswered(calls []use) (n int) {
	for _, u := range calls {
		if u.alone != "" {
			n++
		}
	}
	return n
}

// An event is a line of stream-json.
type event struct {
	Type, ID string
	call
}

// isUsedForEvents looks at the events of every call. Results come as the calls end.
func (w *world) isUsedForEvents(server string, calls []use) {
	w.t.Helper()
	out := w.run(manyRounds, "--model", user, "--output", "stream-json", "-p", "[["+server+"]] please")
	var called []event
	results := map[string]event{}
	for line := range strings.Lines(out.stdout) {
		var e event
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
		w.t.Fatalf("exit code %d, %d calls and %d results, want %d\n%s", out.code, len(called), len(results), len(calls), out.stderr)
	}
	for i, u := range calls {
		status := map[bool]string{true: "error", false: "ok"}[strings.HasPrefix(u.shows, "✗") || u.failsAlone]
		r := results[called[i].ID]
		if r.Name != server+"__"+u.tool || r.Server != server || r.Status != status || !strings.Contains(r.Result, u.gets(false)) {
			w.t.Errorf("call %d, of %s, ends with %q, want %q: %s", i, u.tool, r.Status, status, r.call)
		}
		if !strings.Contains(u.shows, r.Title) {
			w.t.Errorf("the events call the tool %q, and the screen %q", r.Title, u.shows)
		}
	}
}
