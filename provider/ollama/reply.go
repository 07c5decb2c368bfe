package ollama

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/provider"
)

// reply is one line of an answer: what aloud uses of api.ChatResponse. The api package reads every line three times over and turns
// numbers in arguments into floating point; this reads it once and leaves the arguments as they were written.
type reply struct {
	Message struct {
		Content   string     `json:"content"`
		Thinking  string     `json:"thinking"`
		ToolCalls []toolCall `json:"tool_calls"`
	} `json:"message"`
	Done       bool            `json:"done"`
	DoneReason string          `json:"done_reason"`
	Error      json.RawMessage `json:"error"`

	LoadDuration       metric `json:"load_duration"`
	PromptEvalCount    metric `json:"prompt_eval_count"`
	PromptEvalDuration metric `json:"prompt_eval_duration"`
	EvalCount          metric `json:"eval_count"`
	EvalDuration       metric `json:"eval_duration"`
}

// metric is a number that a server counted. One of another type is 0, as if it had not been sent: an answer does not depend on it.
type metric int64

func (m *metric) UnmarshalJSON(raw []byte) error {
	var n int64
	if json.Unmarshal(raw, &n) == nil {
		*m = metric(n)
	}
	return nil
}

type toolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// decode reads one line of an answer from the server at.
func decode(at string, line []byte) (provider.Chunk, error) {
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		if text := errorText(line); text != "" {
			return provider.Chunk{}, told(at, text, nil)
		}
		return provider.Chunk{}, nonsense(at, line, err)
	}
	chunk := provider.Chunk{Text: r.Message.Content, Thinking: r.Message.Thinking, Done: r.Done}
	if len(r.Error) > 0 || !r.Done && chunk.Text == "" && chunk.Thinking == "" {
		if text := errorText(line); text != "" {
			return provider.Chunk{}, told(at, text, nil)
		}
	}
	for _, call := range r.Message.ToolCalls {
		if call.ID == "" { // servers before 0.12
			call.ID = "call_" + strings.ToLower(rand.Text()[:8])
		}
		chunk.Calls = append(chunk.Calls, provider.Call{ID: call.ID, Name: call.Function.Name, Arguments: arguments(call.Function.Arguments)})
	}
	if r.Done {
		chunk.Reason = r.DoneReason
		chunk.Usage = provider.Usage{
			PromptTokens: sane(int(r.PromptEvalCount), 1<<30),
			AnswerTokens: sane(int(r.EvalCount), 1<<30),
			Load:         sane(time.Duration(r.LoadDuration), longest),
			Prompt:       sane(time.Duration(r.PromptEvalDuration), longest),
			Answer:       sane(time.Duration(r.EvalDuration), longest),
		}
	}
	return chunk, nil
}

// longest is more than any part of a reply takes.
const longest = 30 * 24 * time.Hour

// sane is n, or 0 when a server says what cannot be: these numbers are added up.
func sane[N int | time.Duration](n, most N) N {
	if n < 0 || n > most {
		return 0
	}
	return n
}

// arguments brings the arguments of a call into one form: an object with sorted keys (servers send them in random order) and
// numbers as they were written. Nothing and null mean no arguments; an object in a string, as OpenAI's API has it, is taken out.
// What is no object stays as it is: it is the model's mistake, which the model can mend when it is told.
func arguments(raw json.RawMessage) json.RawMessage {
	inner := raw
	var text string
	if bytes.HasPrefix(raw, []byte(`"`)) && json.Unmarshal(raw, &text) == nil {
		inner = json.RawMessage(text)
	}
	if len(bytes.TrimSpace(inner)) == 0 {
		return json.RawMessage("{}")
	}
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(inner))
	d.UseNumber()
	if d.Decode(&object) != nil || d.More() {
		return raw
	}
	if len(object) == 0 {
		return json.RawMessage("{}")
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(object) != nil {
		return raw
	}
	return bytes.TrimSpace(out.Bytes())
}

// apiArguments is the way back: the arguments of a call in the conversation, as the api package writes them.
// What is no object, which a repaired or cancelled call may leave behind, becomes an empty one, because the server refuses anything else.
func apiArguments(raw json.RawMessage) api.ToolCallFunctionArguments {
	out := api.NewToolCallFunctionArguments()
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return out
	}
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		out.Set(key, object[key])
	}
	return out
}
