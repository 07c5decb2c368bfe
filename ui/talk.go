package ui

import (
	"context"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// talk has the chat, its running turn, and the queue of your inputs.
type talk struct {
	chat    *live.Chat
	turn    *turn // nil if none runs
	queue   queue
	summary bool         // the turn only summarises older messages
	last    event.Result // of the last answer
	limited time.Time    // when a limit ended it; zero if it did not end so
	rested  time.Time    // when the last turn ended
	escaped time.Time    // when esc last did nothing on an empty line
}

func (t *talk) busy() bool { return t.turn != nil }

// stopped reports whether the last turn was stopped and can be continued.
func (t *talk) stopped() bool { return !t.busy() && t.chat.Stopped() }

// resumable reports whether to suggest going on after a stop. The notice of a failure has what helps instead.
func (t *talk) resumable() bool { return t.stopped() && t.last.Stop.Reason != event.Failed }

// end forgets the turn, which has ended, and returns it, and whether it was only a summary. The queue waits for you if
// the turn was stopped or failed.
func (t *talk) end(result event.Result) (ended *turn, summary bool) {
	if ended, summary = t.turn, t.summary; !summary {
		t.last, t.limited = result, limitedAt(result.Stop, time.Now())
	}
	t.turn, t.summary, t.rested = nil, false, time.Now()
	t.queue.unsteer()
	t.queue.held = slices.Contains([]event.Reason{event.Cancelled, event.Denied, event.Failed}, result.Stop.Reason)
	return ended, summary
}

// show shows the conversation as it is now.
func (t *talk) show(shown *transcript.Transcript, bar *statusBar, f *footer) {
	conv, turns, last := t.chat.Conversation(), t.chat.Turns(), session.Turn{}
	if len(turns) > 0 {
		last = turns[len(turns)-1]
	}
	t.last, t.limited = last.Result, limitedAt(last.Result.Stop, time.Now())
	shown.Clear()
	shown.Load(conv, turns)
	bar.ruler = ruler{}
	bar.set(&status.State{})
	f.fill = provider.Fill{}
	f.resumed(last, conv)
}

// begin begins a turn.
func (t *talk) begin(events source) tea.Cmd {
	t.queue.held = false
	turn, chat := newTurn(t.chat), t.chat
	chat.Watch(turn.show)
	var once sync.Once
	turn.run = func(ctx context.Context) { once.Do(func() { turn.put(turn.pump(ctx, chat, events)) }) }
	run, cancel := screen.Start(func(ctx context.Context, _ func(tea.Msg)) { turn.run(ctx) })
	t.turn, turn.cancel = turn, cancel
	return tea.Batch(run, turn.wait)
}

// room returns the size of the context window.
func (t *talk) room() provider.Window {
	if t.busy() {
		return t.turn.room // the turn uses the chat
	}
	return t.chat.Settings().Window()
}

// saved returns the session of the conversation, or "" if nothing was saved.
func (t *talk) saved() string {
	if !t.chat.Saved() {
		return ""
	}
	return t.chat.Settings().Session
}
