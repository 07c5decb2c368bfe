package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

const (
	hintInstall = "install it from https://ollama.com/download"
	hintRoom    = "shorten your message, start a new conversation, or set a larger context"
)

// refused returns the error for an error status.
func (c *Client) refused(r *endpoint.Refusal) *provider.Error {
	switch {
	case r.Status == http.StatusUnauthorized:
		var body struct {
			URL string `json:"signin_url"`
		}
		_ = json.Unmarshal(r.Body, &body) // the URL is optional
		e := &provider.Error{Kind: provider.KindUnauthorized, Hint: "run: ollama signin"}
		e.Text = fmt.Sprintf("the Ollama server at %q requires you to sign in", c.Address())
		if body.URL != "" {
			e.Hint += ", or open " + c.Safe(body.URL)
		}
		return e
	case r.Text != "" && !r.Page && r.Status >= 400:
		return c.serverError(r.Text, r.Status)
	}
	return c.Explain(r)
}

// knownErrors are the error messages of Ollama with a special meaning. An empty text keeps Ollama's message.
var knownErrors = []struct {
	match      string
	kind       provider.Kind
	text, hint string
}{
	{"does not support tools", provider.KindNoTools,
		"the model does not support tools", "choose a model that does, for example: ollama pull qwen3"},
	{"does not support thinking", provider.KindNoThinking, "the model does not support thinking", endpoint.UseThinkAuto},
	{"think value", provider.KindNoThinking, endpoint.ThinkSetting, endpoint.UseThinkAuto},
	{"invalid model name", provider.KindMissing, "invalid model name", "for example: qwen3:8b"},
	{"input length exceeds", provider.KindTooLong, endpoint.TooLong, hintRoom},
	{"exceeds maximum context", provider.KindTooLong, endpoint.TooLong, hintRoom},
	{"exceeds the available context", provider.KindTooLong, endpoint.TooLong, hintRoom},
	{"pull model manifest: Get", provider.KindFailed,
		"the Ollama server cannot reach the model library", "check its network, then try again"},
	{"file does not exist", provider.KindMissing,
		"the Ollama library has no such model", "find its name at https://ollama.com/search"},
	{"error loading model", provider.KindFailed, "", "download the model again, or update Ollama"},
	{"more system memory", provider.KindMemory, "", endpoint.Smaller},
	{"out of memory", provider.KindMemory, "", endpoint.Smaller},
	{"server busy", provider.KindBusy, "the queue of the Ollama server is full", "try again in a moment"},
	{"cloud is disabled", provider.KindFailed, "", "choose a local model, or start the server without OLLAMA_NO_CLOUD"},
}

var (
	missingModel = sanitize.Pattern(`model ['"]?([^'" ]+)['"]? not found`)

	// unreadable matches the errors of the server's parsers for the tool calls of models.
	unreadable = sanitize.Pattern(`error parsing tool call|failed to parse (tool|XML|JSON)|tool call parsing failed|` +
		`XML syntax error|expected element type <|element <[^>]*> closed by|` +
		`invalid character .+ (looking for|after|in) |unexpected end of JSON input|repair failed to produce valid JSON`)
	// rawCall matches the server's words and the call, which can be as long as a file, before the parser's message.
	rawCall = sanitize.Pattern(`(?s)^.*error parsing tool call:? *(raw=.*, *err=)?`)
	// crashed matches errors about the process that runs the model. A retry starts a new process.
	crashed = sanitize.Pattern(`model runner has unexpectedly stopped|` +
		`llama runner process (has terminated|no longer running)|unexpected server status|` +
		`an error was encountered while running the model|/completion": |^(unexpected )?EOF$`)
)

// serverError returns the error for an error message of Ollama. status is that of the response, 0 within a stream.
func (c *Client) serverError(message string, status int) *provider.Error {
	e := &provider.Error{Err: errors.New(c.Safe(message)), Hint: c.LogHint(), Text: c.ErrorFrom(message)}
	invalidRequest := status >= 400 && status < 500 // a mistake of aloud, not of the model
	if m := missingModel().FindStringSubmatch(message); m != nil {
		name := c.Safe(m[1])
		e.Kind, e.Hint = provider.KindMissing, "download it with: ollama pull "+name
		e.Text = fmt.Sprintf("model %q is not installed on the Ollama server at %q", name, c.Address())
		return e
	}
	if !invalidRequest && unreadable().MatchString(message) && !strings.HasPrefix(message, "pull model manifest") {
		e.Kind, e.Hint = provider.KindMalformed, "try again, or choose a model that is better with tools"
		e.Text = "the server cannot parse the model's tool call"
		if reason := rawCall().ReplaceAllString(message, ""); reason != "" {
			e.Text += ": " + c.Safe(reason)
		}
		return e
	}
	if crashed().MatchString(message) {
		e.Kind = provider.KindBroken
		e.Hint = "try again, choose a smaller model or context, or see the log of ollama serve"
		e.Text = "the process that runs the model exited: " + c.Safe(message)
	}
	for _, known := range knownErrors {
		if !strings.Contains(message, known.match) {
			continue
		}
		e.Kind, e.Hint = known.kind, known.hint
		if known.text != "" {
			e.Text = known.text
		}
		if e.Kind == provider.KindTooLong {
			e.Tokens, e.Window = endpoint.Sizes(message)
		}
		break
	}
	return e
}
