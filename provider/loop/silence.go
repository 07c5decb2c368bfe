package loop

import (
	"fmt"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
)

// slowStart is how long the first piece of a reply may take before it counts as stalled, where it is unknown how long it takes:
// a long prompt on a slow machine takes minutes to read.
const slowStart = 5 * time.Minute

// While the work clock stands still a server that never answers would keep a script waiting forever, so waiting has limits of its own.
const (
	longestLoad = 10 * time.Minute       // for the model to come into memory: the largest take some minutes from a slow disk
	longestRead = 100 * time.Millisecond // a token, and longestLoad at least, if you cannot choose to wait: the slowest machines read 40 a second
)

// silence notices that nothing more comes of a reply. Before its first piece much time may pass; after it limits.silence holds.
type silence struct {
	limit time.Duration // that holds now
	heard time.Time     // when the last piece came, or the wait began
	away  time.Duration // for which the program was suspended until then, at the last look
	begun bool          // a piece has come
	timer *time.Timer
	told  bool // Stalled was emitted
}

// listenForSilence begins to wait for a reply. The caller stops the timer.
func (l *listener) listenForSilence() {
	l.silence = &silence{timer: time.NewTimer(slowStart), away: l.clock.suspended()}
	l.silence.timer.Stop()
	l.awaitFirst(0)
}

// awaitFirst waits for the first piece of a reply that is expected to begin after so long; 0 if unknown.
func (l *listener) awaitFirst(expected time.Duration) {
	if l.silence.begun {
		return
	}
	patience := slowStart
	switch {
	case !l.chat.Interactive:
		patience = max(longestLoad, time.Duration(l.fresh)*longestRead)
	case expected > 0:
		patience = max(3*expected, l.limits.Silence)
	}
	l.silence.await(patience)
}

// await starts the wait again.
func (s *silence) await(limit time.Duration) {
	s.limit, s.heard, s.told = limit, time.Now(), false
	s.timer.Reset(limit)
}

// spoke notes a piece of the reply, with which a stall is over. The timer is left alone here, since pieces are many: it looks when it fires.
func (l *listener) spoke(c provider.Chunk) {
	s := l.silence
	switch {
	case c.Phase == provider.PhaseLoading:
		if !l.loading {
			s.await(longestLoad)
		}
	case c.Phase != provider.PhaseNone && c.Phase != provider.PhaseCalling:
	case !s.begun || s.told:
		s.begun = true
		s.await(l.limits.Silence)
	default:
		s.heard = time.Now()
	}
}

// stall looks how long the reply has been silent. When that is too long a Stalled says so. The turn ends where
// you cannot choose, and when a model does not load.
func (l *listener) stall() error {
	s := l.silence
	away := l.clock.suspended()
	silent := max(0, time.Since(s.heard)-(away-s.away))
	s.heard, s.away = time.Now().Add(-silent), away
	if rest := s.limit - silent; rest > 0 {
		s.timer.Reset(rest)
		return nil
	}
	if l.loading {
		return &provider.Error{Kind: provider.KindUnavailable, Text: fmt.Sprintf("the model %q was not loaded within %s", l.chat.Name, quantity.Duration(longestLoad)),
			Hint: "restart the model server, or choose a smaller model or context; the server's log says more"}
	}
	if !l.chat.Interactive && !s.begun {
		return &provider.Error{Kind: provider.KindUnavailable, Text: fmt.Sprintf("the model server has not begun to answer within %s", quantity.Duration(s.limit)),
			Hint: "see whether it works with: aloud doctor"}
	}
	if !l.chat.Interactive {
		return &provider.Error{Text: fmt.Sprintf("the model said nothing for %s in the middle of its reply", quantity.Duration(s.limit)),
			Hint: "see that the model server still works, then ask again; limits.silence sets how long to wait"}
	}
	s.told = true
	l.emit(provider.Stalled{Silence: silent})
	return nil
}
