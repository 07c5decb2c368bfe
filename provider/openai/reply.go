package openai

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

// The fields with thinking: most servers use the first, newer vLLM and Ollama the second.
const (
	fieldReasoningContent = "reasoning_content"
	fieldReasoning        = "reasoning"
)

// piece is one event of a reply, or a whole reply: what aloud uses of chat.completion.chunk and chat.completion.
type piece struct {
	Choices []struct {
		Index        int    `json:"index"`
		Delta        *delta `json:"delta"`
		Message      *delta `json:"message"` // a server that does not stream has everything in here
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage   *usage          `json:"usage"`
	Timings *timings        `json:"timings"` // llama.cpp's
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`
}

type delta struct {
	Content          words       `json:"content"`
	Refusal          string      `json:"refusal"`
	ReasoningContent string      `json:"reasoning_content"`
	Reasoning        string      `json:"reasoning"`
	ToolCalls        []callDelta `json:"tool_calls"`
}

type usage struct {
	PromptTokens     count `json:"prompt_tokens"`
	CompletionTokens count `json:"completion_tokens"`
}

type timings struct {
	PromptMS    float64 `json:"prompt_ms"`
	PredictedMS float64 `json:"predicted_ms"`
}

// words is the content of a message: a string, null, or parts with texts, as Mistral's models send them.
type words string

// UnmarshalJSON ignores anything else: it must not break the reply.
func (w *words) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(w)) == nil {
		return nil
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(data, &parts)
	var text strings.Builder
	for _, part := range parts {
		text.WriteString(part.Text)
	}
	*w = words(text.String())
	return nil
}

// reply assembles the pieces of one reply.
type reply struct {
	calls    calls
	thought  string // the field in which thoughts came
	said     bool   // something came
	finished string // the reason, once it came
	done     bool   // nothing comes any more
	usage    provider.Usage
}

// take reads the data of one event. failure is an error that the server states, as JSON; err is for data that cannot
// be read.
func (r *reply) take(data []byte) (chunk provider.Chunk, failure json.RawMessage, err error) {
	if string(data) == "[DONE]" {
		r.done = true
		return chunk, nil, nil
	}
	var p piece
	if err := json.Unmarshal(data, &p); err != nil {
		if endpoint.ErrorText(data) != "" { // an error in a form of its own
			return chunk, data, nil
		}
		return chunk, nil, err
	}
	// Some servers have an empty error in every piece, others only the message of one.
	if p.Object == "error" || endpoint.ErrorReason(p.Error) != "" || len(p.Choices) == 0 && endpoint.ErrorText(data) != "" {
		return chunk, data, nil
	}
	var text, thinking strings.Builder // there may be many choices
	r.add(p, &text, &thinking)
	return provider.Chunk{Text: text.String(), Thinking: thinking.String()}, nil, nil
}

func (r *reply) add(p piece, text, thinking *strings.Builder) {
	for _, choice := range p.Choices {
		if choice.Index != 0 {
			continue
		}
		for _, d := range []*delta{choice.Delta, choice.Message} {
			if d != nil {
				r.addDelta(*d, text, thinking)
			}
		}
		if choice.FinishReason != "" {
			r.finished = choice.FinishReason
		}
		if r.calls.full() {
			r.finished, r.done = provider.ReasonCut, true
		}
	}
	if u := p.Usage; u != nil && u.PromptTokens+u.CompletionTokens > 0 {
		r.usage.PromptTokens, r.usage.AnswerTokens = int(u.PromptTokens), int(u.CompletionTokens)
	}
	if t := p.Timings; t != nil {
		r.usage.Prompt, r.usage.Answer = lasted(t.PromptMS), lasted(t.PredictedMS)
	}
}

func (r *reply) addDelta(d delta, text, thinking *strings.Builder) {
	text.WriteString(string(d.Content))
	text.WriteString(d.Refusal)
	switch {
	case d.ReasoningContent != "": // servers that have both say the same in them
		r.thought = fieldReasoningContent
		thinking.WriteString(d.ReasoningContent)
	case d.Reasoning != "":
		r.thought = fieldReasoning
		thinking.WriteString(d.Reasoning)
	}
	for _, call := range d.ToolCalls {
		r.calls.add(call)
	}
	r.said = r.said || text.Len() > 0 || thinking.Len() > 0 || len(d.ToolCalls) > 0
}

// last is the chunk that ends the reply.
func (r *reply) last() provider.Chunk {
	why := r.finished
	if why == "" {
		why = "stop"
	}
	return provider.Chunk{Done: true, Reason: why, Usage: r.usage}
}

// lasted is the duration of the milliseconds that a server measured, or 0 if they make no sense.
func lasted(ms float64) time.Duration {
	const longest = 24 * 60 * 60 * 1000
	if !(ms > 0) || ms > longest {
		return 0
	}
	return time.Duration(ms * float64(time.Millisecond))
}
