package elicit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

func (a *Answerer) sample(ctx context.Context, params json.RawMessage) (any, *mcp.JSONRPCErrorDetails) {
	q, err := a.readSampling(params)
	if err != nil {
		return nil, refusal(mcp.INVALID_PARAMS, "%v", err)
	}
	defer a.Begin()()
	got, err := a.Host.Sample(ctx, q)
	if err != nil {
		return nil, refusal(codeRejected, "%v", err)
	}
	return map[string]any{
		"role": "assistant", "model": got.Model, "stopReason": got.Stop,
		"content": map[string]any{"type": "text", "text": got.Text},
	}, nil
}

func (a *Answerer) readSampling(params json.RawMessage) (Sampling, error) {
	var p struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		System    string          `json:"systemPrompt"`
		MaxTokens float64         `json:"maxTokens"`
		Tools     json.RawMessage `json:"tools"`
		Wishes    struct {
			Hints []struct {
				Name string `json:"name"`
			} `json:"hints"`
		} `json:"modelPreferences"`
	}
	switch {
	case json.Unmarshal(params, &p) != nil:
		return Sampling{}, errors.New("the parameters are not those of a sampling")
	case len(p.Messages) == 0:
		return Sampling{}, errors.New("messages must not be empty")
	case len(p.Tools) > 0 && string(p.Tools) != "null":
		return Sampling{}, errors.New("tools are not offered to a sampling here")
	}
	const most = 1 << 20 // tokens; what is no number that makes sense becomes one
	q := Sampling{
		Server: a.Server, System: a.Secrets.Text(p.System),
		MaxTokens: int(max(0, min(p.MaxTokens, most))),
	}
	for _, hint := range p.Wishes.Hints {
		if hint.Name != "" {
			q.Hints = append(q.Hints, hint.Name)
		}
	}
	for _, m := range p.Messages {
		text, images, other := readContent(m.Content)
		message := SampleMessage{Role: "user", Text: a.Secrets.Text(text), Images: images, Other: other}
		if m.Role == "assistant" {
			message.Role = m.Role
		}
		q.Messages = append(q.Messages, message)
	}
	return q, nil
}

// maxParts is how many parts of a message are read.
const maxParts = 5000

// part is one part of a message for the model.
type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Data string `json:"data"` // base64
}

// readContent reads the content of a message: one part, or a list of them, which newer revisions allow. other has the kinds of content that no
// model here reads, such as "audio".
func readContent(raw json.RawMessage) (text string, images [][]byte, other []string) {
	parts := json.NewDecoder(bytes.NewReader(raw))
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		_, _ = parts.Token()
	}
	var texts []string
	for n := 0; parts.More(); n++ {
		if n == maxParts {
			texts = append(texts, "[… and more]")
			break
		}
		var p part
		if parts.Decode(&p) != nil { // raw is valid JSON: it is of another type
			p = part{}
		}
		image, err := base64.StdEncoding.DecodeString(p.Data)
		switch {
		case p.Type == "text":
			texts = append(texts, p.Text)
		case p.Type == "image" && err == nil && len(image) > 0:
			images = append(images, image)
		default:
			other = append(other, cmp.Or(p.Type, "unknown"))
		}
	}
	return strings.Join(texts, "\n"), images, other
}
