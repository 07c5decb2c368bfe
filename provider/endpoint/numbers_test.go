package endpoint

import "testing"

// TestSizes has the errors of real servers.
func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		message        string
		tokens, window int
	}{
		{`request (5132 tokens) exceeds the available context size (4096 tokens), try increasing it`, 5132, 4096},
		{`{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size",` +
			`"type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}`, 14429, 8192},
		{`This model's maximum context length is 4096 tokens. However, you requested 5132 tokens (5100 in the messages, ` +
			`32 in the completion).`, 5132, 4096},
		{`This model's maximum context length is 4096 tokens. However, your request has 5132 input tokens.`, 5132, 4096},
		{`This model's maximum context length is 128000 tokens. However, your messages resulted in 128001 tokens.`,
			128001, 128000},
		{`This model's maximum context length is 128000 tokens.`, 0, 128000},
		{`The decoder prompt (length 40000) is longer than the maximum model length of 32768.`, 40000, 32768},
		{`The input (40000 tokens) is longer than the model's context length (32768 tokens).`, 40000, 32768},
		{`Input length (40000 tokens) exceeds the maximum allowed length (32768 tokens).`, 40000, 32768},
		{`Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of ` +
			`40000 tokens: 30000 tokens from the input messages and 10000 tokens for the completion.`, 40000, 32768},
		{`Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context ` +
			`length of only 4096 tokens`, 15857, 4096},
		{`Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)`, 15028, 7424},
		{`The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: ` +
			`4096). Try to load the model with a larger context length, or provide a shorter input.`, 13055, 4096},
		{`Prompt contains 40000 tokens, too large for model with 32768 maximum context length`, 40000, 32768},
		{`prompt is too long: 213462 tokens > 200000 maximum`, 213462, 200000},
		{`the input length exceeds the context length`, 0, 0},
		{`max_tokens must be at least 1, got -186.`, 0, 0},
		{`context length 99999999999999999999, 99999999999999999999 tokens`, 0, 0},
		{``, 0, 0},
	} {
		if tokens, window := Sizes(tt.message); tokens != tt.tokens || window != tt.window {
			t.Errorf("%q has the sizes %d and %d, want %d and %d", tt.message, tokens, window, tt.tokens, tt.window)
		}
	}
}
