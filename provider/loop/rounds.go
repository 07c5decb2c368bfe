package loop

import (
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/event"
)

// AutoIterations as Limits.Iterations means the limit that earlier turns with the same model and servers show.
const AutoIterations = -1

// setRounds sets the limit of tool rounds if it is learned from use.
func (t *turn) setRounds() {
	if t.chat.Limits.Iterations == AutoIterations {
		t.limits.Iterations = t.known.book.Rounds(t.known.name, t.servers()).Limit
	}
}

// servers returns the names of the tool servers.
func (t *turn) servers() []string {
	if set, ok := t.chat.Tools.(mcpclient.Named); ok {
		return set.Servers()
	}
	return nil
}

// noteRounds records how many rounds a turn took that ended well. If a limit stops it and you continue it, the rounds
// of both count: else a limit that is too low would never be known to be.
func (t *turn) noteRounds(end ending) {
	k := t.known
	switch k.unfinished += t.result.Rounds; end.Reason {
	case event.Done:
		k.book.NoteRounds(k.name, t.servers(), k.unfinished)
	case event.Iterations:
		return
	}
	k.unfinished = 0
}

// roundsUsed returns the ending of a turn that used all its rounds.
func (t *turn) roundsUsed() ending {
	stop := event.Stop{Reason: event.Iterations, Value: t.limits.Iterations, Limit: t.limits.Iterations}
	if t.chat.Limits.Iterations == AutoIterations {
		stop.Cause = event.AutoLimit
	}
	return stopped(stop)
}
