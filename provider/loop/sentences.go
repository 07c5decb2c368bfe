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
	messages := r.toSend()
	if !r.mayAskQuick(messages) {
		return nil, 0
	}
	wait = patience
	if !r.chat.hasStatusModel() && !r.known.info.Asides {
		wait = max(patience, 2*r.known.takes(asideRead, asideWritten))
	}
	req := r.reply.asked
	req.Messages = standIn(messages)
	chat, info := r.chat, r.known.info
	return func(ctx context.Context, prompt string) (string, error) { return chat.askQuick(ctx, req, info, prompt) }, wait
}

// standIn is the conversation up to the calls that now run, with an answer to each. The next round begins with the same, up to the results.
func standIn(messages []provider.Message) []provider.Message {
	var unanswered []provider.Message
	for i := len(messages) - 1; i >= 0 && messages[i].Role != provider.RoleUser; i-- {
		for _, call := range messages[i].Calls {
			if !answeredIn(messages[i:], call.ID) {
				unanswered = append(unanswered, provider.Message{Role: provider.RoleTool, CallID: call.ID, Tool: call.Name, Text: "(still running)"})
			}
		}
	}
	return provider.AndSay(messages, unanswered...)
}

func answeredIn(messages []provider.Message, call string) bool {
	return slices.ContainsFunc(messages, func(m provider.Message) bool { return m.Role == provider.RoleTool && m.CallID == call })
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
func (r *round) mayAskQuick(messages []provider.Message) bool {
	switch {
	case r.chat.hasStatusModel(), r.known.info.Asides:
		return true
	case r.known.takes(asideRead, asideWritten) > costliest:
		return false
	case r.known.info.Thinking:
		return r.reply.asked.Think == provider.ThinkOff
	}
	for _, m := range slices.Backward(messages) {
		if m.Role == provider.RoleUser {
			break
		}
		if m.Thinking != "" {
			return false
		}
	}
	return true
}

// askQuick makes one short request. It repeats the turn so far and adds the prompt at its end, so that the server's prompt cache keeps
// what the next round needs. A model of its own for sentences has nothing of the turn in its cache, and gets the prompt alone.
func (c *Chat) askQuick(ctx context.Context, req provider.Request, info provider.Info, prompt string) (string, error) {
	question := provider.Message{Role: provider.RoleUser, Text: prompt}
	last := len(req.Messages) - 1
	switch {
	case c.hasStatusModel():
		req.Model, req.Messages, req.Tools, req.Context = c.StatusModel, []provider.Message{question}, nil, smallestWindow
	case info.Thinking && !info.Asides && req.Messages[last].Role == provider.RoleTool:
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
			return "", errCutSentence
		}
	}
	return said.String(), nil
}

// errCutSentence is that of a sentence that broke off: the beginning of one may say something else than the whole.
var errCutSentence = errors.New("the sentence broke off")
