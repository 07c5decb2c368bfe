package provider

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider/budget"
	"github.com/aloudchat/aloud/status"
)

// patience is how long a tool runs before a sentence is asked for: fast ones cost nothing.
const patience = 150 * time.Millisecond

// sentences asks the model what to say on the status line while a tool runs. It lives as long as the chat, since the writer counts its misses.
type sentences struct {
	writer status.Writer
	base   Request // what a request for a sentence begins with; set between the calls, read while they run
}

// noteRequest notes how the model was last asked.
func (c *Chat) noteRequest(req Request) {
	if c.sentences == nil {
		c.sentences = &sentences{writer: status.Writer{Ask: c.askQuick, Language: c.Language}}
	}
	c.sentences.base = req
}

// running stands in for the result of a tool that has none yet.
const running = "(still running)"

// baseSentences notes the conversation up to the calls that now run. The next round begins with the same, up to the results of the tools.
func (t *turn) baseSentences() {
	messages := t.toSend()
	var unanswered []Message
	for i := len(messages) - 1; i >= 0 && messages[i].Role != RoleUser; i-- {
		for _, call := range messages[i].Calls {
			if !answeredIn(messages[i:], call.ID) {
				unanswered = append(unanswered, Message{Role: RoleTool, CallID: call.ID, Tool: call.Name, Text: running})
			}
		}
	}
	t.chat.sentences.base.Messages = andSay(messages, unanswered...)
}

func answeredIn(messages []Message, call string) bool {
	return slices.ContainsFunc(messages, func(m Message) bool { return m.Role == RoleTool && m.CallID == call })
}

// hasStatusModel tells whether a model other than the chat's writes the sentences.
func (c *Chat) hasStatusModel() bool { return c.StatusModel != "" && c.StatusModel != c.Name }

// mayAskQuick tells whether a request for a sentence leaves the server's prompt cache as the next round needs it. The request ends with words of the
// user, before which the templates of thinking models leave out what was thought: after it a turn that has thought would be read again. Some
// also put there, and nowhere before, whether the model is to think: so a model that was told is not asked either.
func (c *Chat) mayAskQuick() bool {
	info := c.of(c.Name).info
	if c.hasStatusModel() || info.Asides {
		return true
	}
	if told := c.sentences.base.Think; told != "" && told != ThinkAuto && info.Thinking {
		return false
	}
	for _, m := range slices.Backward(c.sentences.base.Messages) {
		switch {
		case m.Role == RoleUser:
			return true
		case m.Thinking != "":
			return false
		}
	}
	return true
}

// askQuick makes one short request. It repeats the turn so far and adds the prompt at its end, so that the server's prompt cache keeps
// what the next round needs. A model of its own for sentences has nothing of the turn in its cache, and gets the prompt alone.
func (c *Chat) askQuick(ctx context.Context, prompt string) (string, error) {
	req := c.sentences.base
	question := Message{Role: RoleUser, Text: prompt}
	if c.hasStatusModel() {
		req.Model, req.Messages, req.Tools, req.Context = c.StatusModel, []Message{question}, nil, budget.SmallestWindow
	} else {
		req.Messages = andSay(req.Messages, question)
	}
	cold := 0.0
	req.Purpose, req.Think, req.MaxTokens, req.Temperature = ForSentence, ThinkOff, 20, &cold

	var said strings.Builder
	for chunk, err := range c.chunks(ctx, req) {
		if err != nil {
			return "", err
		}
		said.WriteString(chunk.Text)
	}
	return said.String(), nil
}

// writeSentence tells the sentence for a call, if there is one before ctx ends.
func (t *turn) writeSentence(ctx context.Context, j *job, heard chan<- news) {
	select {
	case <-time.After(patience):
	case <-ctx.Done():
		return
	}
	if t.chat.hasStatusModel() && !t.chat.statusModel.ready(ctx) {
		return
	}
	words := t.chat.sentences.writer.Write(ctx, j.Title, clip(string(j.arguments), 1000))
	if words == "" || ctx.Err() != nil {
		return
	}
	select {
	case heard <- news{job: j, sentence: words}:
	case <-ctx.Done():
	}
}
