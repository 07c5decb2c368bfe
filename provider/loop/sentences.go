package loop

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// When a sentence about a running tool is worth asking for. The server finishes reading a request before it notices that it was cancelled, so one
// that comes just before the tool is done holds up the next round.
const (
	patience     = 150 * time.Millisecond  // the least that a tool runs before: fast ones cost nothing
	asideRead    = 150                     // about how many tokens such a request has that the server has not read
	asideWritten = 10                      // and its answer
	costliest    = 1500 * time.Millisecond // with more the sentence would hardly come in time
)

// sentences returns how to ask the model for words about the calls that run, and after which time. Ask is nil if that would make the server read
// the conversation again.
func (r *round) sentences() (ask func(context.Context, string) (string, error), wait time.Duration) {
	if !r.mayAskQuick() {
		return nil, 0
	}
	wait = patience
	if !r.chat.hasStatusModel() {
		wait = max(patience, 2*r.known.takes(asideRead, asideWritten))
	}
	req, messages := r.reply.asked, slices.Clip(r.toSend())
	for _, call := range r.history.view.Open() { // the next round begins with the same messages, up to these results
		running := provider.Message{Role: provider.RoleTool, CallID: call.ID, Tool: call.Name, Text: "(still running)"}
		messages = append(messages, running)
	}
	req.Messages = messages
	chat, info := r.chat, r.known.info
	return func(ctx context.Context, prompt string) (string, error) { return chat.askQuick(ctx, req, info, prompt) }, wait
}

// hasStatusModel reports whether a model other than the chat's writes the sentences. Asked as another one, the chat's would be loaded again, with
// the small context of the sentences.
func (c *Chat) hasStatusModel() bool {
	return c.StatusModel != "" && untagged(c.StatusModel) != untagged(c.Name)
}

// untagged is the name of a model without the tag that a name without one has.
func untagged(model string) string { return strings.TrimSuffix(model, ":latest") }

// mayAskQuick reports whether a request for a sentence leaves the server's prompt cache as the next round needs it. Whether a model is to think
// stands in its prompt, often behind the question: a model that thinks in its turn cannot be asked without thinking and keep the cache. Nor is a
// model asked that is so slow that the sentence would come too late and hold up the next round.
func (r *round) mayAskQuick() bool {
	switch {
	case r.chat.hasStatusModel():
		return true
	case r.known.takes(asideRead, asideWritten) > costliest:
		return false
	case r.known.info.Thinking:
		return r.reply.asked.Think == provider.ThinkOff
	}
	return r.reply.Thinking == ""
}

// askQuick makes one short request. It repeats the turn so far and adds the prompt at its end, so that the server's prompt cache keeps
// what the next round needs. A model of its own for sentences has nothing of the turn in its cache, and gets the prompt alone.
func (c *Chat) askQuick(ctx context.Context, req provider.Request, info provider.Info, prompt string) (string, error) {
	question := provider.Message{Role: provider.RoleUser, Text: prompt}
	last := len(req.Messages) - 1
	switch {
	case c.hasStatusModel():
		req.Model, req.Messages, req.Tools, req.Context = c.StatusModel, []provider.Message{question}, nil, smallestWindow
	case info.Thinking && req.Messages[last].Role == provider.RoleTool:
		// Templates such as that of qwen3 say behind the last words of the user that the model is not to think. That must not move.
		req.Messages = slices.Clone(req.Messages)
		req.Messages[last].Text += "\n\n" + prompt
	default:
		req.Messages = provider.AndSay(req.Messages, question)
	}
	cold := 0.0
	req.Purpose, req.Think, req.MaxTokens, req.Temperature = provider.ForSentence, provider.ThinkOff, 20, &cold

	var said strings.Builder
	for chunk, err := range c.chunks(ctx, req) {
		if err != nil {
			return "", err
		}
		said.WriteString(chunk.Text)
		if chunk.Reason == "length" && len(strings.Fields(said.String())) <= 10 { // of more words only the first are shown, with a mark
			return "", errors.New("the sentence broke off")
		}
	}
	return said.String(), nil
}
