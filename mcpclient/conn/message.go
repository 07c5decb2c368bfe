package conn

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/mcpclient"
)

const maxMessages = 200 // of one prompt

// readMessages parses the result of prompts/get. It joins consecutive messages of one role. Secrets are hidden only
// where text is cut, as in readResult.
func readMessages(raw json.RawMessage, secrets secret.Hider) []mcpclient.PromptMessage {
	var all []mcpclient.PromptMessage
	list, more, _ := items(raw, "messages", maxMessages)
	for _, message := range list {
		var m struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		}
		_ = json.Unmarshal(message, &m)
		if len(m.Content) == 0 || string(m.Content) == "null" {
			continue
		}
		if m.Role != "assistant" {
			m.Role = "user"
		}
		w := &resultWriter{secrets: secrets}
		w.addAll(m.Content)
		text := strings.ToValidUTF8(strings.Join(w.texts, "\n"), "\uFFFD")
		next := mcpclient.PromptMessage{Role: m.Role, Text: text, Images: w.Images, Other: w.other}
		if last := len(all) - 1; last >= 0 && all[last].Role == next.Role {
			all[last].Text = strings.TrimSpace(all[last].Text + "\n\n" + next.Text)
			all[last].Images = slices.Concat(all[last].Images, next.Images)
			all[last].Other = slices.Concat(all[last].Other, next.Other)
			continue
		}
		all = append(all, next)
	}
	if more > 0 && len(all) > 0 {
		all[len(all)-1].Text += "\n\n" + andMore(more)
	}
	return all
}
