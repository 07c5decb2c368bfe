package session_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
)

// finish records the end of a turn with so many rounds, which took so many seconds of writing.
func finish(t testing.TB, r *session.Recorder, model string, stop provider.Reason, rounds int, seconds int64, calls ...provider.ToolCall) {
	t.Helper()
	var limit any
	if stop == provider.Iterations {
		limit = rounds
	}
	question := []provider.Message{{Role: provider.RoleUser, Text: "?"}}
	record(t, r, []provider.Event{provider.Appended{Messages: question}, provider.Ended{Result: provider.Result{
		Model: model, Stop: provider.Stop{Reason: stop, Limit: limit}, Rounds: rounds, ToolCalls: calls,
		Usage:  provider.TurnUsage{PromptTokens: 1000, AnswerTokens: int(seconds) * 30},
		Timing: provider.Timing{Load: 100, Prompt: 2000, Answer: seconds * 1000, Tools: 50, Total: seconds*1000 + 2150},
	}}})
}

func called(server, name string, status provider.CallStatus, ms int64, repairs ...string) provider.ToolCall {
	return provider.ToolCall{ID: "c", Server: server, Name: name, Status: status, DurationMS: ms, Repairs: repairs, Result: "much text"}
}

func TestStats(t *testing.T) {
	store := session.Open(t.TempDir())
	first := store.New()
	ask(t, first, "one", "first") // a done turn of qwen3:8b with one round
	finish(t, first, "qwen3:8b", provider.Done, 3, 10,
		called("clock", "clock__now", provider.CallOK, 10), called("clock", "clock__now", provider.CallError, 5000, "zone: 3 → \"3\""),
		called("clock", "clock__now", provider.CallOK, 30), called("clock", "clock__now", provider.CallCached, 0),
		called("", "get_time", provider.CallError, 0), called("", "time_get", provider.CallError, 0), called("", "read_more", provider.CallOK, 1))
	finish(t, first, "qwen3:8b", provider.Iterations, 10, 20, called("files", "files__write_file", provider.CallDenied, 0))
	compact(t, first, summary("One and two.", 0, 4)) // is no turn
	record(t, first, []provider.Event{provider.Ended{Result: provider.Result{Model: "qwen3:8b", Stop: provider.Stop{Reason: provider.Done}}}})
	if err := first.Rewind(0); err != nil { // what is taken back has happened all the same
		t.Error(err)
	}
	second := store.New()
	finish(t, second, "qwen3:8b", provider.Cancelled, 0, 900)
	finish(t, second, "small", provider.Failed, 0, 900)
	second.Close()

	stats, err := store.Stats(session.StatsFilter{})
	if err != nil || stats.From.IsZero() || stats.Until.Before(stats.From) {
		t.Fatalf("%+v, %v", stats, err)
	}
	stats.From, stats.Until = time.Time{}, time.Time{}
	// The turn that was cancelled after 15 minutes says nothing about how long the work takes.
	encoded, err := json.MarshalIndent(stats, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/stats.json", string(encoded)+"\n")
	golden(t, "testdata/stats.txt", stats.Text()+"\n")
}

func TestStatsOfSomeTurns(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	if stats, err := session.Open(filepath.Join(dir, "not there yet")).Stats(session.StatsFilter{}); err != nil || stats.Turns != 0 || stats.Text() != "No turns yet." {
		t.Errorf("%+v, %v", stats, err)
	}
	at := func(day int) string { return time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC).Format(time.RFC3339) }
	end := func(day int) string {
		return `{"type":"end","time":"` + at(day) + `","end":{"stop":{"reason":"done"},"timing_ms":{"answer":4000,"total":1500}}}` + "\n"
	}
	text := `{"type":"model","model":"a"}` + "\n" + end(1) + end(3) + `{"type":"model","model":"b"}` + "\n" + end(4) + end(5)
	if err := os.WriteFile(file(dir, "x"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, which := range map[int]session.StatsFilter{
		4: {},
		2: {Model: "a"},
		1: {Model: "a", Since: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)},
		3: {Since: time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)},
		0: {Since: time.Now().Add(time.Hour)},
	} {
		if stats, err := store.Stats(which); err != nil || stats.Turns != want {
			t.Errorf("%+v: %d turns, %v", which, stats.Turns, err)
		}
	}
	if stats, _ := store.Stats(session.StatsFilter{}); stats.Models[0].Latency.Total.Median != 4000 {
		t.Errorf("a turn takes less than its answer: %+v", stats.Models[0].Latency) // model servers have clocks of their own
	}
	var read struct{ Models []map[string]any }
	none, _ := store.Stats(session.StatsFilter{Model: "c"})
	if data, err := json.Marshal(none); err != nil || json.Unmarshal(data, &read) != nil || string(data) != `{"turns":0,"conversations":0,"models":[]}` {
		t.Errorf("%s, %v", data, err)
	}
}

func TestStatsOfDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	r := store.New()
	ask(t, r, "one", "first")
	r.Close()
	// Lines that are longer than any buffer, that look like others, or that are cut.
	damaged := `{"type":"message","message":{"role":"user","text":"` + strings.Repeat(`"type":"end" `, 50_000) + `"}}` + "\n" +
		"\x00\x00{{{\nnull\n[]\n" + `{"type":"end"}` + "\n" + `{"type":"end","end":3}` + "\n" +
		`{"type":"end","end":{"rounds":1,"sources":["` + strings.Repeat("x", 2<<20) + `"]}}` + "\n" + // too long to be ours
		`{"type":"end","end":{"sources":["` + strings.Repeat("x", 200_000) + `"],"stop":{"reason":"gave_up\u001b[31m"},"rounds":-5,"timing_ms":{"total":-1}}}` + "\n" +
		`{"type":"end","end":{"stop":{"reason":"done"}`
	if err := os.WriteFile(file(dir, "damaged"), []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	stats, err := store.Stats(session.StatsFilter{})
	if err != nil {
		t.Error(err)
	}
	if stats.Turns != 2 || len(stats.Models) != 2 {
		t.Errorf("%+v", stats)
	}

	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if stats, err := session.Open(blocked).Stats(session.StatsFilter{}); err == nil || !strings.Contains(err.Error(), "cannot be read") || stats.Turns != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// checkText fails unless a terminal shows the text as it is.
func checkText(t testing.TB, stats session.Stats) {
	t.Helper()
	if text := stats.Text(); strings.HasSuffix(text, "\n") || strings.ContainsAny(text, "\x1b\u202e\u009b\t\r") {
		t.Errorf("a terminal would not show it as it is: %q", text)
	}
}

func TestTheTextOfStatsIsSafe(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	for i := range 100 {
		hostile := fmt.Sprintf("%d\x1b]0;evil\a\u202e%s", i, strings.Repeat("世界", 200))
		finish(t, r, "model\n"+hostile, provider.Reason("reason "+hostile), 1<<30, 1<<40, called(hostile, hostile, provider.CallError, 1<<60))
	}
	r.Close()
	stats, err := store.Stats(session.StatsFilter{})
	if err != nil || stats.Turns != 100 {
		t.Fatalf("%d turns, %v", stats.Turns, err)
	}
	checkText(t, stats)
	if lines := strings.Count(stats.Text(), "\n"); lines > 501 {
		t.Errorf("%d lines", lines)
	}
}

func TestRoundsAreLearnedFromWhatTurnsTook(t *testing.T) {
	dir := t.TempDir()
	r := session.Open(dir).New()
	turns := func(model string, n, rounds int, stop provider.Reason) {
		for range n {
			finish(t, r, model, stop, rounds, 1)
		}
	}
	turns("new", 19, 3, provider.Done)
	turns("new", 50, 9, provider.Cancelled) // says nothing
	turns("quick", 30, 1, provider.Done)
	turns("usual", 97, 2, provider.Done)
	turns("usual", 2, 8, provider.Done)
	turns("usual", 1, 24, provider.Done) // one of a hundred
	turns("busy", 25, 40, provider.Done)
	turns("short", 96, 3, provider.Done)
	turns("short", 4, 6, provider.Iterations) // it would have gone on
	r.Close()
	store := session.Open(dir)
	for model, want := range map[string]int{"never seen": 10, "new": 10, "quick": 5, "usual": 12, "busy": 25, "short": 9} {
		if got := store.Rounds(model); got != want {
			t.Errorf("%s: %d rounds, want %d", model, got, want)
		}
	}
	// A chat keeps to what it found: the answer to one question does not change the rules for the next.
	if err := os.Remove(file(dir, r.ID())); err != nil {
		t.Fatal(err)
	}
	if again, fresh := store.Rounds("usual"), session.Open(dir).Rounds("usual"); again != 12 || fresh != 10 {
		t.Errorf("%d and %d rounds", again, fresh)
	}
	if n := session.Open(file(dir, "no folder")).Rounds("usual"); n != 10 {
		t.Errorf("%d rounds without a folder", n)
	}
}
