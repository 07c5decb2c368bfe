package provider

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/budget"
	"github.com/aloudchat/aloud/status"
)

// atOnce is how many calls run at the same time.
const atOnce = 4

// news is what a running call tells the turn.
type news struct {
	job      *job
	words    string // for the status line
	finished *outcome
}

// outcome is how a call went.
type outcome struct {
	result mcpclient.Result
	err    error
	took   time.Duration
}

// runAll runs the calls that are still pending at the same time, and tells what comes from them until the last is done.
// When it returns, nothing of them runs any more. room is how many bytes each result may have, said what the model wrote that it is going to
// do, or "".
func (t *turn) runAll(ctx context.Context, group []*job, room int, said string) {
	running := slices.DeleteFunc(slices.Clone(group), func(j *job) bool { return !j.pending() })
	if len(running) == 0 {
		return
	}
	t.begin(status.UsingTool, t.using(running, said))
	began := time.Now()
	defer func() { t.result.Timing.Tools += time.Since(began).Milliseconds() }()

	ctx, stop := context.WithCancel(ctx)
	heard := make(chan news, 4*atOnce)
	slots := make(chan struct{}, atOnce)
	var calls sync.WaitGroup
	next := func() news {
		n := <-heard
		if n.finished != nil {
			running = slices.DeleteFunc(running, func(j *job) bool { return j == n.job })
		}
		return n
	}
	defer func() { // a reader that panics leaves calls behind, which end when they are heard
		stop()
		for len(running) > 0 {
			next()
		}
		calls.Wait()
	}()
	alone := said == "" && len(running) == 1
	for _, j := range running {
		calls.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			t.perform(ctx, j, alone, heard)
		})
	}
	for len(running) > 0 {
		n := next()
		if n.finished == nil {
			t.reword(n.words)
			continue
		}
		t.finish(ctx, n.job, *n.finished, room)
		if len(running) > 0 {
			t.reword(t.using(running, said))
		}
	}
}

// using is what the status line says of calls of which nothing more is known.
func (t *turn) using(running []*job, said string) string {
	if said != "" {
		return said
	}
	titles := make([]string, len(running))
	for i, j := range running {
		titles[i] = j.Title
	}
	return t.words().Using(titles...)
}

// perform makes one call, in a goroutine of its own. What it tells last is the outcome; by then its sentence is no longer asked for.
func (t *turn) perform(ctx context.Context, j *job, withSentence bool, heard chan<- news) {
	var sentence sync.WaitGroup
	writing, stopWriting := context.WithCancel(ctx)
	if withSentence && t.chat.Style == status.StyleSentence && t.chat.mayAskQuick() {
		sentence.Go(func() { t.writeSentence(writing, j, heard) })
	}
	began := time.Now()
	result, err := t.call(ctx, j, func(p mcpclient.Progress) {
		select {
		case heard <- news{job: j, words: t.words().Progress(j.Title, p.Done, p.Total, p.Message)}:
		default: // the line has news enough; a tool never waits for it
		}
	})
	took := time.Since(began)
	stopWriting()
	sentence.Wait()
	heard <- news{job: j, finished: &outcome{result, err, took}}
}

// call makes the call itself. A panic of it is an error like any other.
func (t *turn) call(ctx context.Context, j *job, progress func(mcpclient.Progress)) (result mcpclient.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool crashed: %v", p)
		}
	}()
	if err := ctx.Err(); err != nil {
		return mcpclient.Result{}, err
	}
	return t.chat.Tools.Call(ctx, j.Name, j.arguments, progress)
}

// finish settles a call that ran.
func (t *turn) finish(ctx context.Context, j *job, o outcome, room int) {
	j.DurationMS = o.took.Milliseconds()
	if !j.tool.ReadOnly {
		t.repeats.forget()
	}
	switch {
	case o.err != nil && ctx.Err() != nil:
		t.settle(j, CallCancelled, "This call was cancelled while it ran; what it did until then is not known.")
		return
	case o.err != nil:
		text, _ := budget.Trim(o.err.Error(), room)
		t.settle(j, CallError, text)
		return
	}
	text := t.cutToFit(j, o.result.Text, room)
	if text == "" {
		text = "(no output)"
	}
	if t.known.info.Vision {
		j.images = o.result.Images
	}
	if o.result.Failed {
		t.settle(j, CallError, text)
		return
	}
	t.cite(j, o.result.Sources)
	t.repeats.note(j, text)
	t.settle(j, CallOK, text)
}

// room is how many bytes each of n results may have.
func (t *turn) room(n int) int {
	return max(int(float64(budget.Room(t.need(), t.limit(), n))/max(t.known.scale, 1)), budget.SmallestResult)
}
