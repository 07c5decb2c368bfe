package loop

import (
	"sync"
	"time"

	"github.com/aloudchat/aloud/provider/event"
)

// workTime measures the work of a turn and calls end when the time limit is reached. It stops during pauses, which may
// overlap. The zero value has not started. Safe for concurrent use.
type workTime struct {
	mu      sync.Mutex
	work    stopwatch
	turn    stopwatch     // stops only while you are asked and while the program is suspended
	away    time.Duration // how long the program was suspended, before left
	left    time.Time     // when the program was suspended; zero while it runs
	limit   time.Duration
	grace   time.Duration // after the limit, to finish an answer
	granted time.Duration // the minimum grace
	late    chan struct{} // receives when the limit has passed and the grace begins
	counts  bool          // work counts against the limit
	timer   *time.Timer
	end     func()
}

// start starts the clock. Work does not count against the limit before release. The caller must call stop.
func (w *workTime) start(limit time.Duration, end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.work.start()
	w.limit, w.end, w.late = limit, end, make(chan struct{}, 1)
	w.timer = time.AfterFunc(limit, w.check)
	w.timer.Stop()
}

func (w *workTime) stop() {
	w.timer.Stop()
	w.pause()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts = false
}

func (w *workTime) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.work.pause()
}

// resume ends one pause.
func (w *workTime) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.work.resume()
	w.rearm()
}

// ask pauses the clock while you are asked. The turn's own time stops too, as it does not while the model is loaded.
func (w *workTime) ask() {
	w.pause()
	w.turn.pause()
}

// answered ends one ask.
func (w *workTime) answered() {
	w.turn.resume()
	w.resume()
}

// suspend pauses the clock until resume is called.
func (w *workTime) suspend() (resume func()) {
	w.ask()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = time.Now()
	return func() {
		w.mu.Lock()
		w.away, w.left = w.suspended(), time.Time{}
		w.mu.Unlock()
		w.answered()
	}
}

// suspended returns how long the program was suspended. A timer may fire before resume is called, so it counts the time
// until now. w.mu must be held.
func (w *workTime) suspended() time.Duration {
	if w.left.IsZero() {
		return w.away
	}
	return w.away + time.Since(w.left)
}

// release starts counting against the limit, once. Before, the model only reads the prompt, which may take any time.
func (w *workTime) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.counts {
		w.counts = true
		w.limit += w.work.elapsed()
		w.rearm()
	}
}

// spare sets how long the work may continue after its limit, but at least what was granted.
func (w *workTime) spare(grace time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if grace = max(grace, w.granted); grace != w.grace {
		w.grace = grace
		w.rearm()
	}
}

// grant lets the work continue until its limit, and for at least d from now. Then it calls end instead of the
// previous one.
func (w *workTime) grant(d time.Duration, end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.granted = max(0, w.work.elapsed()+d-w.limit)
	w.grace, w.end = w.granted, end
	w.rearm()
}

// now returns the state of the clock.
func (w *workTime) now() event.Clock {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := event.Clock{At: time.Now(), Worked: w.work.elapsed(), Turn: w.turn.elapsed(), Suspended: w.suspended()}
	c.Paused = !w.work.runs()
	if left := w.limit + w.grace - c.Worked; w.counts && c.Worked >= w.limit && left > 0 {
		c.Ends = c.At.Add(left)
	}
	return c
}

// rearm sets the timer to the end of the limit, or of the grace. w.mu must be held.
func (w *workTime) rearm() {
	if !w.counts || !w.work.runs() {
		return
	}
	next, worked := w.limit, w.work.elapsed()
	if worked >= w.limit {
		next += w.grace
	}
	w.timer.Reset(next - worked)
}

// check runs when the timer fires, perhaps just after a pause or a new limit.
func (w *workTime) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	worked := w.work.elapsed()
	switch {
	case !w.work.runs(), !w.counts:
		return
	case worked >= w.limit+w.grace:
		w.end()
		return
	case worked >= w.limit:
		select {
		case w.late <- struct{}{}:
		default:
		}
	}
	w.rearm()
}
