package loop

import (
	"sync"
	"time"
)

// stopwatch measures a time with pauses, which may overlap. The zero value has not started. Safe for concurrent use.
type stopwatch struct {
	mu     sync.Mutex
	pauses int
	ran    time.Duration // before since
	since  time.Time     // when it last began to run; zero if not started
}

func (s *stopwatch) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = time.Now()
}

func (s *stopwatch) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ran = s.read()
	s.pauses++
}

// resume ends one pause.
func (s *stopwatch) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pauses--; s.pauses == 0 && !s.since.IsZero() {
		s.since = time.Now()
	}
}

func (s *stopwatch) elapsed() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read()
}

func (s *stopwatch) runs() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.since.IsZero() && s.pauses == 0
}

// read returns the time so far. s.mu must be held.
func (s *stopwatch) read() time.Duration {
	if s.since.IsZero() || s.pauses > 0 {
		return s.ran
	}
	return s.ran + time.Since(s.since)
}
