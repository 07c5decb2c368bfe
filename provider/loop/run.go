package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
)

// atOnce is how many calls run at the same time.
const atOnce = 4

// progressEvery is how often progress is told: some tools send it thousands of times a second.
const progressEvery = 250 * time.Millisecond

// news is what a running call tells the turn: that its progress moved on, or how it went.
type news struct {
	job      *job
	finished *outcome
}

// outcome is how a call went.
type outcome struct {
	result mcpclient.Result
	err    error
	took   time.Duration
}

// errNotBegun is the error of a call for which the turn ended before it could begin.
var errNotBegun = errors.New("the call did not begin")

// runGroup runs the calls that are still pending at the same time, and tells what comes from them until the last is done.
// When it returns, nothing of them runs any more. room is how many bytes each result may have.
func (r *round) runGroup(ctx context.Context, group []*job, room int) {
	left := slices.DeleteFunc(slices.Clone(group), func(j *job) bool { return !j.pending() })
	if len(left) == 0 {
		return
	}
	ask, wait := r.sentences()
	r.emit(running(left, ask, wait))
	asked := r.newAsked()
	defer asked.end()
	began := r.clock.now().Worked
	defer func() { r.result.Timing.Tools += (r.clock.now().Worked - began).Milliseconds() }()

	ctx, stop := context.WithCancel(ctx)
	heard := make(chan news, 4*atOnce)
	var calls sync.WaitGroup
	defer func() { // a reader that panics leaves calls behind, which end when they are heard
		stop()
		for n := len(left); n > 0; {
			if news := <-heard; news.finished != nil {
				n--
			}
		}
		calls.Wait()
	}()
	r.launch(ctx, &calls, left, heard)
	var told time.Time // when progress was last told
	later := time.NewTimer(progressEvery)
	later.Stop()
	defer later.Stop()
	for len(left) > 0 {
		select {
		case n := <-heard:
			if n.finished == nil {
				if rest := progressEvery - time.Since(told); rest > 0 {
					later.Reset(rest)
				} else {
					told = time.Now()
					r.tellProgress(left)
				}
				continue
			}
			left = slices.DeleteFunc(left, func(j *job) bool { return j == n.job })
			r.finish(ctx, n.job, *n.finished, room)
			if len(left) > 0 {
				r.emit(running(left, ask, wait))
			}
		case <-later.C:
			told = time.Now()
			r.tellProgress(left)
		case <-asked.changed:
			asked.look()
		}
	}
}

// running says which calls run: the first few of those that are left.
func running(left []*job, ask func(context.Context, string) (string, error), wait time.Duration) provider.Running {
	now := provider.Running{Ask: ask, Wait: wait}
	for _, j := range left[:min(len(left), atOnce)] {
		now.Calls = append(now.Calls, j.ToolCall)
	}
	return now
}

// tellProgress tells how far calls are that have said so since they were last asked.
func (r *round) tellProgress(left []*job) {
	for _, j := range left {
		if p := j.progress.Swap(nil); p != nil {
			r.emit(provider.Progress{ID: j.ID, Progress: *p})
		}
	}
}

// launch begins the calls, of which a few run at the same time: one begins when all before it have begun.
func (r *round) launch(ctx context.Context, calls *sync.WaitGroup, pending []*job, heard chan<- news) {
	queue := make(chan *job, len(pending))
	for _, j := range pending {
		queue <- j
	}
	close(queue)
	for range min(atOnce, len(pending)) {
		calls.Go(func() {
			for j := range queue {
				r.perform(ctx, j, heard)
			}
		})
	}
}

// perform makes one call, in a goroutine of its own. What it tells last is the outcome.
func (r *round) perform(ctx context.Context, j *job, heard chan<- news) {
	began := r.clock.now().Worked // which leaves out the time in which a server asks something
	result, err := r.call(ctx, j, func(p mcpclient.Progress) {
		j.progress.Store(&p)
		select {
		case heard <- news{job: j}:
		default: // there is news enough, and this is found with it: a tool never waits for that
		}
	})
	heard <- news{job: j, finished: &outcome{result, err, r.clock.now().Worked - began}}
}

// call makes the call itself. A panic of it is an error like any other.
func (r *round) call(ctx context.Context, j *job, progress func(mcpclient.Progress)) (result mcpclient.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool crashed: %v", p)
		}
	}()
	if ctx.Err() != nil {
		return mcpclient.Result{}, errNotBegun
	}
	return r.chat.Tools.Call(ctx, j.Name, j.arguments, progress)
}

// finish settles a call that ran. One that did not begin is settled with the reason why the turn ends.
func (r *round) finish(ctx context.Context, j *job, o outcome, room int) {
	if errors.Is(o.err, errNotBegun) {
		return
	}
	j.DurationMS = o.took.Milliseconds()
	defer func() { r.toolLap(j, o.took) }()
	if o.err != nil && ctx.Err() != nil {
		r.cancelled(j, o.err)
		return
	}
	result := o.result
	if o.err != nil {
		result = mcpclient.Result{Text: o.err.Error(), Failed: true}
	}
	text, _ := provider.Trim(cmp.Or(result.Text, "(no output)"), room)
	r.note(j, result, text)
	if r.known.info.Vision {
		j.images = result.Images
	}
	if result.Failed {
		r.settle(j, provider.CallError, text)
		return
	}
	r.result.Cite(j.tool, j.arguments, result.Sources)
	r.settle(j, provider.CallOK, text)
}

// cancelled settles a call that was stopped while it ran, and says whether its server has let go of it.
func (r *round) cancelled(j *job, err error) {
	told := "This call was cancelled while it ran; what it did until then is not known."
	switch {
	case errors.Is(err, mcpclient.ErrUnasked):
		told = "This call was cancelled before its server was asked: nothing was done."
	case errors.Is(err, mcpclient.ErrUnconfirmed):
		told += " Its server did not confirm that it has stopped, and may still be working on it."
		r.notice("%s was stopped here, but %s did not confirm it and may still be working on it.", j.Title, j.Server)
	}
	r.settle(j, provider.CallCancelled, told)
}

// room is how many bytes each of n results may have.
func (r *round) room(n int) int {
	return max(int(float64(resultRoom(r.need(), r.known.limit(), n))/max(r.known.scale, 1)), provider.SmallestResult)
}

// asked is what servers ask while their tools run. The work clock stands still meanwhile, as it does during an approval.
type asked struct {
	turn    *turn
	now     string          // the server that asks
	changed <-chan struct{} // nil: no server can ask
}

// newAsked begins to look. The caller must call end.
func (t *turn) newAsked() *asked {
	a := &asked{turn: t}
	if t.chat.Asker != nil {
		a.look()
	}
	return a
}

// look finds out what is asked now. It tells it also when it looks the same: it may be another question.
func (a *asked) look() {
	was := a.now
	a.now, a.changed = a.turn.chat.Asker.Asking()
	switch {
	case a.now == "" && was == "":
		return
	case was == "":
		a.turn.clock.pause()
	case a.now == "":
		a.turn.clock.resume()
	}
	a.turn.emit(provider.ServerAsks{Server: a.now})
}

// end lets the clock run on, whoever still asks.
func (a *asked) end() {
	if a.now != "" {
		a.turn.clock.resume()
	}
}
