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
	owner    string   // owned_by in the list of models: which program the server is
	thought  string   // the field in which the model's thoughts come, "" while none came
	without  []string // names in optional that the server refused
	noSwitch bool     // has no switch for thinking
}

// optional are the parts of a request that some servers do not take, by what their refusals have in them, and how to
// leave them out.
var optional = []struct {
	name string
	drop func(r *request)
}{
	{"stream_options", dropUsage},
	{"include_usage", dropUsage},
	{"max_completion_tokens", func(r *request) { r.MaxTokens = 0 }}, // which is wanted for max_tokens
	{"temperature", func(r *request) { r.Temperature = nil }},
	{"reasoning_content", dropThoughts},
	{"'reasoning'", dropThoughts},
}

func dropUsage(r *request) { r.StreamOptions = nil }

func dropThoughts(r *request) {
	for i := range r.Messages {
		r.Messages[i].Reasoning, r.Messages[i].ReasoningContent = "", ""
	}
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

// learn reports whether to try again without something that a refusal names. Everything is left out once, so this ends.
func (c *Client) learn(model string, h habits, no *endpoint.Refusal) bool {
	if no.Status < 400 || no.Status == 401 || no.Status == 403 || no.Status == 404 {
		return false
	}
	const echo = 4096 // a longer answer repeats the request with all its words
	said := string(no.Body)
	if len(said) > echo {
		said = no.Text
	}
	said = strings.ToLower(said)
	for _, o := range optional {
		if strings.Contains(said, o.name) && !slices.Contains(h.without, o.name) {
			c.note(model, func(h *habits) { h.without = append(slices.Clip(h.without), o.name) })
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
	case "vllm", "llamacpp", "sglang":
		on := wish == provider.ThinkOn
		r.ChatTemplateKwargs = map[string]bool{"enable_thinking": on, "thinking": on} // Qwen's word, and DeepSeek's and Granite's
	default:
		r.ReasoningEffort = map[provider.Think]string{provider.ThinkOn: "medium", provider.ThinkOff: "none"}[wish]
	}
}
