package openai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

// habits are what the client has learned about a server's requests and replies for one model.
type habits struct {
	owner         string   // owned_by in the list of models, which identifies the server program
	thinkingField string   // the field of replies with the thinking, "" if none yet
	unsupported   []string // names in optional that the server refused
	noThinkSwitch bool     // the server refused the think setting
	noEndMark     bool     // the server does not mark the end of replies, which was said
	givesReasons  bool     // the server gives a reason for the end of replies
	refusedTools  []provider.ToolSpec
	details       details // when last requested
}

// optional are the parts of a request that some servers refuse, by a word in their refusals.
var optional = []struct {
	name string
	drop func(r *request)
}{
	{"stream_options", dropUsage},
	{"include_usage", dropUsage},
	{"max_completion_tokens", func(r *request) { r.MaxTokens = 0 }}, // replaces max_tokens on some servers
	{"temperature", func(r *request) { r.Temperature = nil }},
	{"reasoning_content", dropThinking},
	{"'reasoning'", dropThinking},
}

func dropUsage(r *request) { r.StreamOptions = nil }

func dropThinking(r *request) {
	for i := range r.Messages {
		r.Messages[i].Reasoning, r.Messages[i].ReasoningContent = "", ""
	}
}

func (c *Client) habitsOf(model string) habits {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.habits[model]
	h.owner = cmp.Or(h.owner, c.owner) // one server runs all models
	return h
}

func (c *Client) learn(model string, change func(*habits)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.habits[model]
	change(&h)
	c.habits[model] = h
}

// adapt learns from a refusal of a request. It returns nil if another request is worth a try, which happens once for
// each part of a request, and else the error.
func (c *Client) adapt(req provider.Request, known habits, refusal *endpoint.Refusal) error {
	if part := refusedPart(known, refusal); part != "" {
		c.learn(req.Model, func(h *habits) { h.unsupported = append(slices.Clip(h.unsupported), part) })
		return nil
	}
	e := c.explain(refusal, req)
	if e.Kind != provider.KindNoThinking || req.Purpose == provider.ForAnswer || known.noThinkSwitch {
		return e
	}
	c.learn(req.Model, func(h *habits) { h.noThinkSwitch = true }) // set by aloud itself, so no notice is needed
	return nil
}

// reasonIn returns all of a refusal, or only its message if the rest may repeat the request.
func reasonIn(refusal *endpoint.Refusal) string {
	const maxBody = 4096
	if len(refusal.Body) > maxBody {
		return refusal.Text
	}
	return string(refusal.Body)
}

// refusesRequest reports whether a refusal may be about a part of the request.
func refusesRequest(refusal *endpoint.Refusal) bool {
	return refusal.Status >= 400 && refusal.Status != 401 && refusal.Status != 403 && refusal.Status != 404
}

// refusedPart returns the optional part that a refusal names, or "".
func refusedPart(known habits, refusal *endpoint.Refusal) string {
	if !refusesRequest(refusal) {
		return ""
	}
	text := strings.ToLower(reasonIn(refusal))
	for _, o := range optional {
		if strings.Contains(text, o.name) && !slices.Contains(known.unsupported, o.name) {
			return o.name
		}
	}
	return ""
}

func setsThinking(req provider.Request) bool {
	return req.Think == provider.ThinkOn || req.Think == provider.ThinkOff || req.Think.IsLevel()
}

// setThinking sets whether to think in the form that the server supports: a switch of the chat template for local
// servers, an effort for others. After a refusal it sets nothing in requests with aloud's own settings.
func (r *request) setThinking(req provider.Request, h habits) {
	if !setsThinking(req) || h.noThinkSwitch && req.Purpose != provider.ForAnswer {
		return
	}
	on := req.Think == provider.ThinkOn
	switch {
	case req.Think.IsLevel():
		r.ReasoningEffort = string(req.Think)
	case h.owner == "vllm" || h.owner == "llamacpp" || h.owner == "sglang":
		r.ChatTemplateKwargs = map[string]bool{"enable_thinking": on, "thinking": on} // Qwen; DeepSeek and Granite
	case on:
		r.ReasoningEffort = "medium"
	default:
		r.ReasoningEffort = "none"
	}
}
