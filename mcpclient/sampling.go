package mcpclient

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

func (a *answerer) sample(ctx context.Context, params json.RawMessage) (any, *mcp.JSONRPCErrorDetails) {
	q, err := a.readSampling(params)
	if err != nil {
		return nil, refusal(mcp.INVALID_PARAMS, "%v", err)
	}
	defer a.begin()()
	got, err := a.host.Sample(ctx, q)
	if err != nil {
		return nil, refusal(codeRejected, "%v", err)
	}
	return map[string]any{
		"role": "assistant", "model": got.Model, "stopReason": got.Stop,
		"content": map[string]any{"type": "text", "text": got.Text},
	}, nil
}

func (a *answerer) readSampling(params json.RawMessage) (Sampling, error) {
	var p struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		System    string          `json:"systemPrompt"`
		MaxTokens float64         `json:"maxTokens"`
		Stop      []string        `json:"stopSequences"`
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
		Server: a.server, System: a.secrets.Text(p.System), Stop: p.Stop, Raw: a.secrets.JSON(params),
		MaxTokens: int(max(0, min(p.MaxTokens, most))),
	}
	for _, hint := range p.Wishes.Hints {
		if hint.Name != "" {
			q.Hints = append(q.Hints, hint.Name)
		}
	}
	for _, m := range p.Messages {
		message := readSampleContent(m.Content)
		message.Text = a.secrets.Text(message.Text)
		message.Role = "user"
		if m.Role == "assistant" {
			message.Role = m.Role
		}
		q.Messages = append(q.Messages, message)
	}
	return q, nil
}

// readSampleContent reads one part, or a list of them, which the newer revisions allow.
func readSampleContent(raw json.RawMessage) (m SampleMessage) {
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		parts = []json.RawMessage{raw}
	}
	var texts []string
	for _, raw := range parts {
		var p part
		if json.Unmarshal(raw, &p) != nil {
			p = part{Type: "unknown"}
		}
		image, err := base64.StdEncoding.DecodeString(p.Data)
		switch {
		case p.Type == "text":
			texts = append(texts, p.Text)
		case p.Type == "image" && err == nil && len(image) > 0:
			m.Images = append(m.Images, image)
		default:
			m.Other = append(m.Other, p.Type)
		}
	}
	m.Text = strings.Join(texts, "\n")
	return m
}
