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

// napping lets the program sleep for a while, which shows only when somebody looks.
func napping(w *workTime) (nap func(time.Duration)) {
	var unnoticed atomic.Int64
	w.look = func() time.Duration {
		d := time.Duration(unnoticed.Swap(0))
		if d > 0 {
			w.skip(d)
		}
		return d
	}
	return func(d time.Duration) {
		time.Sleep(d)
		unnoticed.Store(int64(d))
	}
}

// TestANapBelongsToTheTimeBefore: after it the program may begin to wait, or stop to wait, before anything else notices it.
func TestANapBelongsToTheTimeBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w workTime
		nap := napping(&w)
		nap(time.Hour)
		w.start(time.Minute, func() {})
		defer w.stop()
		worked := func(want time.Duration) {
			t.Helper()
			w.look()
			if got := w.watch.Elapsed(); got != want {
				t.Errorf("%v count as work, not %v", got, want)
			}
		}
		time.Sleep(time.Second)
		worked(time.Second)
		nap(time.Hour)
		w.pause()
		worked(time.Second)
		nap(time.Hour)
		w.resume()
		time.Sleep(time.Second)
		worked(2 * time.Second)
		nap(time.Hour)
		w.grant(30*time.Second, func() {})
		if w.granted != 0 {
			t.Errorf("it may go on for %v after its limit", w.granted)
		}
	})
}

// TestSilenceLeavesOutNaps: a piece that comes right after a nap, before anybody has noticed it, does not hide the silence that follows.
func TestSilenceLeavesOutNaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := &sleeper{}
		stalled := time.Duration(0)
		turn := &turn{chat: &Chat{Interactive: true}, limits: Limits{Silence: time.Minute}, naps: newNaps(clock.now), yield: func(e Event, _ error) bool {
			if s, ok := e.(Stalled); ok {
				stalled = s.Silence
			}
			return true
		}}
		turn.naps.start(turn.clock.skip)
		defer turn.naps.stop()
		l := listener{turn: turn}
		l.listenForSilence()
		defer l.silence.timer.Stop()
		l.spoke(Chunk{Text: "Hello"})
		clock.sleep(time.Hour)
		l.spoke(Chunk{Text: " there"})
		time.Sleep(beat)
		<-turn.naps.woke
		l.tell()
		time.Sleep(time.Minute)
		if err := l.stall(); err != nil || stalled != time.Minute {
			t.Errorf("after a minute of silence %v are told, %v", stalled, err)
		}
	})
}

// TestWorkTimeLeavesOutNaps: the limit does not fall due while the program does not run, not even when its timer is the first to fire afterwards.
func TestWorkTimeLeavesOutNaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w workTime
		nap := napping(&w)
		ended := false
		w.start(time.Minute, func() { ended = true })
		defer w.stop()
		nap(50 * time.Second)
		time.Sleep(11 * time.Second)
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
