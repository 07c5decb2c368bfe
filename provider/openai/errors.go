package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

const (
	hintRoom  = "ask with less text, begin a new conversation, or start the server with a larger context"
	hintTools = "start the server with its tool calls switched on, or choose a model that can"
)

// meanings are the refusals that aloud understands, in lower case. The first that fits counts.
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
	}},
	{provider.KindNoTools, "start vLLM with --enable-auto-tool-choice and the --tool-call-parser of the model", []string{"--enable-auto-tool-choice"}},
	{provider.KindNoTools, "start llama-server with --jinja", []string{"requires --jinja", "unsupported param: tools"}},
	{provider.KindNoTools, hintTools, []string{
		"does not support tool", "does not support function calling", "support tool use", "tools are not supported", "tool calling is not supported",
	}},
	{provider.KindMalformed, "ask again", []string{
		"failed to parse tool call", "failed to parse input at", "invalid diff:", // llama.cpp
		"does not match the expected", "error parsing tool call", // Ollama
	}},
	{provider.KindMissing, "load one in LM Studio, or with: lms load", []string{"no models loaded"}},
	{provider.KindMissing, "", []string{"model_not_found", "no such model", "model not found", "model does not exist"}},
}

// thinkWords are in the refusals of what was said about thinking.
var thinkWords = []string{"reasoning_effort", "reasoning effort", "chat_template_kwargs", "enable_thinking", "does not support thinking", "think value"}

// asked is the part of a request that is needed to understand its refusal.
type asked struct {
	model string
	tools bool
	think bool // something was said about thinking
}

func askedIn(req provider.Request) asked {
	return asked{req.Model, len(req.Tools) > 0, req.Think == provider.ThinkOn || req.Think == provider.ThinkOff}
}

// meant finds the kind of an error in its text and in all of the answer. It returns nil for an error of no special
// kind.
func (c *Client) meant(text string, body []byte, status int, a asked) *provider.Error {
	lower := strings.ToLower(string(body))
	cause := errors.New(c.Said(text))
	if a.think && containsAny(lower, thinkWords) {
		return &provider.Error{Kind: provider.KindNoThinking, Err: cause, Hint: "leave it the choice with: --think auto",
			Text: fmt.Sprintf("the model %q does not take this think setting", c.Said(a.model))}
	}
	for _, m := range meanings {
		if containsAny(lower, m.words) && (m.kind != provider.KindNoTools || a.tools) {
			return &provider.Error{Kind: m.kind, Err: cause, Hint: m.hint, Text: c.sentence(m.kind, text, a.model)}
		}
	}
	if status == http.StatusNotFound && strings.Contains(lower, "model") {
		return &provider.Error{Kind: provider.KindMissing, Err: cause, Text: c.sentence(provider.KindMissing, text, a.model)}
	}
	return nil
}

// sentence is the sentence for an error of a kind.
func (c *Client) sentence(kind provider.Kind, text, model string) string {
	switch kind {
	case provider.KindTooLong:
		return "the conversation does not fit into the model's context"
	case provider.KindNoTools:
		return fmt.Sprintf("the model %q cannot use tools as the server at %q runs it", c.Said(model), c.Address())
	case provider.KindMissing:
		return fmt.Sprintf("the server at %q has no model %q", c.Address(), c.Said(model))
	}
	return c.Said(text) // the model is told, which needs no address
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// explain is the error for a refusal.
func (c *Client) explain(no *endpoint.Refusal, a asked) *provider.Error {
	if no.Status != http.StatusUnauthorized && !no.Page {
		if e := c.meant(no.Text, no.Body, no.Status, a); e != nil {
			return e
		}
	}
	e := c.Explain(no)
	status := fmt.Sprintf("%d %s", no.Status, http.StatusText(no.Status))
	words := ""
	if no.Text != "" {
		words = ": " + c.Said(no.Text)
	}
	switch no.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		e.Text, e.Hint = fmt.Sprintf("the server at %q does not take the key%s", c.Address(), words), "check the variable that api_key_env names"
		if c.Header.Get("Authorization") == "" {
			e.Text, e.Hint = fmt.Sprintf("the server at %q wants a key%s", c.Address(), words), "name the variable that holds it with api_key_env"
		}
		return e
	}
	if no.Page {
		return e
	}
	switch no.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		e.Text, e.Hint = fmt.Sprintf("the server at %q has no chat completions (%s)", c.Address(), status), c.Usual
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusBadGateway:
		e.Text, e.Hint = fmt.Sprintf("the server at %q is busy (%s)%s", c.Address(), status, words), "try again in a moment"
		if wait := retryAfter(no.Header, 0); wait > longestWait {
			e.Hint = "try again in " + wait.String()
		}
	}
	return e
}

// reachable completes the error of a request that got no answer.
func (c *Client) reachable(err error) error {
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Hint == "" {
		e.Hint = "check base_url, and that the server runs there"
		if c.Local() {
			e.Hint = "start the server, or write where it is with base_url or --host"
		}
	}
	return err
}

// told is for an error that the server states in the middle of a stream.
func (c *Client) told(failure json.RawMessage, a asked) *provider.Error {
	text := endpoint.ErrorReason(failure)
	if e := c.meant(text, failure, 0, a); e != nil {
		return e
	}
	if text == "" {
		return c.gaveUp()
	}
	return &provider.Error{Err: errors.New(c.Said(text)), Hint: c.LogHint(), Text: fmt.Sprintf("the server at %q says: %s", c.Address(), c.Said(text))}
}

func (c *Client) gaveUp() *provider.Error {
	return &provider.Error{Hint: c.LogHint(), Text: fmt.Sprintf("the server at %q gave the answer up and does not say why", c.Address())}
}
