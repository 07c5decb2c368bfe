// Package demo is a model that needs no server and no download. It follows simple rules, but a turn with it is real: it
// picks tools by the words of your message, reads their results, tries another tool when one fails, and streams
// thinking and Markdown at a readable pace. It has stories for a few questions that show what aloud does.
package demo

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// Name is the name of the only model.
const Name = "demo"

var info = provider.Info{Name: Name, Tools: true, Thinking: true, Vision: true, Context: 8192}

// Model implements provider.Model and provider.Library. Its fields must not change once it is used. Then it is safe for
// concurrent use.
type Model struct {
	// Delay is the pause between two words. New sets it for about 80 words a second; 0 means no pause.
	Delay time.Duration
	// Slow means that it loads before its first reply, and reads each prompt before it replies.
	Slow bool

	loaded atomic.Bool
}

var (
	_ provider.Model   = (*Model)(nil)
	_ provider.Library = (*Model)(nil)
)

// New returns a demo model that writes at a readable pace.
func New() *Model { return &Model{Delay: 12 * time.Millisecond} }

// NewSlow returns a demo model that takes as long as a small local model, so that each step can be seen.
func NewSlow() *Model { return &Model{Delay: 30 * time.Millisecond, Slow: true} }

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
		chunks := replyTo(req)
		usage := provider.Usage{PromptTokens: provider.Estimate(req.Messages, req.Tools), AnswerTokens: len(chunks)}
		if m.Slow && req.Purpose == provider.ForAnswer {
			chunks = append(m.begin(req, &usage), chunks...)
		}
		began, pause := time.Now(), m.Delay
		pauses := map[provider.ChunkPhase]time.Duration{
			provider.PhaseNone: m.Delay, provider.PhaseLoading: usage.Load, provider.PhaseReading: usage.Prompt,
		}
		for _, chunk := range append(chunks, provider.Chunk{Done: true, Reason: "stop"}) {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
			if err := ctx.Err(); err != nil {
				yield(provider.Chunk{}, err)
				return
			}
			if chunk.Done {
				usage.Answer = time.Since(began) - usage.Load - usage.Prompt
				chunk.Usage = usage
			}
			if !yield(chunk, nil) {
				return
			}
			pause = pauses[chunk.Phase]
		}
	}
}

// begin returns the phases before a slow reply, and sets how long they take. Like a server with a cache, the model
// reads only what came after its last reply.
func (m *Model) begin(req provider.Request, usage *provider.Usage) (phases []provider.Chunk) {
	usage.ReadTokens = usage.PromptTokens
	for i, message := range slices.Backward(req.Messages) {
		if message.Role == provider.RoleAssistant {
			usage.ReadTokens = provider.Estimate(req.Messages[i+1:], nil)
			break
		}
	}
	if !m.loaded.Swap(true) {
		usage.Load = 1500 * time.Millisecond
		phases = append(phases, provider.Chunk{Phase: provider.PhaseLoading})
	}
	usage.Prompt = 300*time.Millisecond + time.Duration(usage.ReadTokens)*time.Millisecond/2
	return append(phases, provider.Chunk{Phase: provider.PhaseReading})
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
