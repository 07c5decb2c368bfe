package headless

import (
	"context"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// question is your input, and the messages made from it.
type question struct {
	text     string
	messages []provider.Message // nil before it is read
}

// read makes the messages of a question. It attaches mentioned resources, and expands a prompt of a server.
func (t *talk) read(ctx context.Context, q *question) error {
	if q.messages != nil {
		return nil
	}
	in := t.input(q.text)
	if wants := t.chat.Wants(in); wants != "" { // the servers may still be starting
		t.out.status(status.State{Phase: status.Connecting, Text: status.Attaching(wants), Since: time.Now()})
	}
	reader := t.chat.Reader()
	call, err := reader.Find(ctx, in)
	if err != nil {
		return err
	}
	messages, notes, err := reader.Messages(ctx, in, call)
	if err != nil {
		return err
	}
	for _, note := range notes {
		t.out.event(event.Notice{Text: note})
	}
	q.messages = messages
	return nil
}

// input marks the part of a message that was piped in. In the plain line mode, prompts are not used.
func (o *Options) input(text string) attach.Input {
	in := attach.Input{Text: text, Message: o.lines}
	if before, ok := strings.CutSuffix(text, o.Unread); ok && o.Unread != "" {
		in.Foreign = []attach.Span{{From: len(before), Until: len(text)}}
	}
	return in
}
