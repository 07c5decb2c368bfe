// Package repair makes the replies of weak models usable. Small models write calls and thinking as text, misspell the
// names of tools, get arguments wrong, think without end, repeat themselves, stop early, or return nothing. Each
// [Defence] repairs one of these problems by wrapping a model.
//
// thinking.go separates thinking from the answer (tags.go) and ends long thinking. repeats.go ends replies that repeat
// themselves (repetition.go). calls.go finds calls in text (gate.go, reader.go, forms.go, announce.go, babble.go,
// copies.go), and corrects the names of tools and arguments (arguments.go, mend.go, complaint.go; names.go finds their
// tools). loosejson.go parses invalid JSON, and ambiguity.go finds what programs read differently. retry.go retries.
package repair

import (
	"context"
	"iter"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// Defence is the repair of one problem.
type Defence struct {
	Name   string
	repair func(ctx context.Context, req request, m model, yield yieldFunc)
	all    bool // also for requests that are not a step of a turn
}

// yieldFunc receives the chunks of a reply. Each chunk has only one of text, thinking, calls, a phase, and the end.
type yieldFunc = func(provider.Chunk, error) bool

// Defences returns all defences, innermost first.
func Defences() []Defence {
	return []Defence{
		{Name: "splitTags", repair: splitTags, all: true},
		{Name: "endRepeats", repair: endRepeats},
		{Name: "readPrinted", repair: readPrinted},
		{Name: "mapNames", repair: mapNames},
		{Name: "mendCalls", repair: mendCalls},
		{Name: "foldRepeats", repair: foldRepeats},
		{Name: "endThinking", repair: endThinking},
		{Name: "retry", repair: retry},
		{Name: "fillEmpty", repair: fillEmpty},
	}
}

// Known is what the defences know about a request besides the request itself.
type Known struct {
	Question       string              // what the user typed last
	Withheld       []provider.ToolSpec // tools of the conversation that are not offered this time; nil with tools
	ThinkLess      provider.Think      // the value of Think for the least thinking the model supports
	ThinkingTokens int                 // after which the model is asked to answer; 0 means no limit
}

// Wrap returns a model that repairs its replies to requests about which this is known.
type Wrap = func(provider.Model, Known) provider.Model

// New returns a function that wraps a model in all defences. The wrapped model is for one turn at a time.
func New() Wrap { return With(Defences()...) }

// With returns a function that wraps a model in the given defences, the first innermost.
func With(defences ...Defence) Wrap {
	return func(plain provider.Model, known Known) provider.Model {
		var m model = innermost{plain}
		for _, d := range defences {
			m = repaired{m, d}
		}
		return wrapped{plain, m, known}
	}
}

// request is a request as the defences pass it on.
type request struct {
	provider.Request
	Known
	hint string // added once for the model, after Messages
}

// model is a model behind some of the defences.
type model interface {
	Chat(ctx context.Context, req request) iter.Seq2[provider.Chunk, error]
}

// wrapped is a model behind all defences.
type wrapped struct {
	provider.Model
	repaired model
	known    Known
}

func (w wrapped) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return w.repaired.Chat(ctx, request{Request: req, Known: w.known})
}

// innermost is the model itself.
type innermost struct{ provider.Model }

func (m innermost) Chat(ctx context.Context, req request) iter.Seq2[provider.Chunk, error] {
	if req.hint != "" {
		hint := provider.Message{Role: provider.RoleUser, Text: strings.ToValidUTF8(req.hint, "\uFFFD")}
		req.Messages = provider.AppendUser(req.Messages, hint)
	}
	return m.Model.Chat(ctx, req.Request)
}

type repaired struct {
	model
	Defence
}

func (r repaired) Chat(ctx context.Context, req request) iter.Seq2[provider.Chunk, error] {
	if req.Purpose != provider.ForAnswer && !r.all {
		return r.model.Chat(ctx, req)
	}
	return func(yield yieldFunc) { r.repair(ctx, req, r.model, yield) }
}

// received is the content of a reply so far.
type received struct {
	text, thinking strings.Builder
	hasCalls       bool
}

func (r *received) add(c provider.Chunk) {
	if c.Withdraw != 0 {
		r.text.Reset()
	}
	if c.Withdraw == provider.WithdrawAll {
		r.thinking.Reset()
		r.hasCalls = false
	}
	r.text.WriteString(c.Text)
	r.thinking.WriteString(c.Thinking)
	r.hasCalls = r.hasCalls || len(c.Calls) > 0
}

func blank(b *strings.Builder) bool { return strings.TrimSpace(b.String()) == "" }

// isEmpty reports whether there is neither text nor a call.
func (r *received) isEmpty() bool { return blank(&r.text) && !r.hasCalls }

// forward adds and yields the chunks of a reply except the last, which it returns. ok is false if the caller has left
// the loop.
func (r *received) forward(
	chunks iter.Seq2[provider.Chunk, error], yield yieldFunc,
) (last provider.Chunk, ok bool, err error) {
	for c, err := range chunks {
		if err != nil || c.Done {
			return c, true, err
		}
		r.add(c)
		if !yield(c, nil) {
			return c, false, nil
		}
	}
	return provider.Chunk{Done: true}, true, nil
}
