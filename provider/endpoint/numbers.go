package endpoint

import (
	"math"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Count is a number of a server: a whole number, or 0 for any other or implausible value.
type Count int64

// UnmarshalJSON implements json.Unmarshaler. It returns no error.
func (n *Count) UnmarshalJSON(data []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err == nil && f > 0 && f < 1<<52 && f == math.Trunc(f) {
		*n = Count(f)
	}
	return nil
}

var (
	// keptSize matches the size of the prompt, and then that of the context window, in an error of LM Studio.
	keptSize = sanitize.Pattern(`n_keep\D{1,4}(\d{1,9})\D{1,8}n_ctx\D{1,4}(\d{1,9})\b`)
	// windowSize matches the size of the context window in an error about a request that does not fit.
	windowSize = sanitize.Pattern(`"n_ctx"\s*:\s*(\d{1,9})\b|` + // llama.cpp
		`context (?:length|size|window)\D{0,20}?(\d{1,9})\b|` + // most servers
		`maximum (?:model|allowed) length\D{0,5}(\d{1,9})\b|` + // vLLM, SGLang
		`\b(\d{1,9}) (?:tokens )?maximum`) // Mistral, Anthropic
	// promptSize matches numbers of tokens in it.
	promptSize = sanitize.Pattern(`"n_prompt_tokens"\s*:\s*(\d{1,9})\b|prompt \(length (\d{1,9})\)|` +
		`\b(\d{1,9}) (?:input |prompt )?tokens`)
)

// Sizes returns the size of a request and of the context window, in tokens, from the server's error that the request
// does not fit. They are 0 if unknown.
func Sizes(message string) (tokens, window int) {
	message = strings.ToLower(message)
	if m := keptSize().FindStringSubmatch(message); m != nil {
		return number(m[1:2]), number(m[2:])
	}
	m := windowSize().FindStringSubmatch(message)
	if m == nil {
		return 0, 0
	}
	window = number(m[1:])
	for _, m := range promptSize().FindAllStringSubmatch(message, -1) {
		if n := number(m[1:]); n > window { // others are parts of the request, or the window
			return n, window
		}
	}
	return 0, window
}

// number returns the number in the only group of a match that is not empty.
func number(groups []string) int {
	n, _ := strconv.Atoi(strings.Join(groups, ""))
	return n
}
