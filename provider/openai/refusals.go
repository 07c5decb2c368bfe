package openai

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

const (
	hintRoom  = "ask with less text, begin a new conversation, or start the server with a larger context"
	hintTools = "start the server with its tool calls switched on, or choose a model that can"
)

// meanings are the refusals of the many servers that mean something to aloud. They are looked for in small letters, the first that fits counts.
var meanings = []struct {
	kind  provider.Kind
	hint  string
	words []string // any of them
}{
	{provider.KindTooLong, hintRoom, []string{
		"context_length_exceeded", "exceed_context_size",
		"maximum context length", // OpenAI, vLLM
		"model's context length is only",
		"longer than the maximum model length",
		"max_tokens must be at least 1, got -", // what old vLLM has left over is negative
		"exceeds the available context size",   // llama.cpp
		"context size has been exceeded",       // LM Studio, and what it runs
		"context the overflows", "with context length of only", "reached context length of",
		"longer than the model's context length", // SGLang
		"exceeds the maximum allowed length",
		"exceeds maximum context", "input length exceeds", // Ollama
		"exceeds the maximum number of tokens", "`max_new_tokens` must be", "prompt is too long", "too large for model with", "reduce the length of the messages",
	}},
	{provider.KindNoTools, "start vLLM with --enable-auto-tool-choice and the --tool-call-parser of the model", []string{"--enable-auto-tool-choice"}},
	{provider.KindNoTools, "start llama-server with --jinja", []string{"requires --jinja", "unsupported param: tools"}},
	{provider.KindNoTools, hintTools, []string{
		"does not support tools", "does not support function calling", "support tool use", "tools are not supported", "tools is not supported",
		"tool calling is not supported", "tool use is not supported", "function calling is not enabled", "does not support tool",
	}},
	{provider.KindMalformed, "ask again", []string{
		"failed to parse tool call", "failed to parse input at", "invalid diff:", // llama.cpp
		"does not match the expected", "error parsing tool call", // Ollama
		"tool_use_failed", "failed to call a function", // Groq
	}},
	{provider.KindMissing, "load one in LM Studio, or with: lms load", []string{"no models loaded"}},
	{provider.KindMissing, "", []string{"model_not_found", "no such model", "model not found", "is not a valid model id", "model does not exist", "unknown model"}},
}

// thinkWords are in the refusals of what was said about thinking.
var thinkWords = []string{"reasoning_effort", "reasoning effort", "chat_template_kwargs", "enable_thinking", "does not support thinking", "think value"}

// meant finds the kind of an error in what the server says of it: its text and the whole of the answer. It is nil for an error like any other.
func (c *Client) meant(text, body string, status int, a asked) *provider.Error {
	if status == http.StatusUnauthorized || strings.HasPrefix(strings.TrimSpace(body), "<") {
		return nil // whatever a web page has in it
	}
	lower := strings.ToLower(body)
	cause := errors.New(c.said(text))
	if (a.think == provider.ThinkOn || a.think == provider.ThinkOff) && containsAny(lower, thinkWords) {
		return &provider.Error{Kind: provider.KindNoThinking, Err: cause, Text: fmt.Sprintf("the model %q does not take this think setting", c.said(a.model)),
			Hint: "leave it the choice with: --think auto"}
	}
	for _, m := range meanings {
		if containsAny(lower, m.words) && (m.kind != provider.KindNoTools || a.tools) {
			return &provider.Error{Kind: m.kind, Err: cause, Hint: m.hint, Text: c.sentence(m.kind, text, a)}
		}
	}
	if status == http.StatusNotFound && strings.Contains(lower, "model") {
		return &provider.Error{Kind: provider.KindMissing, Err: cause, Text: c.sentence(provider.KindMissing, text, a)}
	}
	return nil
}

// sentence says an error of a kind.
func (c *Client) sentence(kind provider.Kind, text string, a asked) string {
	switch kind {
	case provider.KindTooLong:
		return "the conversation does not fit into the model's context"
	case provider.KindNoTools:
		return fmt.Sprintf("the model %q cannot use tools as the server at %q runs it", c.said(a.model), c.Address())
	case provider.KindMissing:
		return fmt.Sprintf("the server at %q has no model %q", c.Address(), c.said(a.model))
	case provider.KindMalformed:
		return c.said(text) // the model is told, which needs no address
	}
	return fmt.Sprintf("the server at %q says: %s", c.Address(), c.said(text))
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
