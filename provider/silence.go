package provider

import (
	"fmt"
	"time"

	"github.com/aloudchat/aloud/status"
)

// silence notices that a reply that had begun says nothing more. Before the first piece any time may pass: a long prompt on a slow machine
// takes minutes to read.
type silence struct {
	limit time.Duration
	heard time.Time // the last piece; zero before the first
	timer *time.Timer
	told  bool          // it is silent, and a person knows
	again chan struct{} // a person wants the reply asked for once more
}

func newSilence(limit time.Duration) *silence {
	s := &silence{limit: limit, timer: time.NewTimer(limit), again: make(chan struct{}, 1)}
	s.timer.Stop()
	return s
}

// spoke notes a piece of the reply, with which a stall is over. The timer is left alone here, since pieces are many: it looks when it fires.
func (l *listener) spoke(c Chunk) {
	if c.Phase != PhaseNone {
		return
	}
	if l.silence.heard.IsZero() || l.silence.told {
		l.silence.timer.Reset(l.silence.limit)
	}
	l.silence.heard, l.silence.told = time.Now(), false
}

// stall looks how long the reply has been silent. When it is too long a person is told, who may wait, stop or have it asked for again. Where
// nobody is there to choose, the turn ends.
func (l *listener) stall() error {
	s := l.silence
	if rest := s.limit - time.Since(s.heard); rest > 0 {
		s.timer.Reset(rest)
		return nil
	}
	if !l.chat.Interactive {
		return &Error{Text: fmt.Sprintf("the model said nothing for %s in the middle of its reply", status.Duration(s.limit)),
			Hint: "see that the model server still works, then ask again; limits.silence sets how long to wait"}
	}
	s.told = true
	l.emit(Stalled{Silence: time.Since(s.heard), again: func() {
		select {
		case s.again <- struct{}{}:
		default: // already said
		}
	}})
	return nil
}
