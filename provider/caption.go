package provider

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/aloudchat/aloud/status"
)

// newsEvery is how often the line takes a new number from a tool that tells its progress: some tell it thousands of times a second.
const newsEvery = 250 * time.Millisecond

// caption is what the line says of calls while they run. It is about the one that runs longest: its progress if it tells any, else a sentence
// on it, else its name. Before the model has written anything, a sentence is asked for.
type caption struct {
	turn      *turn
	said      string // what the model wrote that it is going to do, or ""
	left      []*job // that are not done, in the order in which they begin; only the first few run already
	sentences map[*job]string
	ask       bool // sentences may be asked for

	writing *job               // the one a sentence is being asked for, or nil
	stop    context.CancelFunc // ends that
	writer  sync.WaitGroup

	hidden bool // the line has something else to say

	told  time.Time   // when the line last took a number
	later *time.Timer // stopped unless there is a newer one to be told
}

// newCaption begins to tell of calls. The caller must call end.
func (t *turn) newCaption(pending []*job, said string) *caption {
	c := &caption{turn: t, said: said, left: pending, sentences: map[*job]string{}, later: time.NewTimer(newsEvery)}
	c.later.Stop()
	if said == "" && t.chat.Style == status.StyleSentence {
		t.baseSentences()
		c.ask = t.chat.mayAskQuick()
	}
	t.begin(status.UsingTool, c.words())
	return c
}

// end leaves nothing of the caption running.
func (c *caption) end() {
	c.later.Stop()
	c.stopWriting()
}

// words are what the line says now.
func (c *caption) words() string {
	running := c.left[:min(len(c.left), atOnce)]
	first, n := running[0], len(running)
	if p, ok := first.progress.newest(); ok {
		return status.UsingFor(n, status.Progress(first.Title, p.Done, p.Total, p.Message))
	}
	if c.said != "" {
		return c.said
	}
	if sentence := c.sentences[first]; sentence != "" {
		return status.UsingFor(n, sentence)
	}
	titles := make([]string, n)
	for i, j := range running {
		titles[i] = j.Title
	}
	return status.Using(titles...)
}

// tell puts the words on the line.
func (c *caption) tell() {
	if c.hidden {
		return
	}
	c.told = time.Now()
	c.later.Stop()
	p, _ := c.left[0].progress.newest()
	c.turn.reword(c.words(), part(p))
}

// back tells of the calls again, after the line had something else to say.
func (c *caption) back() {
	c.hidden = false
	if len(c.left) > 0 {
		c.turn.begin(status.UsingTool, c.words())
		c.tell()
	}
}

// moved tells the progress of a call, at once or when the last number has stood for a while.
func (c *caption) moved() {
	if rest := newsEvery - time.Since(c.told); rest > 0 {
		c.later.Reset(rest)
		return
	}
	c.tell()
}

// wrote takes a sentence on a call.
func (c *caption) wrote(j *job, sentence string) {
	c.sentences[j] = sentence
	c.tell()
}

// finished takes a call out, and goes on with those that still run. When it returns, no sentence on the call is asked for any more.
func (c *caption) finished(j *job) {
	c.left = slices.DeleteFunc(c.left, func(other *job) bool { return other == j })
	if c.writing == j {
		c.stopWriting()
	}
}

// goOn tells of the calls that still run.
func (c *caption) goOn(ctx context.Context, heard chan<- news) {
	if len(c.left) > 0 {
		c.tell()
		c.write(ctx, heard)
	}
}

// write asks for a sentence on the call that runs longest, unless there is one.
func (c *caption) write(ctx context.Context, heard chan<- news) {
	j := c.left[0]
	if _, known := c.sentences[j]; known || !c.ask || c.writing == j {
		return
	}
	c.stopWriting()
	c.writing = j
	ctx, c.stop = context.WithCancel(ctx)
	wait := c.turn.chat.patience()
	c.writer.Go(func() { c.turn.writeSentence(ctx, j, wait, heard) })
}

func (c *caption) stopWriting() {
	if c.writing != nil {
		c.stop()
		c.writer.Wait()
		c.writing = nil
	}
}
