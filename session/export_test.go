package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
)

func export(t *testing.T, store *session.Store, format session.Format) string {
	t.Helper()
	var out strings.Builder
	if err := store.Export(&out, "", format); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestExportForPeople(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	ask(t, r, "What time is it?", "It is noon.")
	record(t, r, []provider.Event{
		provider.Appended{Messages: []provider.Message{{Role: provider.RoleUser, Text: "Run it"}}},
		provider.Text{Delta: "I will"},
		provider.ToolCalled{Call: provider.ToolCall{ID: "b", Name: "run", Arguments: json.RawMessage(`{"x":"` + "```" + `"}`), Status: provider.CallPending}},
	})
	r.Close()
	got := export(t, store, session.Markdown)
	_, got, _ = strings.Cut(got, "\n") // the second line has the time
	head, got, _ := strings.Cut(strings.TrimSpace(got), "\n")
	if !strings.HasPrefix(head, "*qwen3:8b · 20") || !strings.Contains(head, r.ID()) {
		t.Errorf("the head is %q", head)
	}
	want := `
## You

What time is it?

## Answer

> A clock.

Let me see.

**clock__now** called with:

´´´json
{"zone":"Asia/Tokyo"}
´´´

**clock__now** answered:

´´´
noon
´´´

It is noon.

*✓ 1 tool · 0s*

## You

Run it

## Answer

I will

**run** called with:

´´´´json
{"x":"´´´"}
´´´´

*(stopped here)*

**run** failed:

´´´
aloud ended before this tool had finished; whether it did anything is not known.
´´´
`
	if want := strings.TrimSpace(strings.ReplaceAll(want, "´", "`")); strings.TrimSpace(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestExportForPrograms(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	messages := ask(t, r, "\x1b[2J\u202ehostile", "<It> is noon.")
	r.Close()

	var whole struct {
		session.Info
		Conversation []provider.Message `json:"conversation"`
	}
	text := export(t, store, session.JSON)
	if err := json.Unmarshal([]byte(text), &whole); err != nil || whole.ID != r.ID() || whole.Messages != 4 {
		t.Errorf("%+v, %v", whole, err)
	}
	same(t, "json", whole.Conversation, messages)

	lines := export(t, store, session.JSONL)
	var read []provider.Message
	for line := range strings.Lines(lines) {
		var m provider.Message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		read = append(read, m)
	}
	same(t, "jsonl", read, messages)
	if all := text + lines + export(t, store, session.Markdown); strings.ContainsAny(all, "\x1b\u202e") || !strings.Contains(all, "<It>") {
		t.Errorf("%q", all)
	}

	err := store.Export(&strings.Builder{}, "", "pdf")
	if err == nil || err.Error() != `the format "pdf" is not known; it is one of markdown, json and jsonl` {
		t.Error(err)
	}
}

func TestExportTellsWhatIsAttached(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	record(t, r, []provider.Event{provider.Appended{Messages: []provider.Message{
		{Role: provider.RoleUser, Text: "Promote Bob", From: "/all:promote"},
		{Role: provider.RoleAssistant, Text: "Why?", From: "/all:promote"},
		{Role: provider.RoleUser, Text: "See it", Attached: []provider.Attachment{{Server: "all", URI: "demo://note", Text: "buy ``` milk\x1b[31m\n", Images: 1}}},
	}}})
	r.Close()
	got := export(t, store, session.Markdown)
	for _, want := range []string{
		"## You\n\n*From the prompt /all:promote:*\n\nPromote Bob\n", "## Answer\n\n*From the prompt /all:promote:*\n\nWhy?\n",
		"See it\n\n**@all:demo://note** with 1 image\n\n````\nbuy ``` milk[31m\n````\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
	_, conv, err := store.Load("")
	if m := conv.Messages(); err != nil || len(m) != 3 || m[2].Attached[0].Text != "buy ``` milk\x1b[31m\n" || m[1].From != "/all:promote" {
		t.Errorf("it comes back as %+v, %v", m, err)
	}
}

// TestExportTellsHowTurnsEnded: a reader sees why an answer ends where it does, and what became of the calls.
func TestExportTellsHowTurnsEnded(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	end := func(stop provider.Stop, call provider.ToolCall) {
		record(t, r, []provider.Event{
			provider.Appended{Messages: []provider.Message{{Role: provider.RoleUser, Text: "?"}}},
			provider.ToolFinished{Call: call},
			provider.Appended{Messages: []provider.Message{
				{Role: provider.RoleAssistant, Calls: []provider.Call{{ID: call.ID, Name: call.Name}}},
				{Role: provider.RoleTool, CallID: call.ID, Tool: call.Name, Text: "x", Failed: call.Status != provider.CallOK},
			}},
			provider.Appended{Messages: []provider.Message{{Role: provider.RoleAssistant, Text: "Half", Partial: stop.Reason == provider.Cancelled}}},
			provider.Ended{Result: provider.Result{Stop: stop, ToolCalls: []provider.ToolCall{call}, Timing: provider.Timing{Total: 3000}}},
		})
	}
	end(provider.Stop{Reason: provider.Cancelled}, provider.ToolCall{ID: "1", Name: "a", Status: provider.CallCancelled})
	end(provider.Stop{Reason: provider.Iterations, Detail: "[Unable to complete task: 2 tool rounds used (limits.iterations = 2)]", Limit: 2},
		provider.ToolCall{ID: "2", Name: "b", Status: provider.CallOK, Repairs: []string{"n: \"3\" → 3\x1b[2J"}})
	end(provider.Stop{Reason: provider.Failed, Detail: "the server went away; start it again"}, provider.ToolCall{ID: "3", Name: "c", Status: provider.CallDenied})
	end(provider.Stop{Reason: provider.InvalidTool, Detail: "[Unable to complete task: there is no tool d]"}, provider.ToolCall{ID: "4", Name: "d", Status: provider.CallError})
	r.Close()
	got := export(t, store, session.Markdown)
	for _, want := range []string{
		"\nHalf\n\n[Unable to complete task: there is no tool d]\n",
		"**a** was stopped:", "\nHalf\n\n*■ Stopped by you · 1 tool · 3s*\n",
		"\n*mended: n: \"3\" → 3[2J*\n\n**b** answered:",
		"\nHalf\n\n[Unable to complete task: 2 tool rounds used (limits.iterations = 2)]\n\n*■ Stopped: 2 tool rounds used · 1 tool · 3s*\n",
		"**c** was refused:", "\nHalf\n\nStopped: the server went away; start it again\n\n*■ 1 tool · 3s*\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "topped"); n != 5 { // four turns and a call
		t.Errorf("it is told %d times that something was stopped:\n%s", n, got)
	}
}
