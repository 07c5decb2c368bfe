package openai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// habits are what is known of how a server takes requests for one model, and answers them.
type habits struct {
	owner     string // owned_by in the list of models: which program the server is
	thought   string // the field in which the model's thoughts come, "" while none came
	noUsage   bool   // does not take stream_options
	noThought bool   // does not take thoughts back
	shortIDs  bool   // wants ids of nine letters and digits, as Mistral's models do
	newTokens bool   // wants max_completion_tokens for max_tokens
	noHeat    bool   // does not take a temperature
	noSwitch  bool   // has no switch for thinking
	noStream  bool   // does not stream replies with tools, as old llama.cpp
}

// lessons are refusals after which a request is worth another try in another form. All words of a lesson must be in the server's answer.
var lessons = []struct {
	words []string
	knows func(h habits) bool // the lesson was learned before, or this request gave no reason for it
	learn func(h *habits)
}{
	{[]string{"stream_options"}, func(h habits) bool { return h.noUsage }, func(h *habits) { h.noUsage = true }},
	{[]string{"include_usage"}, func(h habits) bool { return h.noUsage }, func(h *habits) { h.noUsage = true }},
	{[]string{"max_completion_tokens"}, func(h habits) bool { return h.newTokens }, func(h *habits) { h.newTokens = true }},
	{[]string{"temperature"}, func(h habits) bool { return h.noHeat }, func(h *habits) { h.noHeat = true }},
	{[]string{"cannot use tools with stream"}, func(h habits) bool { return h.noStream }, func(h *habits) { h.noStream = true }},
	{[]string{"tool call id", "length"}, func(h habits) bool { return h.shortIDs }, func(h *habits) { h.shortIDs = true }},
	{[]string{"reasoning_content"}, func(h habits) bool { return h.noThought || h.thought == "" }, func(h *habits) { h.noThought = true }},
	{[]string{"'reasoning'"}, func(h habits) bool { return h.noThought || h.thought == "" }, func(h *habits) { h.noThought = true }},
}

// known tells what was learned of a model.
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

// learn tells whether a request that was made knowing h is worth another try, with what its refusal says. No lesson is learned twice, so that
// trying comes to an end.
func (c *Client) learn(model string, h habits, no *refusal) bool {
	if no.status < 400 || no.status == 401 || no.status == 403 || no.status == 404 {
		return false
	}
	said := strings.ToLower(string(no.body))
	for _, l := range lessons {
		missing := func(word string) bool { return !strings.Contains(said, word) }
		if !slices.ContainsFunc(l.words, missing) && !l.knows(h) {
			c.note(model, l.learn)
			return true
		}
	}
	return false
}

// switchThinking writes the wish to think, or not to, in the form that the server knows: templates of local servers have switches of their own,
// the others have an effort. Without a wish nothing is said, nor where a wish that nobody expressed was refused before.
func (r *request) switchThinking(req provider.Request, h habits) {
	wish := req.Think
	if wish != provider.ThinkOn && wish != provider.ThinkOff || h.noSwitch && req.Purpose != provider.ForAnswer {
		return
	}
	switch h.owner {
	case "vllm", "llamacpp", "sglang":
		on := wish == provider.ThinkOn
		r.ChatTemplateKwargs = map[string]bool{"enable_thinking": on, "thinking": on} // Qwen's word, and DeepSeek's and Granite's
	default:
		r.ReasoningEffort = map[provider.Think]string{provider.ThinkOn: "medium", provider.ThinkOff: "none"}[wish]
	}
}
