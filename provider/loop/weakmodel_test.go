package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// weakModel plays a weakFile. Its replies depend only on the requests.
type weakModel struct {
	file   *weakFile
	secret string                // known only to the tools of the file
	split  func(string) []string // how the server splits text
	mu     sync.Mutex            // guards the fields below
	asked  []provider.Request    // requests for answers
	played map[int]int           // how often each reply was played
}

// maxRequests ends a turn that does not end by itself.
const maxRequests = 60

var errWeak = &provider.Error{Kind: provider.KindFailed, Text: "the model was asked more often than any turn needs"}

// Describe implements provider.Model.
func (m *weakModel) Describe(_ context.Context, name string) (provider.Info, error) {
	info := provider.Info{Name: name, Tools: true, Thinking: true, Context: 32768}
	if m.file.has("trained") {
		info.Context = m.file.number("trained")
	}
	return info, nil
}

// Chat plays the first reply whose conditions hold.
func (m *weakModel) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		seen, reply, err := m.choose(req)
		if err != nil {
			yield(provider.Chunk{}, err)
			return
		}
		m.play(ctx, seen, reply, yield)
	}
}

// choose records the request and returns the reply for it.
func (m *weakModel) choose(req provider.Request) (*weakView, *weakReply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if req.Purpose != provider.ForSentence {
		m.asked = append(m.asked, req)
	}
	switch {
	case len(m.asked) > maxRequests:
		return nil, nil, errWeak
	case m.file.has("no-tools") && len(req.Tools) > 0:
		return nil, nil, &provider.Error{Kind: provider.KindNoTools, Text: "the model does not support tools"}
	case m.file.has("no-thinking") && (req.Think == provider.ThinkOn || req.Think == provider.ThinkOff):
		return nil, nil, &provider.Error{Kind: provider.KindNoThinking, Text: "the model does not support thinking"}
	case cost(req) > req.Context && !m.file.has("drops"):
		return nil, nil, &provider.Error{Kind: provider.KindTooLong, Text: "the input length exceeds the context length"}
	}
	seen := &weakView{Request: dropFront(req), model: m, n: len(m.asked)}
	for i := range m.file.replies {
		reply := &m.file.replies[i]
		if (reply.times == 0 || m.played[i] < reply.times) && seen.fits(reply) {
			m.played[i]++
			return seen, reply, nil
		}
	}
	return nil, nil, fmt.Errorf("%s has no reply for request %d", m.file.name, len(m.asked))
}

// cost returns how many tokens the server counts for a request: 4 bytes each, and some for each message.
func cost(req provider.Request) int {
	n := 0
	for _, m := range req.Messages {
		n += 16 + len(m.Text) + len(m.Thinking)
		for _, call := range m.Calls {
			n += 16 + len(call.Name) + len(call.Arguments)
		}
	}
	for _, tool := range req.Tools {
		n += 16 + len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	return n / 4
}

// dropFront shortens a request that is too long as servers do: they drop the oldest messages except the system prompt,
// then the tools, which come first in the prompt, and then the front of the last message.
func dropFront(req provider.Request) provider.Request {
	req.Messages = slices.Clone(req.Messages)
	for cost(req) > req.Context && len(req.Messages) > 2 {
		req.Messages = slices.Delete(req.Messages, 1, 2)
	}
	if cost(req) > req.Context {
		req.Tools = nil
	}
	if over := 4 * (cost(req) - req.Context); over > 0 {
		last := &req.Messages[len(req.Messages)-1]
		last.Text = last.Text[min(over, len(last.Text)):]
	}
	return req
}

// play plays a reply. It counts the same tokens for every split.
func (m *weakModel) play(
	ctx context.Context, seen *weakView, reply *weakReply, yield func(provider.Chunk, error) bool,
) {
	written, wrote, reason := 0, -1, "stop"
	say := func(c provider.Chunk) bool {
		written += len(c.Text) + len(c.Thinking)
		return ctx.Err() == nil && yield(c, nil)
	}
	for i, step := range reply.steps {
		rest := seen.fill(step.rest)
		switch step.word {
		case "text", "thinking":
			if i > 0 && reply.steps[i-1].word == step.word {
				rest = "\n" + rest
			}
			if !m.pieces(step.word, rest, say) {
				return
			}
		case "quoted":
			text, err := strconv.Unquote(rest)
			if err != nil {
				yield(provider.Chunk{}, err)
				return
			}
			if !m.pieces("text", text, say) {
				return
			}
		case "call":
			name, arguments, _ := strings.Cut(rest, " ")
			if !say(provider.Chunk{Calls: []provider.Call{{Name: name, Arguments: json.RawMessage(arguments)}}}) {
				return
			}
		case "repeat":
			if !repeat(ctx, rest, say) {
				return
			}
		case "wait", "silence":
			pause, err := time.ParseDuration(rest)
			if step.word == "silence" {
				pause, err = 24*time.Hour, nil
			}
			if err != nil || !sleep(ctx, pause) {
				yield(provider.Chunk{}, ctx.Err())
				return
			}
		case "error":
			yield(provider.Chunk{}, errorOf(rest))
			return
		case "cut":
			yield(provider.Chunk{}, errorOf("broken the model server ended its reply in the middle"))
			return
		case "length":
			reason = "length"
		case "wrote":
			wrote, _ = strconv.Atoi(rest)
		}
	}
	if wrote < 0 {
		wrote = (written + 3) / 4
	}
	yield(provider.Chunk{Done: true, Reason: reason, Usage: provider.Usage{AnswerTokens: wrote}}, nil)
}

// pieces sends a text, split as by the server.
func (m *weakModel) pieces(kind, text string, say func(provider.Chunk) bool) bool {
	for _, piece := range m.split(text) {
		chunk := provider.Chunk{Text: piece}
		if kind == "thinking" {
			chunk = provider.Chunk{Thinking: piece}
		}
		if !say(chunk) {
			return false
		}
	}
	return true
}

// repeat sends the same text many times, 50 times a second: "5000 thinking Wait, ".
func repeat(ctx context.Context, what string, say func(provider.Chunk) bool) bool {
	times, what, _ := strings.Cut(what, " ")
	kind, text, _ := strings.Cut(what, " ")
	n, err := strconv.Atoi(times)
	if err != nil {
		return false
	}
	for range n {
		chunk := provider.Chunk{Text: text + " "}
		if kind == "thinking" {
			chunk = provider.Chunk{Thinking: text + " "}
		}
		if !say(chunk) || !sleep(ctx, 20*time.Millisecond) {
			return false
		}
	}
	return true
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// errorOf returns an error as provider/ollama reports it: "malformed TEXT", "broken TEXT", "failed TEXT", or "dropped
// TEXT" for a lost connection.
func errorOf(what string) error {
	kind, text, _ := strings.Cut(what, " ")
	e := &provider.Error{Text: text, Kind: map[string]provider.Kind{
		"malformed": provider.KindMalformed, "broken": provider.KindBroken, "dropped": provider.KindBroken,
	}[kind]}
	if kind == "dropped" {
		e.Err = errors.New("read tcp: connection reset by peer")
	}
	return e
}
