// Package demo is a model without a model: it needs no server and no download, and says so. It follows simple rules, but does the real work of
// a chat: it reads the tools it is offered, picks one by the words of the question, fills its arguments from the schema, reads the result,
// tries another way when a tool fails, and streams thinking and Markdown at a human pace.
package demo

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// Name is the only model there is.
const Name = "demo"

// contextSize is what Describe tells. The rules read only the last question and its results, so it is nominal.
const contextSize = 8192

// Model is a provider.Model. Its fields are set before it is used. Safe for concurrent use.
type Model struct {
	// Delay is the pause between two words. New sets about 80 words a second; 0 is as fast as they are read.
	Delay time.Duration
}

var (
	_ provider.Model   = (*Model)(nil)
	_ provider.Library = (*Model)(nil)
)

// New makes the demo model with a human pace.
func New() *Model { return &Model{Delay: 12 * time.Millisecond} }

// only is the one model there is.
func only() provider.Info {
	return provider.Info{Name: Name, Tools: true, Thinking: true, Context: contextSize, Asides: true}
}

// Describe implements provider.Model.
func (m *Model) Describe(_ context.Context, name string) (provider.Info, error) {
	if name != Name {
		return provider.Info{}, unknown(name)
	}
	return only(), nil
}

// List implements provider.Library.
func (m *Model) List(context.Context) ([]provider.Info, error) { return []provider.Info{only()}, nil }

func unknown(name string) error {
	return &provider.Error{Kind: provider.KindMissing,
		Text: fmt.Sprintf("the demonstration has no model %q", name), Hint: "its only model is: " + Name}
}

// Chat implements provider.Model.
func (m *Model) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		p := &pace{yield: yield, delay: m.Delay, most: req.MaxTokens, began: time.Now()}
		switch req.Purpose {
		case provider.ForSentence:
			p.text(ctx, sentence(req))
		case provider.ForSummary:
			p.text(ctx, recap(req.Messages))
		default:
			speak(ctx, p, req)
		}
		p.done(ctx, req)
	}
}

// reply is what the model does next: it says something, or calls a tool. The heading of its thinking tells in a few words what it is about.
type reply struct {
	heading, thinking string
	text              string
	calls             []provider.Call
}

func speak(ctx context.Context, p *pace, req provider.Request) {
	r := respond(read(req.Messages), req.Tools)
	if req.Think != provider.ThinkOff && r.thinking != "" {
		p.thinking(ctx, "**"+r.heading+"**\n\n"+r.thinking+"\n")
	}
	p.text(ctx, r.text)
	p.call(ctx, r.calls)
}
