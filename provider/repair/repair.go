// Package repair makes the replies of weak models usable. Small models print their calls and their thinking into the
// text, misname tools, get arguments wrong, think without end, break off, or say nothing. Each [Defence] deals with one
// of these: it wraps a model and gives a better reply.
//
// thinking.go has the defences against thinking in the wrong place (tags.go) and without end, calls.go those for calls:
// found in text (gate.go, reader.go, forms.go, announce.go), named, and with arguments that fit (arguments.go, mend.go,
// complaint.go); loosejson.go reads what is nearly JSON. again.go asks again.
package repair

import (
	"context"
	"iter"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// Defence is one thing that is done for models that get it wrong.
type Defence struct {
	Name string
	mend mend
	all  bool // also in replies that are no step of a turn
}

// mend asks m and yields its reply, or a better one. A chunk of m has one thing to say: text, thinking, calls, a phase,
// or the end.
type mend func(ctx context.Context, req provider.Request, m provider.Model, yield func(provider.Chunk, error) bool)

// Defences returns all there are, in the order in which a reply meets them.
func Defences() []Defence {
	return []Defence{
		{Name: "splitTags", mend: splitTags, all: true},
		{Name: "readPrinted", mend: readPrinted},
		{Name: "mapNames", mend: mapNames},
		{Name: "mendCalls", mend: mendCalls},
		{Name: "endThinking", mend: endThinking},
		{Name: "retry", mend: retry},
		{Name: "fillEmpty", mend: fillEmpty},
	}
}

// New returns what wraps a model in all defences. The models are for one turn at a time.
func New() func(provider.Model) provider.Model { return With(Defences()...) }

// With returns what wraps a model in these defences, the first innermost.
func With(defences ...Defence) func(provider.Model) provider.Model {
	return func(m provider.Model) provider.Model {
		for _, d := range defences {
			m = repaired{m, d}
		}
		return m
	}
}

type repaired struct {
	provider.Model
	Defence
}

func (r repaired) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	if req.Purpose != provider.ForAnswer && !r.all {
		return r.Model.Chat(ctx, req)
	}
	return func(yield func(provider.Chunk, error) bool) { r.mend(ctx, req, r.Model, yield) }
}

// said is what a reply has said so far.
type said struct {
	text, thought strings.Builder
	called        bool
}

func (s *said) note(c provider.Chunk) {
	if c.Withdraw != 0 {
		s.text.Reset()
	}
	if c.Withdraw == provider.WithdrawAll {
		s.thought.Reset()
		s.called = false
	}
	s.text.WriteString(c.Text)
	s.thought.WriteString(c.Thinking)
	s.called = s.called || len(c.Calls) > 0
}

func blank(b *strings.Builder) bool { return strings.TrimSpace(b.String()) == "" }

func (s *said) nothing() bool { return blank(&s.text) && !s.called }

// pass yields a reply but for its last chunk, which it returns, and notes what was said. ok is false if the reader has
// left.
func (s *said) pass(chunks iter.Seq2[provider.Chunk, error], yield func(provider.Chunk, error) bool) (done provider.Chunk, ok bool, err error) {
	for c, err := range chunks {
		if err != nil || c.Done {
			return c, true, err
		}
		s.note(c)
		if !yield(c, nil) {
			return c, false, nil
		}
	}
	return provider.Chunk{Done: true}, true, nil
}

// toolNamed returns the tool that a model means by a name. One that differs only in case, in - _ . or by a missing
// server in front is understood when just one tool fits.
func toolNamed(req provider.Request, name string) (tool provider.ToolSpec, ok bool) {
	offered := req.Tools
	if len(offered) == 0 {
		offered = req.Withheld
	}
	for _, t := range offered {
		if t.Name == name {
			return t, true
		}
	}
	want, fits := provider.Letters(name), 0
	for _, t := range offered {
		if want != "" && (provider.Letters(t.Name) == want || provider.Letters(t.ServerTool) == want) {
			tool, fits = t, fits+1
		}
	}
	return tool, fits == 1
}
