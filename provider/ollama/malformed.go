package ollama

import (
	"errors"
	"regexp"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/provider"
)

// parsers are what the server's parsers of tool calls say when a model writes one that they cannot read.
var parsers = regexp.MustCompile(`error parsing tool call|failed to parse (tool|XML|JSON)|tool call parsing failed|XML syntax error|` +
	`expected element type <|element <[^>]*> closed by|` +
	`invalid character .+ (looking for|after|in) |unexpected end of JSON input|repair failed to produce valid JSON`)

// rawCall is the call itself, which stands between the server's words and the parser's. It can be as long as a file.
var rawCall = regexp.MustCompile(`(?s)^.*error parsing tool call:? *(raw=.*, *err=)?`)

// malformed is the error for a call that the model wrote and the server could not read, or nil when message tells of something else.
// cause tells apart what a server says of a request: that one is of our making.
func malformed(message string, cause error) *provider.Error {
	if refusal := (api.StatusError{}); errors.As(cause, &refusal) && refusal.StatusCode >= 400 && refusal.StatusCode < 500 {
		return nil
	}
	if !parsers.MatchString(message) || strings.HasPrefix(message, "pull model manifest") {
		return nil
	}
	words := rawCall.ReplaceAllString(message, "")
	if words == "" {
		words = message
	}
	return &provider.Error{Kind: provider.KindMalformed, Err: cause, Hint: "ask again, or choose a model that is better with tools",
		Text: "the model wrote a tool call that cannot be read: " + provider.ErrorLine(words)}
}

// crashed reports whether message says that the process which runs the model ended or fell silent, so that a new one may do better.
func crashed(message string) bool {
	for _, words := range []string{
		"model runner has unexpectedly stopped", "llama runner process has terminated", "llama runner process no longer running",
		"unexpected server status", "an error was encountered while running the model", "/completion\": ",
	} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return message == "EOF" || message == "unexpected EOF"
}
