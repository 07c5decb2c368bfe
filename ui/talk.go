package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/screen"
)

// talk has the conversation, its running turn, and the queue of your inputs.
type talk struct {
	chat       *loop.Chat
	observer   *status.Observer
	conv       provider.Conversation
	recorder   *session.Recorder // nil if nothing is saved
	turn       *turn             // nil if none runs
	queue      []attach.Input    // your inputs while the turn runs
	begun      bool              // a turn has begun
	stopped    bool              // the last turn was stopped and can be continued
	compacting bool              // a summary is being written, not a turn
	window     provider.Window   // when the turn began
}

func newTalk(chat *loop.Chat, style status.Style, conv provider.Conversation, recorder *session.Recorder) talk {
	observer := &status.Observer{Style: style, Clock: chat.Clock, Log: chat.Log}
	t := talk{chat: chat, observer: observer, conv: conv, recorder: recorder, begun: conv.Len() > 0}
	for i, last := range slices.Backward(conv.Messages()) {
		if last.Role == provider.RoleSummary { // summaries are not messages
			continue
		}
		if turn, ok := recorder.LastTurn(); ok && turn.Messages > i {
			t.stopped = canGoOn(turn.Result.Stop)
		} else {
			t.stopped = last.Partial || last.Role != provider.RoleAssistant // it was saved in the middle of a turn
		}
		break
	}
	return t
}

// unqueue removes the last input from the queue and returns it.
func (t *talk) unqueue() attach.Input {
	last := t.queue[len(t.queue)-1]
	t.queue = t.queue[:len(t.queue)-1]
	return last
}

// unqueueAll empties the queue.
func (t *talk) unqueueAll() []attach.Input {
	all := t.queue
	t.queue = nil
	return all
}

// canGoOn reports whether a stopped turn can be continued.
func canGoOn(s event.Stop) bool { return s.Reason != event.Done && s.Reason != event.GaveUp }

func (t *talk) busy() bool { return t.turn != nil }

// send begins a turn with your message, or with the messages of a prompt.
func (t *talk) send(messages ...provider.Message) tea.Cmd {
	chat := t.chat
	return t.begin(func(ctx context.Context, conv provider.Conversation) event.Events {
		return chat.SendAll(ctx, conv, messages...)
	})
}

// resume begins a turn that continues the stopped one.
func (t *talk) resume() tea.Cmd { return t.begin(t.chat.Resume) }

func (t *talk) begin(events source) tea.Cmd {
	t.stopped, t.compacting, t.begun = false, false, true
	t.window = t.chat.Window()
	turn, conv, record := newTurn(), t.conv, t.recorder.Record
	t.observer.Show = turn.show
	run, cancel := screen.Start(func(ctx context.Context, _ func(tea.Msg)) {
		turn.put(turn.pump(ctx, conv, events, t.observer, record))
	})
	t.turn, turn.cancel = turn, cancel
	return tea.Batch(run, turn.wait)
}

// suspend stops the clocks of the running turn until resume is called.
func (t *talk) suspend() (resume func()) {
	run := t.chat.Suspend()
	return func() {
		run()
		t.observer.Refresh()
	}
}

// room returns the size of the context window.
func (t *talk) room() provider.Window {
	if t.busy() {
		return t.window // the turn uses the chat
	}
	return t.chat.Window()
}

// ended stores the conversation of the turn.
func (t *talk) ended(ev event.Ended) {
	t.turn = nil
	t.conv = ev.Conversation
	if t.compacting {
		return
	}
	t.stopped = canGoOn(ev.Result.Stop) && t.conv.Len() > 0
}

// takeBack removes the last question and everything after it, and returns it.
func (t *talk) takeBack() (question []provider.Message, err error) {
	before, question := t.conv.LastQuestion()
	if question == nil {
		return nil, nil
	}
	t.conv = t.conv.Until(before)
	return question, t.recorder.Rewind(before)
}

// renew begins a new conversation, with its own session.
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

// wayBack returns the shell command that resumes the conversation, or "" if nothing was saved.
func (t *talk) wayBack() string {
	if !t.begun || !t.recorder.Saved() {
		return ""
	}
	return "aloud --resume " + t.recorder.ID()
}

// quit closes a session that was started here. The turn must have ended.
func (t *talk) quit(given *session.Recorder) error {
	if t.recorder == given {
		return nil // the caller closes it
	}
	return t.recorder.Close()
}
