package status

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// Work is what the running tools do. The zero value means that no tool runs.
type Work struct {
	Tool   string // the title of the tool, or the first two of several: "Find User", "Read File, Search Issues"
	Rest   string // the titles of the other tools
	Tools  int    // how many run
	Server string // the server of the tool; "" for a built-in server and for several tools
	Done   string // the progress of the first tool, as its server counts it: "40/120"
	Note   string // its server's words about the progress
	Quote  string // the model's sentence about the first tool
	From   Origin // where the sentence comes from
}

// Origin is where a model wrote its sentence about a tool.
type Origin int

// The origins. A sentence is left out where its origin is already shown.
const (
	Requested Origin = iota // the reply to a request for the sentence
	Written                 // the model's text before the call
	Thought                 // the model's thinking before the call
)

// Using returns the work of tools that have just begun. Titles come from mcpclient.Title.
func Using(titles ...string) Work {
	const first = 2
	n := min(first, len(titles))
	return Work{Tool: strings.Join(titles[:n], ", "), Rest: strings.Join(titles[n:], ", "), Tools: len(titles)}
}

// head returns "Using Find User on shop…", or "Find User on shop" if more about the tool follows. Several tools are
// "Using 3 tools: Read File, Search Issues, Current Time", or with "…" in place of the last titles.
func (w Work) head() segment {
	name := cmp.Or(sanitize.Line(w.Tool), "a tool")
	if w.Tools > 1 {
		name = fmt.Sprintf("Using %d tools: %s", w.Tools, name)
		all := segment{text: name, rank: rankTitles}
		if rest := sanitize.Line(w.Rest); rest != "" {
			all.text, name = name+", "+rest, name+", …"
		}
		all.short = named(name)
		return all
	}
	using := func(name string) string {
		if w.Done+w.Note+w.Quote == "" {
			return "Using " + name + "…"
		}
		return name
	}
	whole := segment{text: using(name), rank: rankUsing, short: named(name)}
	return segment{text: using(mcpclient.TitleOn(name, w.Server)), rank: rankServer, short: &whole}
}

// named returns the name of a tool, which is cut last.
func named(name string) *segment {
	const enough = 16 // cells
	return &segment{text: name, rank: rankName, least: 1, short: &segment{text: sanitize.CutEnd(name, enough)}}
}

// quoted returns a sentence in quotes, or "" if it is empty.
func quoted(sentence string) string {
	if sentence = sanitize.Line(sentence); sentence == "" {
		return ""
	}
	return `"` + strings.ReplaceAll(sentence, `"`, "'") + `"`
}

// work returns what the running calls do, and the finished part of the first.
func (o *Observer) work() (w Work, done float64) {
	first := o.running[0]
	titles := make([]string, len(o.running))
	for i, c := range o.running {
		titles[i] = c.Title
	}
	if w = Using(titles...); w.Tools == 1 && !first.BuiltIn {
		w.Server = first.Server // which the title may have too
		w.Tool = strings.TrimSuffix(w.Tool, mcpclient.TitleOn("", first.Server))
	}
	if o.Style == StyleSentence {
		w.Quote, w.From = cmp.Or(o.said.quote, o.sentences[first.ID]), o.said.from
	}
	p := o.progress[first.ID].Progress
	return w.With(p), part(p)
}

// part returns the finished part, 0 to 1. It is 0 if the total is unknown or the numbers are invalid.
func part(p mcpclient.Progress) float64 {
	if done := p.Done / p.Total; p.Total > 0 && done > 0 {
		return min(done, 1)
	}
	return 0
}

// note is what the model wrote about calls before it made them.
type note struct {
	quote string // "" if it wrote nothing about them
	from  Origin
}

func noteOf(m provider.Message) note {
	if quote, ok := fromText(m.Text); ok {
		return note{quote, Written}
	}
	if quote, ok := fromThinking(m.Thinking); ok {
		return note{quote, Thought}
	}
	return note{}
}

// run notes the running calls. The line names them. Its time, progress and sentence are of the one that runs longest.
func (o *Observer) run(e event.Running) {
	now, goesOn := o.clock(), len(o.running) > 0
	for _, c := range e.Calls {
		if !slices.ContainsFunc(o.running, func(r event.ToolCall) bool { return r.ID == c.ID }) {
			o.began[c.ID] = now.Worked
			o.recorder.Call(now.Turn, c)
			o.state.Tape = nil
		}
	}
	o.running = slices.Clone(e.Calls)
	if goesOn {
		o.tellRunning()
		return
	}
	o.said, o.next, o.asks = o.next, note{}, ""
	o.begin(UsingTool, "", 0)
}

// tellRunning shows the running calls, unless their server asks for input. A step ends when all calls with which it
// began have ended.
func (o *Observer) tellRunning() {
	if len(o.running) == 0 || o.asks != "" {
		return
	}
	if o.began[o.running[0].ID] > o.from {
		o.begin(UsingTool, "", 0)
		return
	}
	was := o.state
	if o.state.Work, o.state.Part = o.work(); o.state != was || o.state.Tape == nil {
		o.tell()
	}
}

// clock reads the turn's clock.
func (o *Observer) clock() event.Clock {
	if o.Clock == nil {
		return event.Clock{}
	}
	return o.Clock()
}

// asked shows that a server asks for input, or with "" the running calls again.
func (o *Observer) asked(server string) {
	was := o.asks
	o.asks = server
	switch {
	case server == was:
	case server == "":
		if len(o.running) > 0 {
			o.begin(UsingTool, "", 0)
		}
	default:
		o.begin(Approval, asksForInput(server), 0)
	}
}

// write requests a sentence about the call that runs longest, unless the model already wrote one.
func (o *Observer) write(ctx context.Context, e event.Running) {
	first := e.Calls[0]
	if e.Ask == nil || o.Style != StyleSentence || o.said != (note{}) {
		return
	}
	o.writer.write(ctx, e, first, func(ctx context.Context, sentence string) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if ctx.Err() == nil {
			o.sentences[first.ID] = sentence
			o.tellRunning()
		}
	})
}
