package session_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares got with a file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		must(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("got\n%s\nwant the content of %s (write it with -update), %v", got, file, err)
	}
}

func export(t *testing.T, store *session.Store, format session.Format) string {
	t.Helper()
	var out strings.Builder
	must(t, store.Export(&out, "", format))
	return out.String()
}

// TestExport exports a conversation with attachments, sources, compacting, every kind of call and end, and a turn that
// a crash interrupted.
func TestExport(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	say := func(messages ...provider.Message) {
		record(t, r, []event.Event{event.Appended{Messages: messages}})
	}
	sources := func(uris ...string) {
		record(t, r, []event.Event{event.Ended{Result: event.Result{Model: "m", Sources: uris}}})
	}
	ask(t, r, "What time is it?", "It is noon.")
	say(provider.Message{Role: provider.RoleUser, Text: "Promote Bob", From: "/all:promote"})
	say(provider.Message{Role: provider.RoleAssistant, Text: "Why?", From: "/all:promote"})
	sources("https://example.com/a", "file:///x\x1b[2J\n- forged", "data:"+strings.Repeat("x", 1<<20))
	compact(t, r, summary("Bob was promoted.", 0, 6))
	say(provider.Message{Role: provider.RoleUser, Text: "See it", Attached: []provider.Attachment{
		{Server: "all", URI: "demo://note", Text: "buy ``` milk\x1b[31m\n", Images: 1}}})
	say(provider.Message{Role: provider.RoleAssistant, Text: "I see"})
	compact(t, r, summary("", 0, 9)) // within an answer
	say(provider.Message{Role: provider.RoleAssistant, Text: "a note."})
	sources("https://example.com/a", "https://example.com/b")
	end := func(stop event.Stop, call event.ToolCall) {
		record(t, r, []event.Event{
			event.Appended{Messages: []provider.Message{{Role: provider.RoleUser, Text: "?"}}},
			event.ToolFinished{Call: call},
			event.Appended{Messages: []provider.Message{
				{Role: provider.RoleAssistant, Calls: []provider.Call{
					{ID: call.ID, Name: call.Name, Arguments: json.RawMessage("{}")},
				}},
				{Role: provider.RoleTool, CallID: call.ID, Tool: call.Name, Text: "x", Failed: call.Status != event.CallOK},
				{Role: provider.RoleAssistant, Text: "Half", Partial: stop.Reason == event.Cancelled},
			}},
			event.Ended{Result: event.Result{
				Model: "m", Stop: stop, ToolCalls: []event.ToolCall{call}, Timing: event.Timing{Total: 3000},
			}},
		})
	}
	end(event.Stop{Reason: event.Cancelled}, event.ToolCall{ID: "1", Name: "a", Status: event.CallCancelled})
	used := "[Unable to complete task: 2 tool rounds used (limits.iterations = 2)]"
	end(event.Stop{Reason: event.Iterations, Detail: used, Limit: 2},
		event.ToolCall{ID: "2", Name: "b", Status: event.CallOK, Repairs: []string{"n: \"3\" → 3\x1b[2J"}})
	end(event.Stop{Reason: event.Failed, Detail: "the server went away; start it again"},
		event.ToolCall{ID: "3", Name: "c", Status: event.CallDenied})
	end(event.Stop{Reason: event.InvalidTool, Detail: "[Unable to complete task: there is no tool d]"},
		event.ToolCall{ID: "4", Name: "d", Status: event.CallError})
	record(t, r, []event.Event{
		event.Appended{Messages: []provider.Message{{Role: provider.RoleUser, Text: "Run it"}}},
		event.Text{Delta: "I will"},
		event.ToolCalled{Call: event.ToolCall{
			ID: "5", Name: "run", Arguments: json.RawMessage("{\"x\":\"```\"}"), Status: event.CallPending,
		}},
	})
	r.Close()

	text := export(t, store, session.Markdown)
	head, rest, _ := strings.Cut(text, "\n## You")
	if !strings.HasPrefix(head, "# What time is it?\n\n*m · 20") || !strings.Contains(head, r.ID()) {
		t.Errorf("the header is %q", head)
	}
	golden(t, "testdata/export.md", "## You"+rest)
	var whole struct {
		session.Info
		Conversation []provider.Message
		Sources      []string
	}
	must(t, json.Unmarshal([]byte(export(t, store, session.JSON)), &whole))
	sent := "https://example.com/a file:///x\x1b[2J\n- forged https://example.com/b"
	if got := strings.Join(whole.Sources, " "); got != sent {
		t.Errorf("the sources are %q", got)
	}
	if whole.ID != r.ID() || whole.Title != "What time is it?" {
		t.Errorf("%+v", whole.Info)
	}
	if m := whole.Conversation[7]; m.Attached[0].Text != "buy ``` milk\x1b[31m\n" ||
		whole.Conversation[5].From != "/all:promote" {
		t.Errorf("attached is %+v", m.Attached)
	}
}
