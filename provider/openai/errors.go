package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

const (
	hintRoom = "shorten your message, start a new conversation, or start the server with a larger context"
	noTools  = "the model cannot use tools on this server"
)

// knownErrors are errors with a special meaning, by parts of their messages in lower case. The first match counts. An
// empty text keeps the server's message.
var knownErrors = []struct {
	kind       provider.Kind
	text, hint string
	match      []string
}{
	{provider.KindTooLong, endpoint.TooLong, hintRoom, []string{
		"context_length_exceeded", "exceed_context_size",
		"maximum context length", // OpenAI, vLLM
		"model's context length is only",
		"longer than the maximum model length",
		"max_tokens must be at least 1, got -", // old vLLM, where no tokens remain
		"exceeds the available context size",   // llama.cpp
		"context size has been exceeded",       // LM Studio and its engines
		"context the overflows", "with context length of only", "reached context length of",
		"n_keep", "tokens to keep from the initial prompt",
		"longer than the model's context length", // SGLang
		"exceeds the maximum allowed length",
		"exceeds maximum context", "input length exceeds", // Ollama
	}},
	{provider.KindNoTools, noTools, "start vLLM with --enable-auto-tool-choice and --tool-call-parser", []string{
		"--enable-auto-tool-choice"}},
	{provider.KindNoTools, noTools, "start llama-server with --jinja", []string{
		"requires --jinja", "unsupported param: tools"}},
	{provider.KindNoTools, noTools, "enable tool calls in the server, or choose another model", []string{
		"does not support tool", "does not support function calling", "support tool use", "tools are not supported",
		"tool calling is not supported",
	}},
	{provider.KindMalformed, "", "try again", []string{
		"failed to parse tool call", "failed to parse input at", "invalid diff:", // llama.cpp
		"does not match the expected", "error parsing tool call", // Ollama
	}},
	{provider.KindMemory, "", endpoint.Smaller, []string{
		"out of memory", "insufficient system resources", // LM Studio
	}},
	{provider.KindMissing, "", "load one in LM Studio, or with: lms load", []string{"no models loaded"}},
	{provider.KindMissing, "", "", []string{
		"model_not_found", "no such model", "model not found", "model does not exist"}},
}

// thinkErrors are parts of errors about the think setting.
var thinkErrors = []string{
	"reasoning_effort", "reasoning effort", "chat_template_kwargs", "enable_thinking",
	"does not support thinking", "think value",
}

// known returns the error for a message with a special meaning, nil for any other. body is the whole response.
func (c *Client) known(req provider.Request, message string, body []byte, status int) *provider.Error {
	lower := strings.ToLower(string(body))
	matches := func(part string) bool { return strings.Contains(lower, part) }
	e := &provider.Error{Err: errors.New(c.Safe(message)), Text: c.Safe(message)}
	if setsThinking(req) && slices.ContainsFunc(thinkErrors, matches) {
		e.Kind, e.Text, e.Hint = provider.KindNoThinking, endpoint.ThinkSetting, endpoint.UseThinkAuto
		return e
	}
	for _, k := range knownErrors {
		if !slices.ContainsFunc(k.match, matches) || k.kind == provider.KindNoTools && len(req.Tools) == 0 {
			continue
		}
		e.Kind, e.Hint = k.kind, k.hint
		if k.text != "" {
			e.Text = k.text
		}
		break
	}
	if e.Kind == provider.KindFailed && status == http.StatusNotFound && matches("model") {
		e.Kind = provider.KindMissing
	}
	switch e.Kind {
	case provider.KindFailed:
		return nil
	case provider.KindMemory:
		e.Text = c.ErrorFrom(cmp.Or(message, string(body)))
	case provider.KindMissing:
		e.Text = c.noModel(req.Model)
	case provider.KindTooLong:
		e.Tokens, e.Window = endpoint.Sizes(lower)
		c.learn(req.Model, func(h *habits) { h.details = details{} }) // the server may be started with a larger context
	}
	return e
}

func (c *Client) noModel(name string) string {
	return fmt.Sprintf("the server at %q has no model %q", c.Address(), c.Safe(name))
}

// explain returns the error for a refusal.
func (c *Client) explain(refusal *endpoint.Refusal, req provider.Request) *provider.Error {
	if refusal.Status != http.StatusUnauthorized && !refusal.Page {
		if e := c.known(req, refusal.Text, refusal.Body, refusal.Status); e != nil {
			return e
		}
	}
	e := c.Explain(refusal)
	reason := ""
	if refusal.Text != "" {
		reason = ": " + c.Safe(refusal.Text)
	}
	switch {
	case refusal.Status == http.StatusUnauthorized || refusal.Status == http.StatusForbidden:
		e.Kind = provider.KindUnauthorized
		e.Text, e.Hint = "rejects the key"+reason, "check the variable that api_key_env names in "+c.file
		if c.Header.Get("Authorization") == "" {
			e.Text, e.Hint = "requires a key"+reason, "name the variable that contains it with api_key_env in "+c.file
		}
		e.Hint += ", then start aloud again"
	case refusal.Page:
		return e
	case refusal.Status == http.StatusNotFound || refusal.Status == http.StatusMethodNotAllowed:
		e.Text, e.Hint = fmt.Sprintf("has no chat completions (%s)", refusal.StatusText()), c.Usual
	case isBusy(refusal):
		e.Kind = provider.KindBusy
		e.Text, e.Hint = fmt.Sprintf("is busy (%s)%s", refusal.StatusText(), reason), "try again in a moment"
		if wait := retryAfter(refusal.Header, 0); wait > maxWait {
			e.Hint = "try again in " + wait.String()
		}
	default:
		return e
	}
	e.Text = fmt.Sprintf("the server at %q %s", c.Address(), e.Text)
	return e
}

// streamError returns the error that the server reports within a stream.
func (c *Client) streamError(failure []byte, req provider.Request) *provider.Error {
	text := endpoint.ErrorReason(failure)
	if !json.Valid(failure) {
		text = string(failure)
	}
	if e := c.known(req, text, failure, 0); e != nil {
		return e
	}
	if text == "" {
		return c.unexplained()
	}
	return &provider.Error{Err: errors.New(c.Safe(text)), Hint: c.LogHint(), Text: c.ErrorFrom(text)}
}

func (c *Client) unexplained() *provider.Error {
	text := fmt.Sprintf("the server at %q stopped the response without a reason", c.Address())
	return &provider.Error{Hint: c.LogHint(), Text: text}
}
