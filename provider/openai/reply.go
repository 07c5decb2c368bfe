package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// The fields in which thoughts come: most servers use the first, newer vLLM and Ollama the second.
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
	PromptTokens     count   `json:"prompt_tokens"`
	CompletionTokens count   `json:"completion_tokens"`
	PromptTime       float64 `json:"prompt_time"` // seconds; Groq's
	CompletionTime   float64 `json:"completion_time"`
}

type timings struct {
	PromptMS    float64 `json:"prompt_ms"`
	PredictedMS float64 `json:"predicted_ms"`
}

// words is the content of a message: a string, null, or parts of text and of thoughts, as Mistral's models send them.
type words struct{ text, thoughts string }

// UnmarshalJSON takes what is no content for none: it must not break the reply.
func (w *words) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &w.text)
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking []struct {
			Text string `json:"text"`
		} `json:"thinking"`
	}
	if data[0] != '[' || json.Unmarshal(data, &parts) != nil {
		return nil
	}
	var text, thoughts strings.Builder
	for _, part := range parts {
		text.WriteString(part.Text)
		for _, thought := range part.Thinking {
			thoughts.WriteString(thought.Text)
		}
	}
	w.text, w.thoughts = text.String(), thoughts.String()
	return nil
}

// reply puts the pieces of one reply together.
type reply struct {
	calls    calls
	thought  string // the field in which thoughts came
	said     bool   // something came
	finished string // the reason, once it came
	done     bool   // nothing comes any more
	usage    provider.Usage
}

// heard is what one event says for a person, put together.
type heard struct{ text, thoughts strings.Builder }

func (h *heard) chunk() provider.Chunk {
	return provider.Chunk{Text: h.text.String(), Thinking: h.thoughts.String()}
}

// take reads the data of one event. failure is the server's own word that the reply failed, as JSON; err is for what cannot be read.
func (r *reply) take(data []byte) (chunk provider.Chunk, failure json.RawMessage, err error) {
	var h heard
	data = bytes.TrimSpace(data)
	if rest, last := bytes.CutSuffix(data, []byte("[DONE]")); last {
		r.done = true
		data = rest
	}
	var p piece
	if json.Unmarshal(data, &p) == nil {
		if failed(p) {
			return chunk, data, nil
		}
		r.add(p, &h)
		return h.chunk(), nil, nil
	}
	failure, err = r.takeEach(data, &h)
	return h.chunk(), failure, err
}

// takeEach reads data that is no piece: several of them, of a server that forgets the blank line between events, an error in a form of its own,
// or nonsense.
func (r *reply) takeEach(data []byte, h *heard) (failure json.RawMessage, err error) {
	for decoder := json.NewDecoder(bytes.NewReader(data)); ; {
		var value json.RawMessage
		if err := decoder.Decode(&value); errors.Is(err, io.EOF) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		var p piece
		if err := json.Unmarshal(value, &p); err != nil {
			if provider.ErrorText(value) != "" {
				return value, nil
			}
			return nil, err
		}
		if failed(p) {
			return value, nil
		}
		r.add(p, h)
	}
}

// failed tells an error from a piece of a reply. Some servers have an empty error in every piece.
func failed(p piece) bool {
	return p.Object == "error" || len(p.Error) > 0 && (provider.ErrorReason(p.Error) != "" || provider.ErrorText(p.Error) != "")
}

func (r *reply) add(p piece, h *heard) {
	for _, choice := range p.Choices {
		if choice.Index != 0 {
			continue
		}
		for _, d := range []*delta{choice.Delta, choice.Message} {
			if d != nil {
				r.addDelta(*d, h)
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
		r.usage.Prompt, r.usage.Answer = lasted(u.PromptTime, time.Second), lasted(u.CompletionTime, time.Second)
	}
	if t := p.Timings; t != nil {
		r.usage.Prompt, r.usage.Answer = lasted(t.PromptMS, time.Millisecond), lasted(t.PredictedMS, time.Millisecond)
	}
}

func (r *reply) addDelta(d delta, h *heard) {
	h.thoughts.WriteString(d.Content.thoughts)
	switch {
	case d.ReasoningContent != "": // servers that have both say the same in them
		r.thought = fieldReasoningContent
		h.thoughts.WriteString(d.ReasoningContent)
	case d.Reasoning != "":
		r.thought = fieldReasoning
		h.thoughts.WriteString(d.Reasoning)
	}
	h.text.WriteString(d.Content.text)
	h.text.WriteString(d.Refusal)
	for _, call := range d.ToolCalls {
		r.calls.add(call)
	}
	r.said = r.said || h.text.Len() > 0 || h.thoughts.Len() > 0 || len(d.ToolCalls) > 0
}

// last is the chunk that ends the reply.
func (r *reply) last() provider.Chunk {
	why := r.finished
	if why == "" {
		why = "stop"
	}
	return provider.Chunk{Done: true, Reason: why, Usage: r.usage}
}

// lasted makes a duration of what a server measured, which may be anything.
func lasted(n float64, unit time.Duration) time.Duration {
	const longest = 24 * time.Hour
	if !(n > 0) || n > float64(longest/unit) {
		return 0
	}
	return time.Duration(n * float64(unit))
}
