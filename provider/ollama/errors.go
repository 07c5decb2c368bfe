package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

const (
	hintInstall = "install it from https://ollama.com/download"
	hintAuto    = "leave it the choice with: --think auto"
	hintRoom    = "ask with less text, begin a new conversation, or set a larger context"
	hintSmaller = "choose a smaller model or a smaller context"
	tooLong     = "the conversation does not fit into the model's context"
)

// refused is for an answer whose status is not a success.
func (c *Client) refused(r *endpoint.Refusal) *provider.Error {
	switch {
	case r.Status == http.StatusUnauthorized:
		var at struct {
			URL string `json:"signin_url"`
		}
		_ = json.Unmarshal(r.Body, &at) // a body without an address is fine
		e := &provider.Error{Text: fmt.Sprintf("the Ollama server at %q wants you to sign in", c.Address()), Hint: "sign in with: ollama signin"}
		if at.URL != "" {
			e.Hint += ", or at " + c.Said(at.URL)
		}
		return e
	case r.Text != "" && !r.Page && r.Status >= 400:
		return c.told(r.Text, r.Status)
	}
	return c.Explain(r)
}

// errorTexts are the error texts of Ollama that mean something to aloud.
var errorTexts = []struct {
	match string
	kind  provider.Kind
	text  string // "": the server's own words
	hint  string
}{
	{"does not support tools", provider.KindNoTools, "the model cannot use tools", "choose a model that can, for example: ollama pull qwen3"},
	{"does not support thinking", provider.KindNoThinking, "the model cannot think before it answers", hintAuto},
	{"think value", provider.KindNoThinking, "the model does not take this think setting", hintAuto},
	{"invalid model name", provider.KindMissing, "the model's name has a form that Ollama does not take", "name it as ollama list does, for example: qwen3:8b"},
	{"input length exceeds", provider.KindTooLong, tooLong, hintRoom},
	{"exceeds maximum context", provider.KindTooLong, tooLong, hintRoom},
	{"exceeds the available context", provider.KindTooLong, tooLong, hintRoom},
	{"pull model manifest: Get", provider.KindFailed, "the Ollama server cannot reach the library of models", "check its network, then pull again"},
	{"file does not exist", provider.KindMissing, "there is no such model to fetch", "look for its name at https://ollama.com/search"},
	{"error loading model", provider.KindFailed, "", "pull the model again, or update Ollama: this one may be too old for it"},
	{"more system memory", provider.KindFailed, "", hintSmaller},
	{"out of memory", provider.KindFailed, "", hintSmaller},
	{"server busy", provider.KindFailed, "the Ollama server has too many requests in line", "try again in a moment"},
	{"cloud is disabled", provider.KindFailed, "", "choose a model of this machine, or start the server without OLLAMA_NO_CLOUD"},
}

var (
	missingModel = regexp.MustCompile(`model ['"]?([^'" ]+)['"]? not found`)

	// unreadable is what the server's parsers say when a model writes a tool call that they cannot read.
	unreadable = regexp.MustCompile(`error parsing tool call|failed to parse (tool|XML|JSON)|tool call parsing failed|XML syntax error|` +
		`expected element type <|element <[^>]*> closed by|` +
		`invalid character .+ (looking for|after|in) |unexpected end of JSON input|repair failed to produce valid JSON`)
	// rawCall is the call itself, between the server's words and the parser's. It can be as long as a file.
	rawCall = regexp.MustCompile(`(?s)^.*error parsing tool call:? *(raw=.*, *err=)?`)
	// crashed is what is said when the process that runs the model ended or fell silent; a new one may do better.
	crashed = regexp.MustCompile(`model runner has unexpectedly stopped|llama runner process (has terminated|no longer running)|unexpected server status|` +
		`an error was encountered while running the model|/completion": |^(unexpected )?EOF$`)
)

// told is for an error that Ollama itself states; status is that of the answer, or 0 in the middle of a stream.
func (c *Client) told(message string, status int) *provider.Error {
	e := &provider.Error{Err: errors.New(c.Said(message)), Hint: c.LogHint(),
		Text: fmt.Sprintf("the Ollama server at %q says: %s", c.Address(), c.Said(message))}
	ofRequest := status >= 400 && status < 500 // which aloud wrote, not the model
	if m := missingModel.FindStringSubmatch(message); m != nil {
		name := c.Said(m[1])
		e.Kind, e.Hint = provider.KindMissing, "pull it with: ollama pull "+name
		e.Text = fmt.Sprintf("the Ollama server at %q has no model %q", c.Address(), name)
		return e
	}
	if !ofRequest && unreadable.MatchString(message) && !strings.HasPrefix(message, "pull model manifest") {
		words := rawCall.ReplaceAllString(message, "")
		if words == "" {
			words = message
		}
		e.Kind, e.Hint = provider.KindMalformed, "ask again, or choose a model that is better with tools"
		e.Text = "the model wrote a tool call that cannot be read: " + c.Said(words)
		return e
	}
	if crashed.MatchString(message) {
		e.Kind, e.Hint = provider.KindBroken, "try again; if it does not help, choose a smaller model or context; the log of ollama serve says more"
		e.Text = "the process in which Ollama runs the model ended: " + c.Said(message)
	}
	for _, known := range errorTexts {
		if !strings.Contains(message, known.match) {
			continue
		}
		e.Kind, e.Hint = known.kind, known.hint
		if known.text != "" {
			e.Text = known.text
		}
		break
	}
	return e
}
