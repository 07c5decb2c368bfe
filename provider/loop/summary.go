package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

const (
	longestSummary = 10 * time.Minute // that a summary may take: on slow machines a full context takes minutes to read
	largestSummary = 8 << 10          // bytes of a summary that are kept; some servers do not know MaxTokens
)

// summaryPrompt asks for a summary. It stands at the end of what is to be summarised.
const summaryPrompt = `Summarise our conversation up to here, so that you could go on with it from the summary alone: what I want, what was found out ` +
	`(names, numbers, paths, decisions), and what is still open. Write at most 300 words and nothing else.`

// summarise has the model say in short what the first messages say. A model that cannot is no reason to fail: then the questions are listed.
// The work clock stands still, since none of this is the work that was asked for. The error is ctx's.
func (t *turn) summarise(ctx context.Context, until int) (string, error) {
	t.clock.pause()
	defer t.clock.resume()
	t.emit(provider.Compacting{})
	began := time.Now()
	defer func() {
		t.lap(provider.Lap{Kind: provider.LapCompact, MS: time.Since(began).Milliseconds()})
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

// askSummary makes the request, in a context as large as that of the turn: with another one the server would load the model again. One that takes
// too long, or falls silent, is given up, since no clock of the turn's runs meanwhile.
func (t *turn) askSummary(ctx context.Context, messages []provider.Message) (string, error) {
	messages = provider.AndSay(messages, provider.Message{Role: provider.RoleUser, Text: summaryPrompt})
	req := provider.Request{
		Purpose: provider.ForSummary, Model: t.chat.Name, Messages: messages, Think: t.known.thinkLess(), MaxTokens: 2 * t.summaryRoom(),
		Context: t.known.widen(t.known.scaled(provider.Estimate(messages, nil))),
	}
	bounded, giveUp := context.WithTimeout(ctx, longestSummary)
	defer giveUp()
	silence := time.AfterFunc(longestSummary, giveUp)
	defer silence.Stop()
	var said strings.Builder
	tokens := 0
	for chunk, err := range t.chat.chunks(bounded, req) {
		if err != nil {
			return "", err
		}
		silence.Stop() // while a reader may take its time
		if chunk.Withdraw != 0 {
			said.Reset()
		}
		if said.WriteString(chunk.Text); said.Len() > largestSummary {
			break
		}
		if chunk.Phase == provider.PhaseNone {
			tokens++
			t.emit(provider.Compacting{Tokens: tokens})
			silence.Reset(t.limits.Silence)
		}
	}
	return shorten(strings.TrimSpace(said.String()), largestSummary), bounded.Err()
}

// toSummarise is the beginning of the conversation as the model reads it, with every message cut so that all have a place.
func (t *turn) toSummarise(until int) []provider.Message {
	const least = 200                                        // bytes of a message that say something
	room := max(t.known.limit()-4*t.summaryRoom(), 1024) * 2 // bytes: few for a token, since some text is hard on the tokeniser
	messages := newest(provider.ViewOf(t.systemPrompt(), t.history.messages[:until]).Sent, room/least)
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

// newest keeps about n messages from the end, beginning with a question.
func newest(messages []provider.Message, n int) []provider.Message {
	for i, m := range messages {
		if m.Role == provider.RoleUser && len(messages)-i <= n {
			return messages[i:]
		}
	}
	return messages
}

// shortArguments stay an object, since servers refuse anything else.
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

// listQuestions stands in for a summary, behind the one that there is.
func listQuestions(messages []provider.Message) string {
	var b strings.Builder
	if before := provider.SummaryText(messages); before != "" {
		b.WriteString(shorten(before, 2000) + "\n\n")
	}
	b.WriteString("Earlier in this conversation the person asked:")
	for _, m := range messages {
		if m.Role == provider.RoleUser && !m.GoesOn() {
			fmt.Fprintf(&b, "\n- %s", shorten(strings.Join(strings.Fields(m.Text), " "), 200))
		}
		if b.Len() > 4000 {
			break
		}
	}
	return b.String()
}
