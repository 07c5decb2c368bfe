// Package providertest has a model for tests.
package providertest

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// Script is a Model that plays back what it was given: no server, no network, no chance.
//
//	model := &providertest.Script{Replies: []providertest.Reply{
//		{{Thinking: "Hm."}, {Calls: []provider.Call{{Name: "clock__now", Arguments: []byte(`{"zone":"Asia/Tokyo"}`)}}}},
//		{{Text: "It is "}, {Wait: time.Second}, {Text: "noon."}},
//	}}
//
// Every request of a turn takes the next reply. Quick requests, the ones whose Purpose is the status line's sentence, are answered
// from Quick, those for a summary from Summary; they never use up a reply. The zero value has no replies.
// Safe for concurrent use.
type Script struct {
	Replies []Reply
	Forever bool            // the last of Replies comes again and again
	Quick   []Reply         // when they run out: nothing, and done
	Summary Reply           // for every request to summarise; nil: nothing, and done
	Models  []provider.Info // what Describe and List know; empty: every name, with tools, thinking and a context of 32768
	Down    error           // if not nil, everything answers this

	mu    sync.Mutex
	asked map[provider.Purpose][]provider.Request
}

// Reply is what one request gets, step by step. After the last step comes the chunk with Done, unless a step ended the reply before.
type Reply []Step

// Step is one thing that happens in a reply. Wait comes first, then the chunk, if it says anything, then one of the ends.
type Step struct {
	Wait     time.Duration
	Phase    provider.ChunkPhase
	Text     string
	Thinking string
	Calls    []provider.Call
	Usage    provider.Usage // for the last chunk; without one, tokens are counted as steps

	Err   error  // ends the reply with this error
	Cut   bool   // ends the stream without Done, as a server does that lost its runner
	Block bool   // says nothing more until the request is cancelled
	Done  string // ends the reply as done with this reason, "length"
}

// Requests returns the requests of turns so far, the oldest first.
func (s *Script) Requests() []provider.Request { return s.requests(provider.ForAnswer) }

// QuickRequests returns the requests for sentences so far, the oldest first.
func (s *Script) QuickRequests() []provider.Request { return s.requests(provider.ForSentence) }

// SummaryRequests returns the requests to summarise so far, the oldest first.
func (s *Script) SummaryRequests() []provider.Request { return s.requests(provider.ForSummary) }

func (s *Script) requests(purpose provider.Purpose) []provider.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked[purpose])
}

// Chat plays the next reply.
func (s *Script) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		reply, err := s.next(req)
		if err != nil {
			yield(provider.Chunk{}, err)
			return
		}
		reply.play(ctx, yield)
	}
}

// next notes the request and takes the reply for it.
func (s *Script) next(req provider.Request) (Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Down != nil {
		return nil, s.Down
	}
	if s.asked == nil {
		s.asked = map[provider.Purpose][]provider.Request{}
	}
	n := len(s.asked[req.Purpose])
	s.asked[req.Purpose] = append(s.asked[req.Purpose], req)
	switch req.Purpose {
	case provider.ForSummary:
		return s.Summary, nil
	case provider.ForSentence:
		if n < len(s.Quick) {
			return s.Quick[n], nil
		}
		return nil, nil
	}
	if s.Forever {
		n = min(n, len(s.Replies)-1)
	}
	if n < 0 || n >= len(s.Replies) {
		return nil, &provider.Error{Kind: provider.KindFailed, Text: fmt.Sprintf("the script has only %d replies", len(s.Replies))}
	}
	return s.Replies[n], nil
}

func (r Reply) play(ctx context.Context, yield func(provider.Chunk, error) bool) {
	var usage provider.Usage
	reason := "stop"
	for _, step := range r {
		if err := step.wait(ctx); err != nil {
			yield(provider.Chunk{}, err)
			return
		}
		if step.Text != "" || step.Thinking != "" {
			usage.AnswerTokens++
		}
		if step.Usage != (provider.Usage{}) {
			usage = step.Usage
		}
		chunk := provider.Chunk{Phase: step.Phase, Text: step.Text, Thinking: step.Thinking, Calls: step.Calls}
		if (step.Phase != provider.PhaseNone || step.Text != "" || step.Thinking != "" || len(step.Calls) > 0) && !yield(chunk, nil) {
			return
		}
		switch {
		case step.Err != nil:
			yield(provider.Chunk{}, step.Err)
			return
		case step.Cut:
			yield(provider.Chunk{}, &provider.Error{Kind: provider.KindBroken, Text: "the model server ended its reply in the middle", Hint: "ask again"})
			return
		case step.Done != "":
			reason = step.Done
		}
	}
	yield(provider.Chunk{Done: true, Reason: reason, Usage: usage}, nil)
}

// wait lets the step's time pass, or all time for one that blocks, and gives ctx's error when that ends first.
func (s Step) wait(ctx context.Context) error {
	if s.Block {
		<-ctx.Done()
		return ctx.Err()
	}
	if s.Wait > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(s.Wait):
		}
	}
	return ctx.Err()
}

// Describe tells of one of Models.
func (s *Script) Describe(_ context.Context, name string) (provider.Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Down != nil {
		return provider.Info{}, s.Down
	}
	if len(s.Models) == 0 {
		return provider.Info{Name: name, Tools: true, Thinking: true, Context: 32768}, nil
	}
	for _, m := range s.Models {
		if m.Name == name {
			return m, nil
		}
	}
	return provider.Info{}, &provider.Error{Kind: provider.KindMissing, Text: fmt.Sprintf("there is no model %q", name), Hint: "fetch it"}
}

// List tells of all Models.
func (s *Script) List(context.Context) ([]provider.Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.Models), s.Down
}

// Pull adds a model to Models in two steps.
func (s *Script) Pull(_ context.Context, name string) iter.Seq2[provider.PullProgress, error] {
	return func(yield func(provider.PullProgress, error) bool) {
		if s.Down != nil {
			yield(provider.PullProgress{}, s.Down)
			return
		}
		if !yield(provider.PullProgress{Status: "pulling " + name, Done: 50, Total: 100}, nil) {
			return
		}
		s.mu.Lock()
		s.Models = append(s.Models, provider.Info{Name: name, Tools: true, Thinking: true, Context: 32768})
		s.mu.Unlock()
		yield(provider.PullProgress{Status: "success", Done: 100, Total: 100}, nil)
	}
}
