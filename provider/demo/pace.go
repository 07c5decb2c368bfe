package demo

import (
	"context"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// pace streams one reply word by word. After the first refusal, by ctx or by the reader, it says nothing more.
type pace struct {
	yield func(provider.Chunk, error) bool
	delay time.Duration
	most  int // words; 0: no bound
	began time.Time

	words int
	ended bool
	cut   bool // most was reached
}

func (p *pace) text(ctx context.Context, s string) {
	p.stream(ctx, s, func(word string) provider.Chunk { return provider.Chunk{Text: word} })
}

func (p *pace) thinking(ctx context.Context, s string) {
	p.stream(ctx, s, func(word string) provider.Chunk { return provider.Chunk{Thinking: word} })
}

func (p *pace) stream(ctx context.Context, s string, chunk func(word string) provider.Chunk) {
	for word := range words(s) {
		if p.most > 0 && p.words >= p.most {
			p.cut = true
			return
		}
		if !p.wait(ctx) {
			return
		}
		p.words++
		p.send(chunk(word))
	}
}

func (p *pace) call(ctx context.Context, calls []provider.Call) {
	if len(calls) > 0 && p.wait(ctx) {
		p.send(provider.Chunk{Calls: calls})
	}
}

// done ends the reply. The numbers are estimates: about four bytes make a token, and a word is one.
func (p *pace) done(ctx context.Context, req provider.Request) {
	if p.ended || !p.wait(ctx) {
		return
	}
	prompt := 0
	for _, m := range req.Messages {
		prompt += 4 + len(m.Text)/4
	}
	for _, t := range req.Tools {
		prompt += (len(t.Description) + len(t.Schema)) / 4
	}
	reason := "stop"
	if p.cut {
		reason = "length"
	}
	p.send(provider.Chunk{Done: true, Reason: reason,
		Usage: provider.Usage{PromptTokens: prompt, AnswerTokens: p.words, Answer: time.Since(p.began)}})
}

func (p *pace) send(chunk provider.Chunk) {
	if !p.ended && !p.yield(chunk, nil) {
		p.ended = true
	}
}

// wait lets the time between two words pass; it is false when nothing more is to be said.
func (p *pace) wait(ctx context.Context) bool {
	if p.ended {
		return false
	}
	if p.delay > 0 {
		timer := time.NewTimer(p.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		p.ended = true
		p.yield(provider.Chunk{}, err)
		return false
	}
	return true
}

// words cuts a text after every run of white space; together the pieces are the text.
func words(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for s != "" {
			end := len(s)
			if space := strings.IndexAny(s, " \n"); space >= 0 {
				end = space + len(s[space:]) - len(strings.TrimLeft(s[space:], " \n"))
			}
			if !yield(s[:end]) {
				return
			}
			s = s[end:]
		}
	}
}
