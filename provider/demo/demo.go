// Package demo is a model that needs no server and no download. It follows simple rules, but does the real work of a
// chat: it picks tools by the words of the question, reads their results, tries another way when a tool fails, and
// streams thinking and Markdown at a human pace.
package demo

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// Name is the only model there is.
const Name = "demo"

// only is the one model there is. Its context is nominal.
var only = provider.Info{Name: Name, Tools: true, Thinking: true, Context: 8192}

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

// Describe implements provider.Model.
func (m *Model) Describe(_ context.Context, name string) (provider.Info, error) {
	if name != Name {
		return provider.Info{}, &provider.Error{Kind: provider.KindMissing,
			Text: fmt.Sprintf("the demonstration has no model %q", name), Hint: "its only model is: " + Name}
	}
	return only, nil
}

// List implements provider.Library.
func (m *Model) List(context.Context) ([]provider.Info, error) { return []provider.Info{only}, nil }

// Chat implements provider.Model.
func (m *Model) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		began := time.Now()
		chunks := speak(req)
		for _, chunk := range append(chunks, provider.Chunk{Done: true, Reason: "stop"}) {
			select {
			case <-time.After(m.Delay):
			case <-ctx.Done():
			}
			if err := ctx.Err(); err != nil {
				yield(provider.Chunk{}, err)
				return
			}
			if chunk.Done {
				chunk.Usage = provider.Usage{PromptTokens: promptTokens(req), AnswerTokens: len(chunks), Answer: time.Since(began)}
			}
			if !yield(chunk, nil) {
				return
			}
		}
	}
}

// speak is the reply, a word a chunk. There is no sentence for the status line: the heading of the thinking has said
// it.
func speak(req provider.Request) []provider.Chunk {
	var r reply
	switch req.Purpose {
	case provider.ForSentence:
	case provider.ForSummary:
		r.text = recap(req.Messages)
	default:
		r = respond(read(req.Messages), req.Tools)
	}
	var chunks []provider.Chunk
	if req.Think != provider.ThinkOff && r.thinking != "" {
		for _, word := range strings.SplitAfter("**"+r.heading+"**\n\n"+r.thinking+"\n", " ") {
			chunks = append(chunks, provider.Chunk{Thinking: word})
		}
	}
	for _, word := range strings.SplitAfter(r.text, " ") {
		chunks = append(chunks, provider.Chunk{Text: word})
	}
	if len(r.calls) > 0 {
		chunks = append(chunks, provider.Chunk{Calls: r.calls})
	}
	return chunks
}

// promptTokens estimates how long the prompt is: about four bytes make a token.
func promptTokens(req provider.Request) int {
	n := 0
	for _, m := range req.Messages {
		n += 4 + len(m.Text)/4
	}
	for _, t := range req.Tools {
		n += (len(t.Description) + len(t.Schema)) / 4
	}
	return n
}
