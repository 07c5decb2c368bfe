package session_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
)

// turn returns the events and messages of a turn with a tool call.
func turn(question, answer string) (events []event.Event, messages []provider.Message) {
	call := provider.Call{ID: "call-" + question, Name: "clock__now", Arguments: json.RawMessage(`{"zone":"Asia/Tokyo"}`)}
	began := event.ToolCall{ID: call.ID, Name: call.Name, Arguments: call.Arguments, Status: event.CallPending}
	finished := began
	finished.Status, finished.Result = event.CallOK, "noon"
	messages = []provider.Message{
		{Role: provider.RoleUser, Text: question},
		{Role: provider.RoleAssistant, Text: "Let me see.", Thinking: "A clock.", Calls: []provider.Call{call}},
		{Role: provider.RoleTool, CallID: call.ID, Tool: call.Name, Text: "noon"},
		{Role: provider.RoleAssistant, Text: answer},
	}
	events = []event.Event{
		event.Appended{Messages: messages[:1]},
		event.Requesting{},
		event.Thinking{Delta: "A "}, event.Thinking{Delta: "clock."},
		event.Text{Delta: "Let me"}, event.Text{Delta: " see."},
		event.ToolCalled{Call: began},
		event.ToolFinished{Call: finished},
		event.Appended{Messages: messages[1:3]},
	}
	for _, word := range strings.SplitAfter(answer, " ") {
		events = append(events, event.Text{Delta: word})
	}
	events = append(events, event.Appended{Messages: messages[3:]},
		event.Ended{Result: event.Result{
			Model: "qwen3:8b", Answer: answer, Stop: event.Stop{Reason: event.Done}, Rounds: 1,
		}})
	return events, messages
}

func record(t testing.TB, r *session.Recorder, events []event.Event) {
	t.Helper()
	for _, ev := range events {
		must(t, r.Record(ev))
	}
}

// ask records a turn and returns its messages.
func ask(t testing.TB, r *session.Recorder, question, answer string) []provider.Message {
	t.Helper()
	events, messages := turn(question, answer)
	record(t, r, events)
	return messages
}

// summariesLookBack checks that every summary covers only messages before it.
func summariesLookBack(t testing.TB, messages []provider.Message) {
	t.Helper()
	for i, m := range messages {
		if s := m.Covers; m.Role == provider.RoleSummary && (s == nil || s.From < 0 || s.From > s.Until || s.Until > i) {
			t.Fatalf("message %d covers %+v", i, s)
		}
	}
}

func file(store, id string) string { return filepath.Join(store, id+".jsonl") }

// same compares conversations by their stored form.
func same(t testing.TB, what string, got, want []provider.Message) {
	t.Helper()
	g, _ := json.Marshal(append([]provider.Message{}, got...))
	w, _ := json.Marshal(append([]provider.Message{}, want...))
	if !bytes.Equal(g, w) {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// answeredCalls checks that every call has a result, which model servers require.
func answeredCalls(t testing.TB, messages []provider.Message) {
	t.Helper()
	var waiting []string
	for _, m := range messages {
		if m.Role == provider.RoleTool {
			if len(waiting) == 0 || waiting[0] != m.CallID {
				t.Fatalf("a result of %q instead of %q", m.CallID, waiting)
			}
			waiting = waiting[1:]
			continue
		}
		if len(waiting) > 0 {
			t.Fatalf("the calls %q have no result", waiting)
		}
		for _, c := range m.Calls {
			waiting = append(waiting, c.ID)
		}
	}
	if len(waiting) > 0 {
		t.Fatalf("the calls %q have no result", waiting)
	}
}

func TestRecordAndLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "sessions")
	store := session.Open(dir)
	before := time.Now().Add(-time.Second)
	r := store.New()
	if !regexp.MustCompile(`^20\d{6}-\d{6}-[a-z2-7]{4}$`).MatchString(r.ID()) {
		t.Errorf("the id is %q", r.ID())
	}
	want := append(ask(t, r, "What time is it in Tokyo?", "It is noon there."), ask(t, r, "And now?", "Still noon.")...)

	// Others can read it while it is being written.
	info, conv, err := store.Load("")
	must(t, err)
	same(t, "the conversation", conv.Messages(), want)
	if info.ID != r.ID() || info.Title != "What time is it in Tokyo?" || info.Model != "qwen3:8b" || info.Messages != 8 {
		t.Errorf("info is %+v", info)
	}
	if info.Started.Before(before) || info.Changed.Before(info.Started.Add(-time.Second)) {
		t.Errorf("it started at %v and changed at %v", info.Started, info.Changed)
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{dir: 0o700, file(dir, r.ID()): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
			}
		}
	}
}

func TestEmptyChatLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	r := session.Open(dir).New()
	if err := errors.Join(r.Record(event.Requesting{}), r.Record(event.Ended{}), r.Rewind(0), r.Close()); err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("there is %v", entries)
	}
}

func TestNilRecorder(t *testing.T) {
	var r *session.Recorder
	if err := errors.Join(r.Record(event.Text{Delta: "x"}), r.Rewind(1), r.Close()); err != nil || r.ID() != "" {
		t.Errorf("%v, %q", err, r.ID())
	}
}

func TestRewind(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	first := ask(t, r, "one", "first")
	ask(t, r, "two", "second")
	must(t, r.Rewind(4))
	want := append(first, ask(t, r, "three", "third")...)
	_, conv, _ := store.Load("")
	same(t, "after /retry", conv.Messages(), want)

	if err := r.Rewind(0); err != nil {
		t.Error(err)
	}
	if info, conv, err := store.Load(""); conv.Len() != 0 || info.Title != "" || err != nil {
		t.Errorf("after /clear: %+v, %d messages, %v", info, conv.Len(), err)
	}
	want = ask(t, r, "four", "fourth")
	if err := r.Rewind(1000); err != nil {
		t.Error(err)
	}
	_, conv, _ = store.Load("")
	same(t, "after too many", conv.Messages(), want)
	if err := r.Rewind(-1); err != nil {
		t.Error(err)
	}
	_, conv, _ = store.Load("")
	same(t, "after too few", conv.Messages(), nil)
	r.Close()
}

func TestToolResultAfterKill(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	events, messages := turn("one", "unsaid")
	second := event.ToolCall{ID: "b", Name: "files__write", Arguments: json.RawMessage(`{}`),
		Status: event.CallPending}
	record(t, r, append(events[:7:7], event.ToolCalled{Call: second}, events[7]))
	r.Close()
	_, conv, err := store.Load("")
	if err != nil || conv.Len() != 4 {
		t.Fatalf("%d messages, %v", conv.Len(), err)
	}
	got := conv.Messages()
	if m := got[1]; !m.Partial || m.Text != "Let me see." || m.Thinking != "A clock." || len(m.Calls) != 2 {
		t.Errorf("the answer was %+v", m)
	}
	same(t, "the finished tool", got[2:3], messages[2:3])
	if m := got[3]; m.CallID != "b" || m.Tool != "files__write" || !m.Failed || !strings.Contains(m.Text, "ended before") {
		t.Errorf("the other tool gave %+v", m)
	}
}

