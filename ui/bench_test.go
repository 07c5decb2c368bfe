package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// longChat returns a running chat with a number of messages on a screen of 100 by 30.
func longChat(b *testing.B, messages int) *model {
	answer := "# Answer\n\n" + strings.Repeat("Some words of *Markdown* with `code`. ", 20) + "\n\n- one\n- two\n"
	var conv provider.Conversation
	for i := range messages / 2 {
		conv = conv.With(
			provider.Message{Role: provider.RoleUser, Text: fmt.Sprint("question ", i)},
			provider.Message{Role: provider.RoleAssistant, Text: answer},
		)
	}
	o := with(says())
	o.Conversation = conv
	m := newModel(o)
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	m.begin(nil)
	m.status.set(&status.State{Phase: status.Formulating, Text: "Formulating response…", At: time.Now()})
	b.Cleanup(m.talk.turn.cancel)
	m.View()
	return m
}

// BenchmarkScreen draws a frame. The time is the same for ten messages and for ten thousand.
func BenchmarkScreen(b *testing.B) {
	for _, messages := range []int{10, 10_000} {
		b.Run(fmt.Sprint(messages), func(b *testing.B) {
			m := longChat(b, messages)
			b.ReportAllocs()
			for b.Loop() {
				m.status.tick(time.Now())
				m.View()
			}
		})
	}
}

// BenchmarkBatch adds 33 ms of text from a fast model, without drawing the frame.
func BenchmarkBatch(b *testing.B) {
	for _, messages := range []int{10, 10_000} {
		b.Run(fmt.Sprint(messages), func(b *testing.B) {
			m := longChat(b, messages)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				text := "some more words of the answer "
				if n++; n%20 == 0 {
					text = "and its end.\n\n"
				}
				m.Update(batchMsg{turn: m.talk.turn, events: []event.Event{event.Text{Delta: text}}})
			}
		})
	}
}
