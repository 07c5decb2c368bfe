package ollama

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

// reply is one line of a response, with the fields of api.ChatResponse that aloud uses. The api package would parse
// each line three times and turn numbers in arguments into floats. This type keeps arguments as they are.
type reply struct {
	Message struct {
		Content   string     `json:"content"`
		Thinking  string     `json:"thinking"`
		ToolCalls []toolCall `json:"tool_calls"`
	} `json:"message"`
	Done       bool            `json:"done"`
	DoneReason string          `json:"done_reason"`
	Error      json.RawMessage `json:"error"`

	// durations are in nanoseconds
	LoadDuration       endpoint.Count `json:"load_duration"`
	PromptEvalCount    endpoint.Count `json:"prompt_eval_count"`
	PromptEvalDuration endpoint.Count `json:"prompt_eval_duration"`
	EvalCount          endpoint.Count `json:"eval_count"`
	EvalDuration       endpoint.Count `json:"eval_duration"`
}

// plainText returns the text of a line in the form in which servers send a piece of text, without parsing the line,
// which would take half of the time of a reply.
func plainText(line []byte) (text string, ok bool) {
	head, rest, found := bytes.Cut(line, []byte(`"message":{"role":"assistant","content":"`))
	raw, whole := bytes.CutSuffix(rest, []byte(`"},"done":false}`))
	isPlain := found && whole && len(raw) > 0 && !bytes.Contains(head, []byte(`"error"`)) &&
		bytes.HasPrefix(head, []byte(`{"model":"`))
	if !isPlain || bytes.ContainsFunc(raw, isSpecial) {
		return "", false
	}
	return string(raw), true
}

// isSpecial reports whether r means another character in JSON, or is invalid.
func isSpecial(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == utf8.RuneError }

// decode parses one line of a response.
func (c *Client) decode(line []byte) (provider.Chunk, error) {
	if text, ok := plainText(line); ok {
		return provider.Chunk{Text: text}, nil
	}
	var r reply
	err := json.Unmarshal(line, &r)
	chunk := provider.Chunk{Text: r.Message.Content, Thinking: r.Message.Thinking, Done: r.Done}
	if err != nil || len(r.Error) > 0 || !r.Done && chunk.Text == "" && chunk.Thinking == "" {
		if text := endpoint.ErrorText(line); text != "" {
			return provider.Chunk{}, c.serverError(text, 0)
		}
	}
	if err != nil {
		return provider.Chunk{}, c.Unreadable(line, err)
	}
	for _, call := range r.Message.ToolCalls {
		f := call.Function
		chunk.Calls = append(chunk.Calls, provider.Call{ID: call.ID, Name: f.Name, Arguments: f.Arguments})
	}
	if r.Done {
		chunk.Reason = r.DoneReason
		chunk.Usage = provider.Usage{
			PromptTokens: int(r.PromptEvalCount),
			AnswerTokens: int(r.EvalCount),
			Load:         time.Duration(r.LoadDuration),
			Prompt:       time.Duration(r.PromptEvalDuration),
			Answer:       time.Duration(r.EvalDuration),
		}
	}
	return chunk, nil
}
