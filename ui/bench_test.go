package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
)

// talked is a chat with that many messages, in a screen of 100 by 30, while a turn runs.
func talked(b *testing.B, messages int) *model {
	var conv provider.Conversation
	for i := range messages / 2 {
		conv = conv.With(
			provider.Message{Role: provider.RoleUser, Text: fmt.Sprint("question ", i)},
			provider.Message{Role: provider.RoleAssistant, Text: "# Answer\n\n" + strings.Repeat("Some words of *Markdown* with `code`. ", 20) + "\n\n- one\n- two\n"},
		)
	}
	o := with(says())
	o.Conversation = conv
	m := newModel(b.Context(), o)
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	m.talk.turn = startTurn(b.Context(), conv, events(time.Hour), m.talk.observer, keepNothing)
	m.begin(nil)
	m.status.set(&status.State{Phase: status.Formulating, Text: "Formulating response…", At: time.Now()})
	b.Cleanup(m.talk.turn.stop)
	m.View()
	return m
}

// A frame costs the same with ten messages and with ten thousand.
func BenchmarkScreen(b *testing.B) {
	for _, messages := range []int{10, 10_000} {
		b.Run(fmt.Sprint(messages), func(b *testing.B) {
			m := talked(b, messages)
			b.ReportAllocs()
			for b.Loop() {
				m.status.tick(time.Now())
				m.View()
			}
		})
	}
}

// A batch of text: what 33 ms of a fast model cost, the frame not counted.
func BenchmarkBatch(b *testing.B) {
	for _, messages := range []int{10, 10_000} {
		b.Run(fmt.Sprint(messages), func(b *testing.B) {
			m := talked(b, messages)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				text := "some more words of the answer "
				if n++; n%20 == 0 {
					text = "and its end.\n\n"
				}
				m.Update(batchMsg{turn: m.talk.turn, events: []provider.Event{provider.Text{Delta: text}}})
			}
		})
	}
}
