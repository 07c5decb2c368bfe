package status_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/status"
)

func TestStopwatchCountsOnlyWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w status.Stopwatch
		expect := func(want time.Duration, when string) {
			t.Helper()
			if got := w.Elapsed(); got != want {
				t.Errorf("%s: %v, want %v", when, got, want)
			}
		}
		time.Sleep(time.Second)
		expect(0, "not started")
		w.Start()
		time.Sleep(2 * time.Second)
		expect(2*time.Second, "running")
		w.Pause()
		time.Sleep(time.Minute)
		w.Pause()
		time.Sleep(time.Minute)
		w.Resume()
		time.Sleep(time.Minute)
		expect(2*time.Second, "the first pause has not ended")
		w.Resume()
		time.Sleep(3 * time.Second)
		expect(5*time.Second, "running again")
		w.Resume()
		time.Sleep(time.Second)
		expect(6*time.Second, "a Resume too many changes nothing")
		w.Start()
		expect(0, "started anew")
	})
}

func TestStopwatchStampsAState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w status.Stopwatch
		w.Start()
		time.Sleep(2 * time.Second)
		s := w.Stamp(status.State{Phase: status.Thinking})
		time.Sleep(time.Second)
		if got := s.Elapsed(time.Now()); got != 3*time.Second || s.Paused {
			t.Errorf("running: %v, paused %v", got, s.Paused)
		}
		w.Pause()
		s = w.Stamp(s)
		time.Sleep(time.Hour)
		if got := s.Elapsed(time.Now()); got != 3*time.Second || !s.Paused || s.Phase != status.Thinking {
			t.Errorf("paused: %v of %+v", got, s)
		}
	})
}
