package session_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
)

func summary(text string, from, until int) provider.Message {
	return provider.Message{Role: provider.RoleSummary, Text: text, Covers: &provider.Span{From: from, Until: until}}
}

// compact records the events of compacting.
func compact(t testing.TB, r *session.Recorder, m provider.Message) provider.Message {
	t.Helper()
	record(t, r, []event.Event{event.Appended{Messages: []provider.Message{m}},
		event.Compacted{Messages: m.Covers.Until - m.Covers.From, Before: 8000, After: 900}})
	return m
}

func TestWithdrawnReply(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	record(t, r, []event.Event{
		event.Appended{Messages: []provider.Message{{Role: provider.RoleUser, Text: "?"}}},
		event.Thinking{Delta: "Hm"}, event.Text{Delta: "The ans"},
		event.Withdrawn{},
		event.Text{Delta: "The answer"},
	})
	r.Close() // killed here
	_, conv, err := store.Load("")
	if err != nil || conv.Len() != 2 {
		t.Fatalf("%d messages, %v", conv.Len(), err)
	}
	if m := conv.Messages()[1]; m.Text != "The answer" || m.Thinking != "" || !m.Partial {
		t.Errorf("%+v", m)
	}
}

func TestCompact(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	want := append(ask(t, r, "one", "first"), ask(t, r, "two", "second")...)
	want = append(want, compact(t, r, summary("They counted to two.", 0, 4)))
	want = append(want, ask(t, r, "three", "third")...)
	r.Close()

	r, conv, err := store.Resume("")
	must(t, err)
	same(t, "resumed", conv.Messages(), want)
	if err := r.Rewind(9); err != nil { // to retry the last message
		t.Fatal(err)
	}
	want = append(want[:9:9], ask(t, r, "four", "fourth")...)
	info, conv, err := store.Load("")
	if err != nil || info.Title != "one" || info.Messages != 12 {
		t.Errorf("%+v, %v", info, err)
	}
	same(t, "after /retry", conv.Messages(), want)

	if err := r.Rewind(4); err != nil { // before the summary
		t.Fatal(err)
	}
	_, conv, _ = store.Load("")
	same(t, "below the summary", conv.Messages(), want[:4])
	r.Close()
}

// A summary refers to messages by number. If the numbers may be wrong, it is ignored.
func TestInvalidSummary(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	r := store.New()
	messages := ask(t, r, "one", "first")
	compact(t, r, summary("One.", 0, 4))
	messages = append(messages, ask(t, r, "two", "second")...)
	r.Close()
	text, _ := os.ReadFile(file(dir, r.ID()))
	whole := strings.SplitAfter(string(text), "\n")

	damaged := strings.Join(whole[:3], "") + "\x00\x00\n" + strings.Join(whole[3:], "")
	must(t, os.WriteFile(file(dir, "x"), []byte(damaged), 0o600))
	info, conv, err := store.Load("x")
	if err != nil || info.Skipped != 1 {
		t.Errorf("%+v, %v", info, err)
	}
	same(t, "a file that lost a line", conv.Messages(), messages)

	for i, span := range []string{`{"from":0,"until":9}`, `{"from":-1,"until":2}`, `{"from":3,"until":1}`, `null`} {
		hostile := strings.Replace(string(text), `{"from":0,"until":4}`, span, 1)
		must(t, os.WriteFile(file(dir, "x"), []byte(hostile), 0o600))
		_, conv, err := store.Load("x")
		must(t, err)
		same(t, fmt.Sprint("span ", i), conv.Messages(), messages)
	}
}
