package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/provider/budget"
	"github.com/aloudchat/aloud/provider/toolcall"
	"github.com/aloudchat/aloud/status"
)

// summaryPrompt asks for a summary. It stands at the end of what is to be summarised.
const summaryPrompt = `Summarise our conversation up to here, so that you could go on with it from the summary alone: what I want, what was found out ` +
	`(names, numbers, paths, decisions), and what is still open. Write at most 300 words and nothing else.`

// summarise has the model say in short what the first messages say. A model that cannot is no reason to fail: then the questions are listed.
// The work clock stands still, since none of this is the work that was asked for. The error is ctx's.
func (t *turn) summarise(ctx context.Context, until int) (string, error) {
	t.clock.pause()
	defer t.clock.resume()
	t.begin(status.Compacting, status.Compacting.Words())
	text, err := t.askSummary(ctx, t.toSummarise(until))
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil || text == "" {
		text = listQuestions(t.messages[:until])
	}
	return valid(text), nil
}

func (t *turn) askSummary(ctx context.Context, messages []Message) (string, error) {
	req := Request{
		Purpose: ForSummary, Model: t.chat.Name, Context: max(t.known.window, budget.SmallestWindow), MaxTokens: 2 * summarySize,
		Think:    t.thinkLess(),
		Messages: append(messages, Message{Role: RoleUser, Text: summaryPrompt}),
	}
	var tags toolcall.Tags
	var said strings.Builder
	take := func(text string, thinking bool) {
		if !thinking {
			said.WriteString(text)
		}
	}
	for chunk, err := range t.chat.Model.Chat(ctx, req) {
		if err != nil {
			return "", err
		}
		if chunk.Text != "" {
			tags.Next(chunk.Text, take)
			t.heard()
		}
	}
	tags.Flush(take)
	return strings.TrimSpace(said.String()), nil
}

// toSummarise is the beginning of the conversation as the model reads it, with every message cut so that all have a place.
func (t *turn) toSummarise(until int) []Message {
	const least = 200                              // bytes of a message that say something
	room := max(t.limit()-4*summarySize, 1024) * 2 // bytes: few for a token, since some text is hard on the tokeniser
	messages := newest(sendable(t.systemPrompt(), t.messages[:until]), room/least)
	for i := range messages {
		m := &messages[i]
		m.Thinking, m.Images = "", nil
		if m.Role != RoleSystem {
			m.Text = shorten(m.Text, max(room/len(messages), least))
		}
	}
	return messages
}

// newest keeps about n messages from the end, beginning with a question.
func newest(messages []Message, n int) []Message {
	for i, m := range messages {
		if m.Role == RoleUser && len(messages)-i <= n {
			return messages[i:]
		}
	}
	return messages
}

// shorten keeps the beginning of a text.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return clip(text, limit) + " […]"
}

// listQuestions stands in for a summary.
func listQuestions(messages []Message) string {
	var b strings.Builder
	b.WriteString("Earlier in this conversation the person asked:")
	for _, m := range messages {
		if m.Role == RoleUser {
			fmt.Fprintf(&b, "\n- %s", shorten(strings.Join(strings.Fields(m.Text), " "), 200))
		}
		if b.Len() > 4000 {
			break
		}
	}
	return b.String()
}
