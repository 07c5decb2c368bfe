package loop

import (
	"fmt"
	"time"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// slowStart is how long a reply may take to start before it counts as stalled, if no estimate is known. A slow
// machine takes minutes to read a long prompt.
const slowStart = 5 * time.Minute

// Limits for waiting while the work clock is stopped, so that a server that never answers cannot block a script
// forever.
const (
	longestLoad = 10 * time.Minute       // the largest models take minutes to load from a slow disk
	longestRead = 100 * time.Millisecond // per token, if not interactive: the slowest machines read 40 a second
)

// silence detects a reply that has stalled. Once the reply has started, the limit is Limits.Silence.
type silence struct {
	limit   time.Duration // now in force
	last    time.Time     // when the last piece came, or the wait began
	away    time.Duration // time suspended until the last check
	begun   bool          // a piece has come
	timer   *time.Timer
	stalled bool // Stalled was emitted
}

// listenForSilence starts to wait for a reply. The caller must stop the timer.
func (l *listener) listenForSilence() {
	l.silence = &silence{timer: time.NewTimer(slowStart), away: l.clock.now().Suspended}
	l.silence.timer.Stop()
	l.awaitFirst(0)
}

// awaitFirst waits for the first piece of a reply that should start within expected; 0 if unknown.
func (l *listener) awaitFirst(expected time.Duration) {
	if l.silence.begun {
		return
	}
	patience := slowStart
	switch {
	case !l.chat.Interactive:
		patience = max(longestLoad, time.Duration(l.ahead.size)*longestRead)
	case expected > 0:
		patience = max(3*expected, l.limits.Silence)
	}
	l.silence.await(patience)
}

// await restarts the wait.
func (s *silence) await(limit time.Duration) {
	s.limit, s.last, s.stalled = limit, time.Now(), false
	s.timer.Reset(limit)
}

// spoke notes a piece of the reply. It does not reset the timer, which would be slow for many pieces: the timer checks
// when it fires.
func (l *listener) spoke(c provider.Chunk) {
	s := l.silence
	switch {
	case c.Phase == provider.PhaseLoading:
		if !l.loading {
			s.await(longestLoad)
		}
	case c.Phase != provider.PhaseNone && c.Phase != provider.PhaseCalling:
	case !s.begun || s.stalled:
		s.begun = true
		s.await(l.limits.Silence)
	default:
		s.last = time.Now()
	}
}

// stall checks how long the reply has been silent, and emits Stalled if that is too long. It returns an error if the
// chat is not interactive or a model does not load.
func (l *listener) stall() error {
	s := l.silence
	away := l.clock.now().Suspended
	silent := max(0, time.Since(s.last)-(away-s.away))
	s.last, s.away = time.Now().Add(-silent), away
	if rest := s.limit - silent; rest > 0 {
		s.timer.Reset(rest)
		return nil
	}
	limit := quantity.Duration(s.limit)
	switch {
	case l.loading:
		return &provider.Error{Kind: provider.KindUnavailable,
			Text: fmt.Sprintf("model %q did not load within %s", l.chat.Name, limit),
			Hint: "restart the model server, or choose a smaller model or context; see also the server's log"}
	case l.chat.Interactive:
	case !s.begun:
		return &provider.Error{Kind: provider.KindUnavailable,
			Text: "the model server did not start to answer within " + limit, Hint: "check it with: aloud doctor"}
	default:
		return &provider.Error{Text: fmt.Sprintf("the model sent nothing for %s in the middle of its reply", limit),
			Hint: "check the model server, then ask again; limits.silence sets how long to wait"}
	}
	s.stalled = true
	l.emit(event.Stalled{Silence: silent})
	return nil
}
