package openai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

// habits are what aloud has learned about the requests and replies of a server for one model.
type habits struct {
	owner     string // owned_by in the list of models: which program the server is
	thought   string // the field in which the model's thoughts come, "" while none came
	noUsage   bool   // does not take stream_options
	noThought bool   // does not take thoughts back
	shortIDs  bool   // wants ids of nine letters and digits, as Mistral's models do
	newTokens bool   // wants max_completion_tokens for max_tokens
	noHeat    bool   // does not take a temperature
	noSwitch  bool   // has no switch for thinking
}

// lessons are refusals after which a request is tried again in another form. The server's answer must have all words
// of a lesson, and the request what they are about, which it no longer has once the lesson is learned.
var lessons = []struct {
	words  []string
	reason func(r request, h habits) bool
	learn  func(h *habits)
}{
	{[]string{"stream_options"}, hasUsage, func(h *habits) { h.noUsage = true }},
	{[]string{"include_usage"}, hasUsage, func(h *habits) { h.noUsage = true }},
	{[]string{"max_completion_tokens"}, func(r request, _ habits) bool { return r.MaxTokens > 0 }, func(h *habits) { h.newTokens = true }},
	{[]string{"temperature"}, func(r request, _ habits) bool { return r.Temperature != nil }, func(h *habits) { h.noHeat = true }},
	{[]string{"tool call id", "length"}, func(_ request, h habits) bool { return !h.shortIDs }, func(h *habits) { h.shortIDs = true }},
	{[]string{"reasoning_content"}, hasThoughts, func(h *habits) { h.noThought = true }},
	{[]string{"'reasoning'"}, hasThoughts, func(h *habits) { h.noThought = true }},
}

func hasUsage(r request, _ habits) bool { return r.StreamOptions != nil }

func hasThoughts(r request, _ habits) bool {
	return slices.ContainsFunc(r.Messages, func(m message) bool { return m.ReasoningContent != "" || m.Reasoning != "" })
}

// known is what was learned of a model.
func (c *Client) known(model string) habits {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.habits[model]
	h.owner = cmp.Or(h.owner, c.owner) // a model that was never described is run by the same program as those that were
	return h
}

func (c *Client) note(model string, learn func(*habits)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.habits[model]
	learn(&h)
	c.habits[model] = h
}

// learn reports whether to try the request r, made knowing h, again with what its refusal says. No lesson is learned
// twice, so this ends.
func (c *Client) learn(model string, r request, h habits, no *endpoint.Refusal) bool {
	if no.Status < 400 || no.Status == 401 || no.Status == 403 || no.Status == 404 {
		return false
	}
	const echo = 4096 // a longer answer repeats the request with all its words
	said := string(no.Body)
	if len(said) > echo {
		said = no.Text
	}
	said = strings.ToLower(said)
	for _, l := range lessons {
		missing := func(word string) bool { return !strings.Contains(said, word) }
		if !slices.ContainsFunc(l.words, missing) && l.reason(r, h) {
			c.note(model, l.learn)
			return true
		}
	}
	return false
}

// switchThinking says whether to think in the form that the server knows: templates of local servers have switches of
// their own, the others an effort. It says nothing for auto, and for requests that are not yours after the server
// refused it once.
func (r *request) switchThinking(req provider.Request, h habits) {
	wish := req.Think
	if wish != provider.ThinkOn && wish != provider.ThinkOff || h.noSwitch && req.Purpose != provider.ForAnswer {
		return
	}
	switch h.owner {
	case "vllm", "llamacpp", "sglang", "ray":
		on := wish == provider.ThinkOn
		r.ChatTemplateKwargs = map[string]bool{"enable_thinking": on, "thinking": on} // Qwen's word, and DeepSeek's and Granite's
	default:
		r.ReasoningEffort = map[provider.Think]string{provider.ThinkOn: "medium", provider.ThinkOff: "none"}[wish]
	}
}
