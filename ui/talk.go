package ui

import (
	"context"
	"iter"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
)

// talk is the conversation, the turn that runs in it, and what waits for the turn to end.
type talk struct {
	chat       *provider.Chat
	conv       provider.Conversation
	recorder   *session.Recorder // nil: nothing is saved
	turn       *turn             // nil while nobody works
	queue      []string          // inputs that wait
	begun      bool              // something was said
	stopped    bool              // the last turn was stopped and can go on
	compacting bool              // the turn is none: it makes a summary
	window     int               // tokens of context when the turn began
}

func newTalk(chat *provider.Chat, conv provider.Conversation, recorder *session.Recorder) talk {
	t := talk{chat: chat, conv: conv, recorder: recorder, begun: conv.Len() > 0}
	for _, last := range slices.Backward(conv.Messages()) {
		if last.Role != provider.RoleSummary { // those are not spoken
			t.stopped = last.Partial || last.Role != provider.RoleAssistant // the session before ended in the middle of a turn
			break
		}
	}
	return t
}

func (t *talk) busy() bool { return t.turn != nil }

// send begins a turn with a question, or with all that a prompt says.
func (t *talk) send(ctx context.Context, messages ...provider.Message) tea.Cmd {
	chat, conv := t.chat, t.conv
	return t.begin(ctx, func(ctx context.Context) iter.Seq2[provider.Event, error] {
		return chat.SendAll(ctx, conv, messages...)
	})
}

// resume begins a turn that goes on where the last one was stopped.
func (t *talk) resume(ctx context.Context) tea.Cmd {
	chat, conv := t.chat, t.conv
	return t.begin(ctx, func(ctx context.Context) iter.Seq2[provider.Event, error] { return chat.Resume(ctx, conv) })
}

func (t *talk) begin(ctx context.Context, events source) tea.Cmd {
	t.stopped, t.compacting, t.begun = false, false, true
	t.window = t.chat.Window()
	t.turn = startTurn(ctx, t.conv, events, t.recorder.Record)
	return t.turn.wait
}

// room is how many tokens of context there are.
func (t *talk) room() int {
	if t.busy() {
		return t.window // the chat is the turn's
	}
	return t.chat.Window()
}

// ended takes over what the turn has made of the conversation.
func (t *talk) ended(ev provider.Ended) {
	t.turn = nil
	t.conv = ev.Conversation
	if t.compacting {
		return
	}
	switch ev.Result.Stop.Reason {
	case provider.Done, provider.GaveUp:
		t.stopped = false
	default:
		t.stopped = t.conv.Len() > 0
	}
}

// takeBack drops the last question with everything after it, and returns it.
func (t *talk) takeBack() (question provider.Message, err error) {
	for i, m := range slices.Backward(t.conv.Messages()) {
		if m.Role == provider.RoleUser {
			t.conv = t.conv.Until(i)
			return m, t.recorder.Rewind(i)
		}
	}
	return provider.Message{}, nil
}

// renew begins a new conversation, in a session of its own.
func (t *talk) renew(newSession func() *session.Recorder) error {
	err := t.recorder.Close()
	t.recorder = nil
	if newSession != nil {
		t.recorder = newSession()
	}
	t.conv, t.stopped, t.begun = provider.Conversation{}, false, false
	t.chat.Session = t.recorder.ID()
	return err
}

// enqueue puts an input in line.
func (t *talk) enqueue(text string) { t.queue = append(t.queue, text) }

// dequeue takes the next input, if one waits and its time has come.
func (t *talk) dequeue() (string, bool) {
	if t.busy() || len(t.queue) == 0 {
		return "", false
	}
	next := t.queue[0]
	t.queue = t.queue[1:]
	return next, true
}

// unqueue takes back the last input in line.
func (t *talk) unqueue() (string, bool) {
	n := len(t.queue)
	if n == 0 {
		return "", false
	}
	last := t.queue[n-1]
	t.queue = t.queue[:n-1]
	return last, true
}

// quit ends the turn, waits for it, and closes a session that was begun here.
func (t *talk) quit(given *session.Recorder) error {
	if t.turn != nil {
		t.turn.stop()
	}
	if t.recorder == given {
		return nil // whoever opened it closes it
	}
	return t.recorder.Close()
}
