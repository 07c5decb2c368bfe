package session_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
)

// result returns the result of a turn with two steps.
func result(tokens int) event.Result {
	return event.Result{
		Model: "m", Stop: event.Stop{Reason: event.Done}, Rounds: 1, Sources: []string{"https://example.com"},
		ToolCalls: []event.ToolCall{{
			ID: fmt.Sprint("call-", tokens), Name: "read", Server: "files", Title: "Read", Status: event.CallOK,
			DurationMS: 400, Result: "much text", Repairs: []string{"path: 3 → \"3\""},
		}},
		Usage: event.TurnUsage{PromptTokens: 2100, AnswerTokens: tokens},
		Timing: event.Timing{Load: 9000, Total: 18_000, Steps: []event.Lap{
			{Kind: event.LapLoad, MS: 9000},
			{Kind: event.LapRead, Tokens: 80, Most: 120, Mark: event.About, MS: 300},
			{Kind: event.LapTool, Round: 1, Title: "Read File", Status: event.CallOK, MS: 400},
		}},
	}
}

// recordTurn records a turn.
func recordTurn(t testing.TB, r *session.Recorder, tokens int) {
	t.Helper()
	result := result(tokens)
	call := result.ToolCalls[0]
	said := []provider.Message{
		{Role: provider.RoleUser, Text: "?"},
		{Role: provider.RoleAssistant, Calls: []provider.Call{{ID: call.ID, Name: call.Name}}},
		{Role: provider.RoleTool, CallID: call.ID, Text: call.Result},
		{Role: provider.RoleAssistant, Text: "!"},
	}
	record(t, r, []event.Event{
		event.Appended{Messages: said[:1]}, event.ToolFinished{Call: call}, event.Appended{Messages: said[1:3]},
		event.Appended{Messages: said[3:]}, event.Ended{Result: result},
	})
}

// describe returns the length and tokens of turns: "2:10 4:20".
func describe(turns []session.Turn) string {
	var b strings.Builder
	for _, turn := range turns {
		fmt.Fprintf(&b, "%d:%d ", turn.Messages, turn.Result.Usage.AnswerTokens)
	}
	return strings.TrimSpace(b.String())
}

func TestTurnsAfterResume(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	r := store.New()
	recordTurn(t, r, 10)
	recordTurn(t, r, 20)
	compact(t, r, summary("Of this and that.", 0, 2)) // a message, but not a turn
	recordTurn(t, r, 30)
	if got := describe(r.Turns()); got != "" {
		t.Errorf("a new session has the turns %q", got)
	}
	r.Close()
	if text, err := os.ReadFile(file(dir, r.ID())); err != nil || strings.Contains(string(text), `"arguments":null`) {
		t.Errorf("arguments that are left out are in the file: %v\n%s", err, text)
	}

	again, conv, err := store.Resume("")
	if err != nil || conv.Len() != 13 {
		t.Fatal(conv.Len(), err)
	}
	if got := describe(again.Turns()); got != "4:10 8:20 13:30" {
		t.Errorf("turns are %q", got)
	}
	want := result(30)
	want.ToolCalls[0].Arguments, want.ToolCalls[0].Result = nil, ""
	if last := again.Turns()[2]; !reflect.DeepEqual(last.Result, want) {
		t.Errorf("kept is\n%+v of\n%+v", last.Result, want)
	}
	must(t, again.Rewind(9))
	recordTurn(t, again, 40)
	again.Close()
	last, _, err := store.Resume("")
	if err != nil || describe(last.Turns()) != "4:10 8:20 13:40" {
		t.Errorf("resumed once more turns are %q, %v", describe(last.Turns()), err)
	}
	last.Close()
}

// If messages have moved, the ends of turns are not shown below the wrong ones.
func TestTurnsOfDamagedFile(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	r := store.New()
	recordTurn(t, r, 10)
	r.Close()
	f, err := os.OpenFile(file(dir, r.ID()), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(`{"type":"message","message":{"role":"tool","call_id":"nobody asked","text":"x"}}` + "\n" +
		`{"type":"message","message":{"role":"user","text":"?"}}` + "\n" +
		`{"type":"end","end":{"usage":{"answer_tokens":20}}}` + "\n")
	must(t, err)
	f.Close()
	again, conv, err := store.Resume("")
	if err != nil || conv.Len() != 5 || describe(again.Turns()) != "4:10" {
		t.Errorf("%d messages, turns are %q, %v", conv.Len(), describe(again.Turns()), err)
	}
	again.Close()
}

func TestEndTooLong(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	r := store.New()
	result := result(1)
	for range 10_000 {
		step := event.Lap{Kind: event.LapTool, Title: strings.Repeat("long ", 1000)}
		result.Timing.Steps = append(result.Timing.Steps, step)
	}
	question := event.Appended{Messages: []provider.Message{{Role: provider.RoleUser}}}
	record(t, r, []event.Event{question, event.Ended{Result: result}})
	r.Close()
	info, err := os.Stat(file(dir, r.ID()))
	if err != nil || info.Size() > 200_000 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	if stats, err := store.Stats(); err != nil || stats.Turns != 1 {
		t.Errorf("%d turns, %v", stats.Turns, err)
	}
}
