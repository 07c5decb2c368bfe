package openai

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/sse"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

// The fields with the thinking. Most servers use the first, newer vLLM and Ollama the second.
const (
	fieldReasoningContent = "reasoning_content"
	fieldReasoning        = "reasoning"
)

// piece is one event of a reply, or a whole reply, with the fields of chat.completion.chunk and chat.completion that
// aloud uses.
type piece struct {
	Choices []struct {
		Index        int             `json:"index"`
		Delta        *delta          `json:"delta"`
		Message      *delta          `json:"message"` // the whole reply, from servers that do not stream
		FinishReason string          `json:"finish_reason"`
		Error        json.RawMessage `json:"error"` // OpenRouter
	} `json:"choices"`
	Usage   lenient[usage]   `json:"usage"`
	Timings lenient[timings] `json:"timings"` // llama.cpp
	Error   json.RawMessage  `json:"error"`
	Object  string           `json:"object"`
}

type delta struct {
	Content          text        `json:"content"`
	Refusal          string      `json:"refusal"`
	ReasoningContent string      `json:"reasoning_content"`
	Reasoning        string      `json:"reasoning"`
	ToolCalls        []callDelta `json:"tool_calls"`
}

type usage struct {
	PromptTokens     endpoint.Count         `json:"prompt_tokens"`
	CompletionTokens endpoint.Count         `json:"completion_tokens"`
	Details          lenient[promptDetails] `json:"prompt_tokens_details"`
}

type promptDetails struct {
	Cached *int `json:"cached_tokens"` // nil if unknown
}

type timings struct {
	PromptRead  endpoint.Count `json:"prompt_n"` // without cached tokens
	PromptMS    float64        `json:"prompt_ms"`
	PredictedMS float64        `json:"predicted_ms"`
}

// lenient is an object that may be missing. One with other types is ignored: an answer does not need it.
type lenient[T any] struct{ value *T }

// UnmarshalJSON implements json.Unmarshaler. It returns no error.
func (o *lenient[T]) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &o.value) != nil {
		o.value = nil
	}
	return nil
}

// text is the content of a message: a string, null, or a list of parts with texts, as Mistral's models send it.
type text string

// UnmarshalJSON implements json.Unmarshaler. It ignores other values.
func (t *text) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(t)) == nil {
		return nil
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(data, &parts)
	var all strings.Builder
	for _, part := range parts {
		all.WriteString(part.Text)
	}
	*t = text(all.String())
	return nil
}

// reply assembles one reply.
type reply struct {
	calls         calls
	thinkingField string // the field that contained the thinking
	hasContent    bool
	finished      string // the finish reason, "" so far
	done          bool   // the stream has ended
	usage         provider.Usage
	read          int  // tokens of the prompt that llama.cpp read, as it says; 0 if unknown
	cached        *int // tokens of the prompt that the server says were cached; nil if unknown
	counts        int  // events with a token count
	counted       bool // the last event has one
}

// take adds an event. failure is an error that the server reports, which may come with the end of the text. err means
// that the data cannot be parsed.
func (r *reply) take(event sse.Event) (chunk provider.Chunk, failure []byte, err error) {
	data := event.Data
	switch {
	case event.Name == "error":
		return chunk, data, nil
	case string(data) == "[DONE]":
		r.done = true
		return chunk, nil, nil
	}
	var p piece
	if err := json.Unmarshal(data, &p); err != nil {
		return chunk, nil, err
	}
	var text, thinking strings.Builder // there may be many choices
	r.add(p, &text, &thinking)
	return provider.Chunk{Text: text.String(), Thinking: thinking.String()}, p.failure(data), nil
}

// failure returns the error in an event, or nil. Some servers have an empty error in every piece. Others send an error
// without the field.
func (p *piece) failure(data []byte) []byte {
	if p.Object == "error" || endpoint.ErrorReason(p.Error) != "" ||
		len(p.Choices) == 0 && endpoint.ErrorText(data) != "" {
		return data
	}
	for _, choice := range p.Choices {
		if endpoint.ErrorReason(choice.Error) != "" {
			return choice.Error
		}
	}
	return nil
}

func (r *reply) add(p piece, text, thinking *strings.Builder) {
	for _, choice := range p.Choices {
		if choice.Index != 0 {
			continue
		}
		if choice.Delta != nil {
			r.addDelta(*choice.Delta, r.calls.add, text, thinking)
		}
		if choice.Message != nil {
			r.addDelta(*choice.Message, r.calls.addWhole, text, thinking)
		}
		if choice.FinishReason != "" {
			r.finished = choice.FinishReason
		}
		if r.calls.full() {
			r.finished, r.done = provider.ReasonCut, true
		}
	}
	u := p.Usage.value
	if r.counted = u != nil && u.PromptTokens+u.CompletionTokens > 0; r.counted {
		r.counts++
		r.usage.PromptTokens, r.usage.AnswerTokens = int(u.PromptTokens), int(u.CompletionTokens)
		if d := u.Details.value; d != nil {
			r.cached = d.Cached
		}
	}
	if t := p.Timings.value; t != nil {
		r.read = int(t.PromptRead)
		r.usage.Prompt, r.usage.Answer = duration(t.PromptMS), duration(t.PredictedMS)
	}
	r.usage.ReadTokens = r.readTokens()
}

// readTokens returns how many tokens of the prompt the server read; 0 if unknown.
func (r *reply) readTokens() int {
	read, prompt := r.read, r.usage.PromptTokens
	if read == 0 && r.cached != nil && *r.cached >= 0 {
		read = prompt - *r.cached
	}
	if read < 0 || prompt > 0 && read > prompt {
		return 0
	}
	return read
}

// isWhole reports whether a reply whose end is not marked is complete. Some servers end it with the token count. Others
// have a count in every event, which shows nothing.
func (r *reply) isWhole() bool {
	return r.hasContent && r.counted && r.counts == 1 && r.calls.complete()
}

// addDelta adds a part of the reply, and each call in it with addCall.
func (r *reply) addDelta(d delta, addCall func(callDelta), text, thinking *strings.Builder) {
	text.WriteString(string(d.Content))
	text.WriteString(d.Refusal)
	switch {
	case d.ReasoningContent != "": // servers that send both repeat it
		r.thinkingField = fieldReasoningContent
		thinking.WriteString(d.ReasoningContent)
	case d.Reasoning != "":
		r.thinkingField = fieldReasoning
		thinking.WriteString(d.Reasoning)
	}
	for _, call := range d.ToolCalls {
		addCall(call)
	}
	r.hasContent = r.hasContent || text.Len() > 0 || thinking.Len() > 0 || len(d.ToolCalls) > 0
}

// duration converts milliseconds, implausible ones to 0.
func duration(ms float64) time.Duration {
	const limit = 24 * 60 * 60 * 1000
	if !(ms > 0) || ms > limit {
		return 0
	}
	return time.Duration(ms * float64(time.Millisecond))
}
