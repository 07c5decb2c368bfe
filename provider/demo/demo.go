// Package demo is a model that needs no server and no download. It follows simple rules, but a turn with it is real: it
// picks tools by the words of your message, reads their results, tries another tool when one fails, and streams
// thinking and Markdown at a readable pace.
package demo

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// Name is the name of the only model.
const Name = "demo"

var info = provider.Info{Name: Name, Tools: true, Thinking: true, Context: 8192}

// Model implements provider.Model and provider.Library. Its fields must not change once it is used. Then it is safe for
// concurrent use.
type Model struct {
	// Delay is the pause between two words. New sets it for about 80 words a second; 0 means no pause.
	Delay time.Duration
}

var (
	_ provider.Model   = (*Model)(nil)
	_ provider.Library = (*Model)(nil)
)

// New returns a demo model that writes at a readable pace.
func New() *Model { return &Model{Delay: 12 * time.Millisecond} }

// Describe implements provider.Model.
func (m *Model) Describe(_ context.Context, name string) (provider.Info, error) {
	if name != Name {
		return provider.Info{}, &provider.Error{Kind: provider.KindMissing,
			Text: fmt.Sprintf("the demo has no model %q", name), Hint: "its only model is: " + Name}
	}
	return info, nil
}

// List implements provider.Library.
func (m *Model) List(context.Context) ([]provider.Info, error) { return []provider.Info{info}, nil }

// Chat implements provider.Model.
func (m *Model) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		began := time.Now()
		chunks := replyTo(req)
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
				chunk.Usage = provider.Usage{PromptTokens: provider.Estimate(req.Messages, req.Tools),
					AnswerTokens: len(chunks), Answer: time.Since(began)}
			}
			if !yield(chunk, nil) {
				return
			}
		}
	}
}

// replyTo returns the reply, one word per chunk. A request for a status sentence gets none, because the heading of the
// thinking already serves as one, and neither does one for a summary, because the chat then lists your messages.
func replyTo(req provider.Request) []provider.Chunk {
	var r reply
	if req.Purpose == provider.ForAnswer {
		r = nextStep(lastTurn(req.Messages), req.Tools)
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
