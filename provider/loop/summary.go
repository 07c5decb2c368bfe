package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

const (
	longestSummary = 10 * time.Minute // on slow machines a full context takes minutes to read
	largestSummary = 8 << 10          // bytes; some servers ignore MaxTokens
)

// summaryPrompt asks for a summary of the messages before it.
const summaryPrompt = `Summarise our conversation up to here, so that you could go on with it ` +
	`from the summary alone: what I want, what was found out (names, numbers, paths, decisions), and what is still ` +
	`open. Write at most 300 words and nothing else.`

// summarise asks the model for a summary of the first messages. If it fails, the summary lists the questions. The work
// clock stops meanwhile. The error is that of ctx.
func (t *turn) summarise(ctx context.Context, until int) (string, error) {
	t.clock.pause()
	defer t.clock.resume()
	t.emit(event.Compacting{})
	began := time.Now()
	defer func() {
		t.lap(event.Lap{Kind: event.LapCompact, MS: time.Since(began).Milliseconds()}, 0)
		t.known.forget()
	}()
	text, err := t.askSummary(ctx, t.toSummarise(until))
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil || text == "" {
		text = listQuestions(t.history.messages[:until])
	}
	return valid(text), nil
}

// askSummary makes the request, with the context of the turn so that the model is not reloaded. It gives up if the
// reply takes too long or stalls.
func (t *turn) askSummary(ctx context.Context, messages []provider.Message) (string, error) {
	messages = provider.AppendUser(messages, provider.Message{Role: provider.RoleUser, Text: summaryPrompt})
	req := provider.Request{
		Purpose: provider.ForSummary, Model: t.chat.Name, Messages: messages,
		Think: t.known.thinkLess(), MaxTokens: 2 * t.summaryRoom(),
		Context: t.known.widen(t.known.scaled(provider.Estimate(messages, nil))),
	}
	bounded, giveUp := context.WithTimeout(ctx, longestSummary)
	defer giveUp()
	ahead := t.known.foresee(req)
	var said strings.Builder
	tokens := 0
	for chunk, err := range t.chat.chunks(bounded, req) {
		if err != nil {
			return "", err
		}
		if chunk.Usage != (provider.Usage{}) {
			t.measure(t.known, ahead, chunk.Usage)
		}
		if chunk.Withdraw != 0 {
			said.Reset()
		}
		if said.WriteString(chunk.Text); said.Len() > largestSummary {
			break
		}
		if chunk.Phase == provider.PhaseNone {
			tokens++
			t.emit(event.Compacting{Tokens: tokens})
		}
	}
	return shorten(strings.TrimSpace(said.String()), largestSummary), bounded.Err()
}

// toSummarise returns the beginning of the conversation as the model reads it, with messages truncated to fit.
func (t *turn) toSummarise(until int) []provider.Message {
	const least = 200 // bytes of a message that are still useful
	// bytes: few per token, since some text has more tokens than estimated
	room := max(t.known.limit()-4*t.summaryRoom(), 1024) * 2
	all := t.history.messages
	all = append(slices.Clip(all[:until]), provider.Drops(all[until:], until)...)
	messages := newest(provider.ViewOf(t.systemPrompt(), all).Sent, room/least)
	for i := range messages {
		m := &messages[i]
		m.Thinking, m.Images = "", nil
		if m.Role == provider.RoleSystem {
			continue
		}
		share := max(room/len(messages), least)
		m.Text = shorten(m.Text, share)
		m.Calls = slices.Clone(m.Calls)
		for k := range m.Calls {
			m.Calls[k].Arguments = shortArguments(m.Calls[k].Arguments, share/len(m.Calls))
		}
	}
	return messages
}

// newest returns about the last n messages, beginning with a user message.
func newest(messages []provider.Message, n int) []provider.Message {
	for i, m := range messages {
		if m.Role == provider.RoleUser && len(messages)-i <= n {
			return messages[i:]
		}
	}
	return messages
}

// shortArguments truncates arguments to a smaller object, since servers refuse anything else.
func shortArguments(object json.RawMessage, limit int) json.RawMessage {
	if len(object) <= limit {
		return object
	}
	short, _ := json.Marshal(map[string]string{"cut": sanitize.Cut(string(object), limit)}) // cannot fail for strings
	return short
}

// shorten keeps the beginning of a text.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return sanitize.Cut(text, limit) + " […]"
}

// listQuestions returns a replacement for a summary: the previous summary, if any, and the user's questions.
func listQuestions(messages []provider.Message) string {
	var b strings.Builder
	if before := provider.SummaryText(messages); before != "" {
		b.WriteString(shorten(before, 2000) + "\n\n")
	}
	b.WriteString("Earlier in this conversation the user asked:")
	for _, m := range messages {
		if m.IsQuestion() {
			fmt.Fprintf(&b, "\n- %s", shorten(strings.Join(strings.Fields(m.Text), " "), 200))
		}
		if b.Len() > 4000 {
			break
		}
	}
	return b.String()
}
