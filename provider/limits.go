package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aloudchat/aloud/status"
)

// lastAnswer bounds the answer that a turn gives after its time is used: the last request, or the answer that was being written.
const lastAnswer = 30 * time.Second

// errTime is the cause of a context that ended because the time for the work is used.
var errTime = errors.New("the time for the work is used")

// limits are those of a turn that begins now.
func (c *Chat) limits() Limits {
	l := c.Limits
	if l.Iterations < 0 && c.Rounds != nil {
		l.Iterations = c.Rounds(c.Name)
	}
	return l.withDefaults()
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Iterations:        cmp.Or(max(l.Iterations, 0), 10),
		ConsecutiveErrors: cmp.Or(max(l.ConsecutiveErrors, 0), 3),
		TotalTime:         cmp.Or(max(l.TotalTime, 0), 2*time.Minute),
		Silence:           cmp.Or(max(l.Silence, 0), time.Minute),
		ThinkingTokens:    max(l.ThinkingTokens, 0),
	}
}

// ending is why a turn ends, with what only the turn itself needs. The zero value means that it goes on.
type ending struct {
	Stop
	why   string // the reason in a few words: for the model in its last request
	brief string // in fewer, for the status line: the conversation has the whole reason right above it; "": the same
	err   error  // with Failed: the cause
}

func (e ending) goesOn() bool { return e.Reason == "" }

// isLimit tells the endings after which the model is asked once more.
func (e ending) isLimit() bool {
	switch e.Reason {
	case Iterations, Errors, Time, InvalidTool:
		return true
	}
	return false
}

// limited makes the ending of a limit. setting names the key that moves it, or is "".
func limited(reason Reason, limit any, why, setting string) ending {
	detail := why
	if setting != "" {
		detail = fmt.Sprintf("%s (%s = %v)", why, setting, limit)
	}
	return ending{Stop: Stop{Reason: reason, Detail: detail, Limit: limit}, why: why}
}

func (l Limits) iterationsUsed() ending {
	return limited(Iterations, l.Iterations, plural(l.Iterations, "tool round")+" used", "limits.iterations")
}

func (l Limits) errorsUsed(calls int, last string) ending {
	brief := plural(calls, "tool call") + " failed in a row"
	e := limited(Errors, l.ConsecutiveErrors, brief+", the last was "+last, "limits.consecutive_errors")
	e.brief = brief
	return e
}

func (l Limits) timeUsed() ending {
	return limited(Time, l.TotalTime.String(), status.Duration(l.TotalTime)+" of work used", "limits.total_time")
}

// workTime calls an end when the time for the work is used. It stands still between pause and resume. Its zero value never ends.
type workTime struct {
	watch  status.Stopwatch
	mu     sync.Mutex
	limit  time.Duration
	least  time.Duration // was granted: the limit is never below it
	paused bool
	timer  *time.Timer
	end    func()
	look   func() time.Duration // for naps; nil: there are none
}

// start begins to count. The caller must call stop.
func (w *workTime) start(limit time.Duration, end func()) {
	w.leaveOutNaps()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch.Start()
	w.limit, w.end = limit, end
	w.timer = time.AfterFunc(limit, w.check)
}

func (w *workTime) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.paused = true
	w.watch.Pause()
}

func (w *workTime) pause() {
	w.leaveOutNaps()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch.Pause()
	w.paused = true
}

func (w *workTime) resume() {
	w.leaveOutNaps()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch.Resume()
	w.paused = false
	w.rearm()
}

// allow moves the limit, though never to before what was granted. One that already lies behind ends the work at once.
func (w *workTime) allow(limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if limit = max(limit, w.least); limit != w.limit {
		w.limit = limit
		w.rearm()
	}
}

// grant lets the work go on until its limit, and for at least d from now. Then it calls another end.
func (w *workTime) grant(d time.Duration, end func()) {
	w.leaveOutNaps()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.least = max(w.limit, w.watch.Elapsed()+d)
	w.limit, w.end = w.least, end
	w.rearm()
}

func (w *workTime) rearm() {
	if w.timer != nil && !w.paused {
		w.timer.Reset(w.limit - w.watch.Elapsed())
	}
}

// leaveOutNaps has a nap skipped that nobody has noticed yet. It belongs to the time before it: once the clock stands still, runs on or has another
// limit, nobody could tell.
func (w *workTime) leaveOutNaps() {
	if w.look != nil {
		w.look()
	}
}

// skip leaves out of the work time that the program did not run for d.
func (w *workTime) skip(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch.Skip(d)
	w.rearm()
}

// check runs when the timer fires, which may be just after a pause, a new limit or a nap.
func (w *workTime) check() {
	w.leaveOutNaps()
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.paused:
	case w.watch.Elapsed() >= w.limit:
		w.end()
	default:
		w.rearm()
	}
}

// interrupted tells why work that was cut short ended: time, a person, or a failure.
func (t *turn) interrupted(ctx context.Context, err error) ending {
	switch {
	case errors.Is(context.Cause(ctx), errTime):
		return t.limits.timeUsed()
	case ctx.Err() != nil:
		return ending{Stop: Stop{Reason: Cancelled}, why: "cancelled"}
	}
	return failed(err)
}

// failed is the ending of a turn whose model or server failed: one sentence, and the next step.
func failed(err error) ending {
	e := asError(err)
	return ending{Stop: Stop{Reason: Failed, Detail: e.Detail()}, why: "an error", err: e}
}
