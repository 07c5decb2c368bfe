package openai

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
	"github.com/aloudchat/aloud/sanitize"
)

// habits are what the client has learned about a server's requests and replies for one model.
type habits struct {
	owner         string   // owned_by in the list of models, which identifies the server program
	thinkingField string   // the field of replies with the thinking, "" if none yet
	unsupported   []string // names in optional that the server refused
	noThinkSwitch bool     // the server refused the think setting
	noEndMark     bool     // the server does not mark the end of replies
	refusedTools  []provider.ToolSpec
}

// offered returns the tools that the server did not refuse.
func (h habits) offered(tools []provider.ToolSpec) []provider.ToolSpec {
	if len(h.refusedTools) == 0 {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(tool provider.ToolSpec) bool {
		return slices.ContainsFunc(h.refusedTools, func(refused provider.ToolSpec) bool {
			return endpoint.SameTool(tool, refused)
		})
	})
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
// each part of a request, and else the error. notice is for the user.
func (c *Client) adapt(req provider.Request, known habits, no *endpoint.Refusal) (notice string, err error) {
	if part := refusedPart(known, no); part != "" {
		c.learn(req.Model, func(h *habits) { h.unsupported = append(slices.Clip(h.unsupported), part) })
		return "", nil
	}
	e := c.explain(no, req)
	if tool, ok := refusedTool(known.offered(req.Tools), no); ok && e.Kind == provider.KindFailed {
		c.learn(req.Model, func(h *habits) { h.refusedTools = append(slices.Clip(h.refusedTools), tool) })
		return fmt.Sprintf("The server refused the tool %s, so the model goes on without it: %s",
			c.Safe(cmp.Or(tool.Title, tool.Name)), c.Safe(no.Text)), nil
	}
	if e.Kind != provider.KindNoThinking || req.Purpose == provider.ForAnswer || known.noThinkSwitch {
		return "", e
	}
	c.learn(req.Model, func(h *habits) { h.noThinkSwitch = true }) // set by aloud itself, so no notice is needed
	return "", nil
}

var (
	// placeOfTool matches a place in the list of tools: tools.3, tools[3], ["tools", 3].
	placeOfTool = sanitize.Pattern(`\btools['"]?\s*[.,\[]\s*(\d{1,4})`)
	// nameOfTool matches what may be a tool's name, in quotes or after a word for it.
	nameOfTool = sanitize.Pattern("(?i)(?:['\"`]|\\b(?:function|tool)[ :]+)([\\w.:/-]+)")
)

// refusedTool returns the tool that a refusal names. ok is false if it names none or several.
func refusedTool(tools []provider.ToolSpec, no *endpoint.Refusal) (tool provider.ToolSpec, ok bool) {
	if no.Text == "" || !refusesRequest(no) || isBusy(no) {
		return tool, false
	}
	places := map[int]bool{}
	for _, match := range placeOfTool().FindAllStringSubmatch(no.Text, -1) {
		if i, err := strconv.Atoi(match[1]); err == nil && i < len(tools) {
			places[i] = true
		}
	}
	for _, match := range nameOfTool().FindAllStringSubmatch(no.Text, -1) {
		i := slices.IndexFunc(tools, func(t provider.ToolSpec) bool { return t.Name == strings.TrimRight(match[1], ".:") })
		if i >= 0 {
			places[i] = true
		}
	}
	for i := range places {
		tool = tools[i]
	}
	return tool, len(places) == 1
}

// refusesRequest reports whether a refusal may be about a part of the request.
func refusesRequest(no *endpoint.Refusal) bool {
	return no.Status >= 400 && no.Status != 401 && no.Status != 403 && no.Status != 404
}

// refusedPart returns the optional part that a refusal names, or "".
func refusedPart(known habits, no *endpoint.Refusal) string {
	if !refusesRequest(no) {
		return ""
	}
	const maxBody = 4096 // a longer one repeats the request
	text := string(no.Body)
	if len(text) > maxBody {
		text = no.Text
	}
	text = strings.ToLower(text)
	for _, o := range optional {
		if strings.Contains(text, o.name) && !slices.Contains(known.unsupported, o.name) {
			return o.name
		}
	}
	return ""
}

func setsThinking(req provider.Request) bool {
	return req.Think == provider.ThinkOn || req.Think == provider.ThinkOff
}

// setThinking sets whether to think in the form that the server supports: a switch of the chat template for local
// servers, an effort for others. After a refusal it sets nothing in requests with aloud's own settings.
func (r *request) setThinking(req provider.Request, h habits) {
	if !setsThinking(req) || h.noThinkSwitch && req.Purpose != provider.ForAnswer {
		return
	}
	on := req.Think == provider.ThinkOn
	switch {
	case h.owner == "vllm" || h.owner == "llamacpp" || h.owner == "sglang":
		r.ChatTemplateKwargs = map[string]bool{"enable_thinking": on, "thinking": on} // Qwen; DeepSeek and Granite
	case on:
		r.ReasoningEffort = "medium"
	default:
		r.ReasoningEffort = "none"
	}
}
