package headless

import (
	"context"
	"fmt"
	"slices"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
)

// compact is /compact: older messages make room for new ones. They stay in the session for people to read.
func (l *lines) compact(ctx context.Context, word string) {
	switch {
	case word == "undo":
		l.expand()
	case word != "":
		fmt.Fprintln(l.Stderr, "aloud: say /compact or /compact undo")
	case l.conv.Len() == 0:
		fmt.Fprintln(l.Stderr, "aloud: there is nothing to compact yet")
	default:
		l.summarise(ctx)
	}
}

// summarise asks the model for a summary. That is no turn: there is no answer and no receipt.
func (l *lines) summarise(ctx context.Context) {
	ctx, done := l.stoppable(ctx)
	defer done()
	if err := l.chooseModel(ctx); err != nil {
		PrintError(l.Stderr, err)
		return
	}
	for ev, err := range l.Chat.Compact(ctx, l.conv) {
		l.record(l.out, ev)
		ended, over := ev.(provider.Ended)
		if !over {
			l.out.event(ev)
			continue
		}
		l.out.event(provider.Status{State: status.State{Phase: status.Idle}})
		l.conv = ended.Conversation
		switch {
		case ended.Result.Stop.Reason == provider.Cancelled:
			fmt.Fprintln(l.Stderr, "\nStopped. The conversation is as it was.")
		case err != nil:
			PrintError(l.Stderr, err)
		}
	}
}

// expand is /compact undo: a summary that covers nothing lets the model read all messages again.
func (l *lines) expand() {
	if !compacted(l.conv) {
		fmt.Fprintln(l.Stderr, "aloud: nothing is compacted")
		return
	}
	undo := provider.Message{Role: provider.RoleSummary, Covers: &provider.Span{}}
	l.conv = l.conv.With(undo)
	l.record(l.out, provider.Appended{Messages: []provider.Message{undo}})
	fmt.Fprintln(l.Stderr, "The model reads all messages again.")
}

// compacted tells whether the last summary of a conversation covers any messages.
func compacted(c provider.Conversation) bool {
	for _, m := range slices.Backward(c.Messages()) {
		if m.Role == provider.RoleSummary {
			return m.Covers != nil && m.Covers.Until > m.Covers.From
		}
	}
	return false
}
