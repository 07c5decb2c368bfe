package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// What is kept of a result: a tool may return fifty megabytes.
const (
	mostShown  = 64 << 10
	mostCopied = 1 << 20
)

// trialCall is one call of a tool that a person tries.
type trialCall struct {
	began   time.Time
	cancel  context.CancelFunc
	stopped bool     // a person stopped it
	outcome *outcome // nil: it runs

	progress atomic.Pointer[mcpclient.Progress] // the last word on how far it is; nil: there was none
	moved    chan struct{}                      // holds one token when that is a new one
	over     chan struct{}                      // closed when the call is over
}

type (
	// triedMsg is how a call went.
	triedMsg struct {
		call    *trialCall
		outcome *outcome
	}
	// trialMovedMsg says that a call is further than before.
	trialMovedMsg struct{ call *trialCall }
)

// begin calls the tool with what the form says, through the same door as a turn does.
func (t *trial) begin() tea.Cmd {
	arguments, ok := t.arguments()
	if !ok {
		t.shown = false
		return nil
	}
	ctx, cancel := context.WithCancel(t.ctx)
	c := &trialCall{began: time.Now(), cancel: cancel, moved: make(chan struct{}, 1), over: make(chan struct{})}
	t.call, t.shown = c, true
	box, tool := t.box, t.tool
	return tea.Batch(c.await, func() tea.Msg {
		defer close(c.over)
		defer cancel()
		result, err := box.Call(ctx, tool.Name, arguments, c.note)
		return triedMsg{c, newOutcome(tool, result, err, time.Since(c.began))}
	})
}

// note takes the server's word on how far it is. It waits for nobody.
func (c *trialCall) note(p mcpclient.Progress) {
	c.progress.Store(&p)
	select {
	case c.moved <- struct{}{}:
	default:
	}
}

// await is the command that waits for such a word, and for those that come right after it.
func (c *trialCall) await() tea.Msg {
	select {
	case <-c.moved:
	case <-c.over:
		return nil
	}
	pause := time.NewTimer(frame)
	defer pause.Stop()
	select {
	case <-pause.C:
		return trialMovedMsg{c}
	case <-c.over:
		return nil
	}
}

// how says how far the call is: "40% · Reading the third file".
func (c *trialCall) how() string {
	p := c.progress.Load()
	if p == nil {
		return ""
	}
	far := ""
	switch part := p.Done / p.Total; {
	case p.Total > 0 && part >= 0:
		far = fmt.Sprintf("%.0f%%", 100*min(part, 1))
	case p.Total <= 0 && p.Done > 0:
		far = fmt.Sprintf("%.10g", p.Done)
	}
	return dotted([]string{far, sanitize.Line(sanitize.Cut(p.Message, 400))})
}

// outcome is what came of a call, and no more of that than can be shown or copied.
type outcome struct {
	took        time.Duration
	why         string // there is no result; "": there is one
	unconfirmed bool   // the server may still be working on it
	unasked     bool   // it went out to nobody
	failed      bool   // the tool says so

	size, tokens int
	text         string
	structured   string // laid out for reading
	more         int    // bytes of that which are left out
	fit          string // how that fits what the tool announces
	misfit       bool
	images       int
	copied       string
}

func newOutcome(tool mcpclient.Tool, r mcpclient.Result, err error, took time.Duration) *outcome {
	if err != nil {
		const mostWords = 4000
		why := strings.Clone(sanitize.Cut(sentence(err), mostWords))
		return &outcome{took: took, why: why, unconfirmed: errors.Is(err, mcpclient.ErrUnconfirmed), unasked: errors.Is(err, mcpclient.ErrUnasked), copied: why}
	}
	o := &outcome{
		took: took, failed: r.Failed, images: len(r.Images),
		size: len(r.Text), tokens: provider.Message{Text: r.Text}.Tokens(),
		text: strings.Clone(sanitize.Cut(r.Text, mostShown)), copied: sanitize.Text(strings.Clone(sanitize.Cut(r.Text, mostCopied))),
	}
	switch {
	case r.Structured == nil && len(tool.Output) > 0 && !r.Failed:
		o.fit, o.misfit = "The tool announces structured content, and gave none.", true
	case r.Odd != "":
		o.fit, o.misfit = "This is not what the tool announces: "+r.Odd+".", true
	case r.Fits:
		o.fit = "It is what the tool announces."
	case r.Structured != nil && len(tool.Output) > 0 && !r.Failed:
		o.fit = "It cannot be held against what the tool announces."
	}
	if r.Structured != nil {
		o.structured, o.more = laidOut(r.Structured)
	}
	if n := len(r.Structured); n > 0 && len(r.Text) >= n && r.Text[:n] == string(r.Structured) { // there was no other text
		o.text = ""
	}
	return o
}

// laidOut is the beginning of JSON, laid out for reading unless it is too large for that, and how much more there is.
func laidOut(raw json.RawMessage) (text string, more int) {
	if len(raw) > mostCopied {
		return sanitize.Text(strings.ToValidUTF8(string(raw[:mostShown]), "")), len(raw) - mostShown
	}
	all := prettyJSON(raw)
	return strings.Clone(sanitize.Cut(all, mostShown)), max(0, len(all)-mostShown)
}
