package provider

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/status"
)

// sleeper is a clock that jumps when the program is suspended.
type sleeper struct{ slept atomic.Int64 }

func (s *sleeper) now() time.Time { return time.Now().Add(time.Duration(s.slept.Load())) }

func (s *sleeper) sleep(d time.Duration) { s.slept.Add(int64(d)) }

func TestNaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := &sleeper{}
		n := newNaps(clock.now)
		var skipped atomic.Int64
		n.start(func(d time.Duration) { skipped.Add(int64(d)) })
		defer n.stop()
		time.Sleep(10 * time.Second)
		if slept := n.look(); slept != 0 || skipped.Load() != 0 {
			t.Errorf("awake for ten seconds it says that it slept %v and %v", slept, time.Duration(skipped.Load()))
		}
		clock.sleep(time.Hour)
		if slept := n.look(); slept < time.Hour-beat || slept > time.Hour || time.Duration(skipped.Load()) != slept {
			t.Errorf("an hour of sleep counts as %v and %v", slept, time.Duration(skipped.Load()))
		}
		select {
		case <-n.woke:
		default:
			t.Error("nobody was woken")
		}
		time.Sleep(10 * time.Second)
		clock.sleep(2 * time.Second) // a busy machine
		if slept := n.look(); slept > time.Hour {
			t.Errorf("being busy counts as sleep: %v", slept)
		}
	})
}

// TestWorkTimeLeavesOutNaps: the limit does not fall due while the program does not run, not even when its timer is the first to fire afterwards.
func TestWorkTimeLeavesOutNaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w workTime
		napped := time.Duration(0)
		w.look = func() time.Duration { // as naps does: it skips before anything is said to be over
			if napped == 0 {
				napped = 50 * time.Second
				w.skip(napped)
			}
			return napped
		}
		ended := false
		w.start(time.Minute, func() { ended = true })
		defer w.stop()
		time.Sleep(61 * time.Second) // of which 50 were slept
		synctest.Wait()
		if ended {
			t.Fatal("the time was up too early")
		}
		if worked := w.watch.Elapsed(); worked != 11*time.Second {
			t.Errorf("%v count as work", worked)
		}
		time.Sleep(50 * time.Second)
		synctest.Wait()
		if !ended {
			t.Error("the time was never up")
		}
	})
}

func TestTheLineLeavesOutNaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := &turn{yield: func(Event, error) bool { return true }, chat: &Chat{}, naps: newNaps(time.Now)}
		turn.naps.start(turn.clock.skip)
		defer turn.naps.stop()
		turn.begin(status.Thinking, "")
		time.Sleep(10 * time.Second)
		turn.naps.mu.Lock()
		turn.naps.slept += 7 * time.Second
		turn.naps.mu.Unlock()
		turn.tell()
		if age, quiet := time.Since(turn.line.Since), time.Since(turn.line.Heard); age != 3*time.Second || quiet != 3*time.Second {
			t.Errorf("the step is %v old and quiet for %v", age, quiet)
		}
		turn.naps.mu.Lock()
		turn.naps.slept += time.Minute
		turn.naps.mu.Unlock()
		turn.tell()
		if age := time.Since(turn.line.Since); age != 0 {
			t.Errorf("after a nap that is longer than the step it is %v old", age)
		}
	})
}
