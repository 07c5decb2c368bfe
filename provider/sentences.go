package provider

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider/window"
	"github.com/aloudchat/aloud/status"
)

// When a sentence is asked for. The server finishes reading what it was asked before it notices that nobody wants the answer any more, so a
// request that comes just before the tool is done holds up the next round.
const (
	patience     = 150 * time.Millisecond  // the least that a tool runs before: fast ones cost nothing
	asideRead    = 150                     // about how many tokens such a request has that the server has not read
	asideWritten = 10                      // and its answer
	costliest    = 1500 * time.Millisecond // with more the sentence would hardly come in time
)

// sentences asks the model what to say on the status line while a tool runs. It lives until the chat has another model, since the writer
// counts its misses.
type sentences struct {
	by     string // the model that writes them
	writer status.Writer
	base   Request // what a request for a sentence begins with; set between the calls, read while they run
}

// noteRequest notes how the model was last asked.
func (c *Chat) noteRequest(req Request) {
	by := cmp.Or(c.StatusModel, c.Name)
	if s := c.sentences; s == nil || s.by != by {
		c.sentences = &sentences{by: by, writer: status.Writer{Ask: c.askQuick}}
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

// hasStatusModel tells whether a model other than the chat's writes the sentences. Asked as another one, the chat's would be loaded again, with
// the small context of the sentences.
func (c *Chat) hasStatusModel() bool {
	return c.StatusModel != "" && untagged(c.StatusModel) != untagged(c.Name)
}

// untagged is the name of a model without the tag that a name without one has.
func untagged(model string) string { return strings.TrimSuffix(model, ":latest") }

// mayAskQuick reports whether a request for a sentence leaves the server's prompt cache as the next round needs it. Whether a model is to think
// stands in its prompt, often behind the question: a model that thinks in its turn cannot be asked without thinking and keep the cache. What it
// thought has a sentence, anyway. Nor is a model asked that is so slow that the sentence would come too late and hold up the next round.
func (c *Chat) mayAskQuick() bool {
	known := c.of(c.Name)
	switch {
	case c.hasStatusModel(), known.info.Asides:
		return true
	case known.takes(asideRead, asideWritten) > costliest:
		return false
	case known.info.Thinking:
		return c.sentences.base.Think == ThinkOff
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
	last := len(req.Messages) - 1
	switch known := c.of(c.Name).info; {
	case c.hasStatusModel():
		req.Model, req.Messages, req.Tools, req.Context = c.StatusModel, []Message{question}, nil, window.SmallestWindow
	case known.Thinking && !known.Asides && req.Messages[last].Role == RoleTool:
		// Templates such as that of qwen3 say behind the last words of the user that the model is not to think. That must not move.
		req.Messages = slices.Clone(req.Messages)
		req.Messages[last].Text += "\n\n" + prompt
	default:
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
		if chunk.Reason == "length" && len(strings.Fields(said.String())) <= 10 { // of more words only the first are shown, with a mark
			return "", errCutSentence
		}
	}
	return said.String(), nil
}

// errCutSentence is that of a sentence that broke off: the beginning of one may say something else than the whole.
var errCutSentence = errors.New("the sentence broke off")

// patience is how long a tool runs before a sentence on it is asked for: twice as long as that is likely to take.
func (c *Chat) patience() time.Duration {
	known := c.of(c.Name)
	if c.hasStatusModel() || known.info.Asides {
		return patience
	}
	return max(patience, 2*known.takes(asideRead, asideWritten))
}

// writeSentence tells the sentence for a call, if there is one before ctx ends.
func (t *turn) writeSentence(ctx context.Context, j *job, wait time.Duration, heard chan<- news) {
	select {
	case <-time.After(wait):
	case <-ctx.Done():
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
