package eval

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
)

// played has the replies to a question.
type played struct{ Right, Wrong []string }

// playbook is testdata/played.toml.
func playbook(t *testing.T) map[string]map[string]played {
	t.Helper()
	text, err := os.ReadFile("testdata/played.toml")
	if err != nil {
		t.Fatal(err)
	}
	var book map[string]map[string]played
	if err := decode(text, &book); err != nil {
		t.Fatal(err)
	}
	return book
}

// player is a model that plays the replies of the book. reply changes each of them before it is sent.
type player struct {
	questions []*Question
	replies   func(q *Question) []string
	asText    bool // calls are written as text, with numbers as strings
}

func (p player) Describe(_ context.Context, name string) (provider.Info, error) {
	return provider.Info{Name: name, Tools: true, Context: 32768, Known: true}, nil
}

// Chat plays the reply that follows those in the conversation.
func (p player) Chat(_ context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		text, answered := "", 0
		for _, m := range req.Messages {
			switch m.Role {
			case provider.RoleUser:
				if text == "" {
					text = m.Text
				}
			case provider.RoleAssistant:
				answered++
			}
		}
		replies := p.replies(p.question(text, req.Tools))
		chunk := p.chunk(replies[min(answered, len(replies)-1)], req.Tools)
		usage := provider.Usage{PromptTokens: 400, AnswerTokens: 30, Prompt: 1e9, Answer: 1e9}
		_ = yield(chunk, nil) && yield(provider.Chunk{Done: true, Reason: "stop", Usage: usage}, nil)
	}
}

// question finds the question of a request. Two have the same text, but other tools.
func (p player) question(text string, tools []provider.ToolSpec) (found *Question) {
	for _, q := range p.questions {
		own := 0
		for _, t := range tools {
			if _, ok := q.Kind.Tools[t.ServerTool]; ok {
				own++
			}
		}
		if q.Ask == text && own == len(q.Kind.Tools) && (found == nil || len(q.Kind.Tools) > len(found.Kind.Tools)) {
			found = q
		}
	}
	return found
}

// chunk makes a reply of its text.
func (p player) chunk(text string, tools []provider.ToolSpec) (c provider.Chunk) {
	var calls []string
	for line := range strings.Lines(text) {
		call, isCall := strings.CutPrefix(strings.TrimSpace(line), "!")
		if !isCall {
			c.Text += line
			continue
		}
		name, arguments, _ := strings.Cut(call, " ")
		for _, t := range tools {
			if t.ServerTool == name {
				name = t.Name
			}
		}
		c.Calls = append(c.Calls, provider.Call{Name: name, Arguments: []byte(arguments)})
		calls = append(calls, fmt.Sprintf("<tool_call>{\"name\": %q, \"arguments\": %s}</tool_call>", name, arguments))
	}
	if p.asText && len(calls) > 0 {
		return provider.Chunk{Text: strings.Join(calls, "\n")}
	}
	return c
}

// perfect, careless and hopeless are models, made of the book.
func perfect(questions []*Question, book map[string]map[string]played) player {
	return player{questions: questions, replies: func(q *Question) []string { return entry(book, q).Right }}
}

func hopeless(questions []*Question, book map[string]map[string]played) player {
	return player{questions: questions, replies: func(q *Question) []string { return entry(book, q).Wrong }}
}

// careless writes its calls as text, and answers every third question wrong.
func careless(questions []*Question, book map[string]map[string]played) player {
	return player{questions: questions, asText: true, replies: func(q *Question) []string {
		if len(q.Ask)%3 == 0 {
			return entry(book, q).Wrong
		}
		return entry(book, q).Right
	}}
}

func entry(book map[string]map[string]played, q *Question) played {
	kind, name, _ := strings.Cut(q.Name, "/")
	return book[kind][name]
}

// runner returns a runner of a model.
func runner(m provider.Model, defences bool) Runner {
	return Runner{Chat: loop.Chat{Model: m, Name: "m"}, Defences: defences}
}
