package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// maxConcurrent is how many calls run at the same time.
const maxConcurrent = 4

// progressEvery is how often progress is shown: some tools report it thousands of times a second.
const progressEvery = 250 * time.Millisecond

// outcome is the result of a call.
type outcome struct {
	job    *job
	result mcpclient.Result
	err    error
	took   time.Duration
}

// errNotStarted is the error of a call that was queued when the turn ended.
var errNotStarted = errors.New("the call did not start")

// runGroup runs the pending calls of a group concurrently and reports their progress until the last one is done. No
// call runs after it returns. room is the most bytes of each result. Calls that must be judged again are left pending.
func (r *round) runGroup(ctx context.Context, group []*job, room int) ending {
	left := slices.DeleteFunc(slices.Clone(group), func(j *job) bool { return !j.pending() })
	if len(left) == 0 {
		return ending{}
	}
	ask, wait := r.sentences()
	r.emit(r.running(left, ask, wait))
	asking := elicitations{turn: r.turn}
	asking.look()
	defer asking.end()
	began := r.clock.now().Worked
	defer func() { r.result.Timing.Tools += (r.clock.now().Worked - began).Milliseconds() }()

	calling, stop := context.WithCancel(ctx)
	done := make(chan outcome)
	defer func() { // if the reader panics, calls are still running
		stop()
		for range left {
			<-done
		}
	}()
	moved := make(chan struct{}, 1) // a call has new progress
	r.launch(calling, left, done, moved)
	var shown time.Time // when progress was last shown
	progress := time.NewTimer(progressEvery)
	defer progress.Stop()
	for len(left) > 0 {
		select {
		case o := <-done:
			left = slices.DeleteFunc(left, func(j *job) bool { return j == o.job })
			r.finish(ctx, o, room)
			if len(left) > 0 {
				r.emit(r.running(left, ask, wait))
			}
		case <-moved:
			progress.Reset(progressEvery - time.Since(shown))
		case <-progress.C:
			shown = time.Now()
			for _, j := range left {
				if p := j.progress.Swap(nil); p != nil {
					r.emit(event.Progress{ID: j.ID, Progress: *p})
				}
			}
		case <-asking.changed:
			asking.look()
		}
	}
	r.measureAsides()
	if ctx.Err() != nil {
		return r.interrupted(ctx, ctx.Err())
	}
	return ending{}
}

// running returns the first of the remaining calls, at most as many as run at the same time.
func (r *round) running(
	left []*job, ask func(context.Context, string) (string, error), wait time.Duration,
) event.Running {
	now := event.Running{Worked: r.clock.now().Worked, Ask: ask, Wait: wait}
	for _, j := range left[:min(len(left), maxConcurrent)] {
		now.Calls = append(now.Calls, j.ToolCall)
	}
	return now
}

// launch starts the calls in order, a few at a time. Each sends one outcome.
func (r *round) launch(ctx context.Context, pending []*job, done chan<- outcome, moved chan<- struct{}) {
	queue := make(chan *job, len(pending))
	for _, j := range pending {
		queue <- j
	}
	close(queue)
	for range min(maxConcurrent, len(pending)) {
		go func() {
			for j := range queue {
				began := r.clock.now().Worked // excludes the time during which a server asks for input
				result, err := r.call(ctx, j, func(p mcpclient.Progress) {
					j.progress.Store(&p)
					select {
					case moved <- struct{}{}:
					default: // a tool never waits for the reader
					}
				})
				done <- outcome{j, result, err, r.clock.now().Worked - began}
			}
		}()
	}
}

// call makes the call itself. It turns a panic into an error.
func (r *round) call(ctx context.Context, j *job, progress func(mcpclient.Progress)) (_ mcpclient.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool crashed: %v", p)
		}
	}()
	if ctx.Err() != nil {
		return mcpclient.Result{}, errNotStarted
	}
	call := mcpclient.Call{
		Tool: j.Name, Arguments: j.arguments, Judged: mcpclient.FingerprintOf(j.tool), Basis: j.basis,
	}
	return r.chat.Tools.Call(ctx, call, progress)
}

// finish settles a call that ran. A call that did not start is settled later, with the reason for the end of the turn.
func (r *round) finish(ctx context.Context, o outcome, room int) {
	if errors.Is(o.err, errNotStarted) {
		return
	}
	j := o.job
	if j.changed = nil; errors.Is(o.err, mcpclient.ErrToolChanged) || errors.Is(o.err, mcpclient.ErrOutdated) {
		j.changed = o.err
		return
	}
	j.DurationMS = o.took.Milliseconds()
	defer func() {
		r.lap(event.Lap{Kind: event.LapTool, Title: j.Title, Status: j.Status, MS: j.DurationMS}, 0)
	}()
	if o.err != nil && ctx.Err() != nil {
		r.cancelled(j, o.err)
		return
	}
	result := o.result
	if o.err != nil {
		result = mcpclient.Result{Text: o.err.Error(), Failed: true}
	}
	text, note := r.chat.Shared.shelf.cut(j.ID, cmp.Or(result.Text, "(no output)"), room)
	j.postscript = note
	r.note(j, result, text)
	j.images = result.Images
	if result.Failed {
		r.settle(j, event.CallError, text)
		return
	}
	r.cite(j, result.Sources)
	r.settle(j, event.CallOK, text)
}

// cancelled settles a call that was stopped while it ran, and reports whether its server confirmed it.
func (r *round) cancelled(j *job, err error) {
	told := "This call was cancelled while it ran; its effects are unknown."
	switch {
	case errors.Is(err, mcpclient.ErrUnasked):
		told = "This call was cancelled before it was sent to its server: nothing was done."
	case errors.Is(err, mcpclient.ErrUnconfirmed):
		told += " Its server did not confirm that it has stopped, and may still be working on it."
		r.notice("%s was stopped, but %s did not confirm it and may still be running it", j.Title, j.Server)
	}
	r.settle(j, event.CallCancelled, told)
}

// room is how many bytes each of n results may have.
func (r *round) room(n int) int {
	return max(int(float64(resultRoom(r.need(), r.known.limit(), n))/max(r.known.scale, 1)), provider.MinResult)
}

// elicitations watches whether a server asks for input while its tools run. The work clock stops meanwhile, as it
// does during an approval.
type elicitations struct {
	turn    *turn
	server  string          // asking now, or ""
	changed <-chan struct{} // nil if no server can ask
}

// look determines which server asks now. It also reports a server that asks again, since that may be another request.
func (e *elicitations) look() {
	if e.turn.chat.Asker == nil {
		return
	}
	was := e.server
	e.server, e.changed = e.turn.chat.Asker.Asking()
	switch {
	case e.server == "" && was == "":
		return
	case was == "":
		e.turn.clock.ask()
	case e.server == "":
		e.turn.clock.answered()
	}
	e.turn.emit(event.ServerAsks{Server: e.server})
}

// end resumes the clock.
func (e *elicitations) end() {
	if e.server != "" {
		e.turn.clock.answered()
	}
}