func TestDamagedLines(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	r := store.New()
	want := ask(t, r, "one", "first")
	r.Close()
	text, _ := os.ReadFile(file(dir, r.ID()))
	lines := strings.SplitAfter(string(text), "\n")
	damage := `{"type":"message","mess` + "\n\x00\x00\x00\n" + `{"type":"message","message":3}` + "\n" +
		`{"type":"text","ti` + "\x00\x00" + `"message":{}}` + "\n"
	future := `{"type":"later","message":null,"x":[1]}` + "\nnull\n\n" +
		`{"type":"message"}` + "\n" + `{"type":"tool"}` + "\n" + `{"type":"rewind"}` + "\n"
	broken := lines[0] + damage + future + strings.Join(lines[1:], "") + damage
	must(t, os.WriteFile(file(dir, r.ID()), []byte(broken), 0o600))
	info, conv, err := store.Load("")
	if err != nil || info.Skipped != 8 {
		t.Errorf("%+v, %v", info, err)
	}
	same(t, "the rest", conv.Messages(), want)

	// If a line is missing, calls and results still match.
	for i := range lines {
		text := strings.Join(lines[:i], "") + "garbage\n" + strings.Join(lines[i+1:], "")
		must(t, os.WriteFile(file(dir, "x"), []byte(text), 0o600))
		_, conv, err := store.Load("x")
		must(t, err)
		answeredCalls(t, conv.Messages())
	}
}

func TestNewerFormat(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(file(dir, "x"), []byte(`{"type":"meta","version":3}`+"\n"), 0o600))
	store := session.Open(dir)
	r := store.New()
	ask(t, r, "one", "first")
	r.Close()
	if _, _, err := store.Load("x"); err == nil || !strings.Contains(err.Error(), "newer version of aloud") {
		t.Error(err)
	}
	infos, err := store.List()
	if len(infos) != 1 || infos[0].ID != r.ID() || err == nil ||
		!strings.Contains(err.Error(), `"x" was written by a newer`) {
		t.Errorf("%+v, %v", infos, err)
	}
}

func TestHostileMessages(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	r := store.New()
	calls := []provider.Call{{ID: "a", Name: "t\x1b[2J", Arguments: json.RawMessage(`{}`)}, {ID: "b", Name: "t"}}
	messages := []provider.Message{
		{Role: provider.RoleUser, Text: "\x1b[2J\u009b\u202e\u2028 \x00 <&>"},
		{Role: provider.RoleAssistant, Text: "bad \xff\xfe", Calls: calls},
		{Role: provider.RoleTool, CallID: "a", Text: "1", Images: [][]byte{{1, 2}}},
		{Role: provider.RoleTool, CallID: "b", Text: "2"},
	}
	record(t, r, []event.Event{
		event.Appended{Messages: messages}, event.ToolCalled{Call: event.ToolCall{}},
	})
	r.Close()
	info, conv, err := store.Load("")
	if err != nil || info.Skipped != 0 {
		t.Fatalf("%+v, %v", info, err)
	}
	got := conv.Messages()
	if got[0].Text != messages[0].Text || got[1].Calls[0].Name != calls[0].Name ||
		!reflect.DeepEqual(got[2].Images, messages[2].Images) {
		t.Errorf("%+v", got)
	}
	if text, _ := os.ReadFile(file(dir, r.ID())); strings.ContainsAny(string(text), "\x1b\u009b\u202e") {
		t.Errorf("control characters in %q", text)
	}
}

func TestRecordFails(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(blocked, nil, 0o600))
	r := session.Open(filepath.Join(blocked, "sessions")).New()
	events, _ := turn("one", "first")
	var told []error
	for _, ev := range events {
		if err := r.Record(ev); err != nil {
			told = append(told, err)
		}
	}
	if len(told) != 1 || !strings.HasPrefix(told[0].Error(), "this conversation is no longer saved: ") {
		t.Errorf("told: %v", told)
	}
	if r.Saved() {
		t.Error("it counts as saved")
	}
	if err := errors.Join(r.Rewind(0), r.Close()); err != nil {
		t.Error(err)
	}
}

