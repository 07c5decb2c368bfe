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

// Script is a Model that plays back its fields, without a server.
//
//	model := &providertest.Script{Replies: []providertest.Reply{
//		{{Thinking: "Hm."}, {Calls: []provider.Call{{Name: "clock__now", Arguments: []byte(`{"zone":"Asia/Tokyo"}`)}}}},
//		{{Text: "It is "}, {Wait: time.Second}, {Text: "noon."}},
//	}}
//
// Each request of a turn takes the next reply. Requests for sentences of the status line are answered from Quick, those
// for summaries from Summary. The zero value has no replies. Safe for concurrent use.
type Script struct {
	Replies []Reply
	Forever bool    // repeat the last of Replies
	Quick   []Reply // if there are no more, replies are empty
	Summary Reply   // for every summary; nil means an empty reply
	// models for Describe and List; if empty, every name exists, with tools, thinking and a context of 32768
	Models []provider.Info
	Down   error // if not nil, the error of every request
	// Refuse returns the error of a request, which takes the next reply anyway, or nil. It may be nil.
	Refuse func(provider.Request) error

	mu    sync.Mutex
	asked map[provider.Purpose][]provider.Request
}

// Reply is the answer to one request, step by step. A chunk with Done follows the last step, unless a step ended the
// reply.
type Reply []Step

// Step is one step of a reply: first the wait, then the chunk if it has any content, then one of the ends.
type Step struct {
	Wait     time.Duration
	Phase    provider.ChunkPhase
	Text     string
	Thinking string
	Calls    []provider.Call
	Usage    provider.Usage // of the last chunk; if zero, each step counts as one token

	Err   error  // ends the reply with this error
	Cut   bool   // ends the stream without Done, like a server that crashed
	Block bool   // sends nothing more until the request is cancelled
	Done  string // ends the reply with this reason, "length"
}

// Requests returns the requests of turns so far, the oldest first.
func (s *Script) Requests() []provider.Request { return s.requests(provider.ForAnswer) }

// QuickRequests returns the requests for sentences so far, the oldest first.
func (s *Script) QuickRequests() []provider.Request { return s.requests(provider.ForSentence) }

// SummaryRequests returns the requests for summaries so far, the oldest first.
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

// next records the request and returns its reply.
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
	if s.Refuse != nil {
		if err := s.Refuse(req); err != nil {
			return nil, err
		}
	}
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
		return nil, &provider.Error{Kind: provider.KindFailed, Text: "the script has no more replies"}
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
		says := step.Phase != provider.PhaseNone || step.Text != "" || step.Thinking != "" || len(step.Calls) > 0
		chunk := provider.Chunk{Phase: step.Phase, Text: step.Text, Thinking: step.Thinking, Calls: step.Calls}
		if says && !yield(chunk, nil) {
			return
		}
		switch {
		case step.Err != nil:
			yield(provider.Chunk{}, step.Err)
			return
		case step.Cut:
			const text = "the model server ended its reply in the middle"
			yield(provider.Chunk{}, &provider.Error{Kind: provider.KindBroken, Text: text, Hint: "ask again"})
			return
		case step.Done != "":
			reason = step.Done
		}
	}
	yield(provider.Chunk{Done: true, Reason: reason, Usage: usage}, nil)
}

// wait sleeps for the step's time, or until ctx ends if the step blocks. It returns ctx.Err().
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

// Describe implements provider.Model.
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
	text := fmt.Sprintf("model %q is not installed", name)
	return provider.Info{}, &provider.Error{Kind: provider.KindMissing, Text: text, Hint: "download it"}
}

// List implements provider.Library.
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