func TestConcurrentRecord(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			for range 50 {
				m := provider.Message{Role: provider.RoleUser, Text: strings.Repeat(fmt.Sprint(i), 5000)}
				if err := r.Record(event.Appended{Messages: []provider.Message{m}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	r.Close()
	if info, conv, err := store.Load(""); err != nil || conv.Len() != 400 || info.Skipped != 0 {
		t.Errorf("%+v, %d messages, %v", info, conv.Len(), err)
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		`{"type":"meta","version":1}
{"type":"message","message":{"role":"user","text":"hi"}}
{"type":"text","delta":"he`,
		`{"type":"tool","call":{"id":"a","status":"ok","result":"1"}}
{"type":"resume"}
{"type":"rewind","keep":-1}`,
		`{"type":"message","message":{"role":"tool","call_id":"a"}}
{"type":"message","message":{"role":"assistant","calls":[{"id":"a","arguments":{}},{"id":"a"}]}}`,
		`{"type":"message","message":{"role":"user"}}
{"type":"message","message":{"role":"summary","text":"x","covers":{"from":0,"until":1}}}
{"type":"withdrawn"}
{"type":"end","end":{"rounds":1,"tool_calls":[{"name":"a"}],"sources":["\u001b"]}}
{"type":"rewind","keep":1}`,
		`{"type":"message","message":{"role":"assistant","calls":[{"id":"a"}]}}
{"type":"message","message":{"role":"summary","covers":{}}}
{"type":"message","message":{"role":"tool","call_id":"a"}}`,
		`{"type":"end","end":{"stop":{"reason":"gave_up\u001b[31m"},"rounds":-5,"timing_ms":{"total":-1}}}
{"type":"end","end":3}
`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		must(t, os.WriteFile(file(dir, "x"), data, 0o600))
		store := session.Open(dir)
		_, conv, err := store.Load("x")
		if err != nil {
			return
		}
		answeredCalls(t, conv.Messages())
		summariesLookBack(t, conv.Messages())
		if stats, err := store.Stats(); err != nil || strings.ContainsAny(stats.Text(), "\x1b\u202e\u009b\t\r") {
			t.Errorf("%q, %v", stats.Text(), err)
		}
		r, _, err := store.Resume("x")
		must(t, err)
		more := ask(t, r, "more", "and more")
		r.Close()
		_, all, err := store.Load("x")
		must(t, err)
		same(t, "continued", all.Messages(), conv.With(more...).Messages())
		for _, format := range []session.Format{session.Markdown, session.JSON} {
			var out strings.Builder
			if err := store.Export(&out, "x", format); err != nil || strings.ContainsAny(out.String(), "\x1b\u009b\u202e") {
				t.Errorf("%s: %q, %v", format, out.String(), err)
			}
		}
	})
}

func TestResumeWithOtherProvider(t *testing.T) {
	dir := t.TempDir()
	answer := func(r *session.Recorder, model string) {
		t.Helper()
		events, _ := turn("What time is it?", "It is noon.")
		ended := events[len(events)-1].(event.Ended)
		ended.Result.Model = model
		events[len(events)-1] = ended
		record(t, r, events)
		must(t, r.Close())
	}
	first := session.Open(dir).For("/work", "gpu").New()
	answer(first, "large")
	for _, step := range []struct{ was, now session.Used }{
		{session.Used{Model: "large", Provider: "gpu"}, session.Used{Model: "small", Provider: "ollama"}},
		{session.Used{Model: "small", Provider: "ollama"}, session.Used{Model: "small", Provider: "ollama"}},
		{session.Used{Model: "small", Provider: "ollama"}, session.Used{Model: "small", Provider: "gpu"}},
		{session.Used{Model: "small", Provider: "gpu"}, session.Used{Model: "large", Provider: "gpu"}},
	} {
		r, _, err := session.Open(dir).For("/work", step.now.Provider).Resume(first.ID())
		must(t, err)
		if r.Before() != step.was {
			t.Errorf("before, the session used %+v, not %+v", r.Before(), step.was)
		}
		answer(r, step.now.Model)
	}
	if r, _, err := session.Open(dir).For("/work", "gpu").Continue(); err != nil {
		t.Errorf("the conversation that began with this provider: %v", err)
	} else {
		r.Close()
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
