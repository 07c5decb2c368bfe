package content

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// ReadSample reads what a model is asked with: one part, or a list of them, which the newer revisions allow. other has the kinds of content that no
// model here reads: "audio".
func ReadSample(raw json.RawMessage) (text string, images [][]byte, other []string) {
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
			images = append(images, image)
		default:
			other = append(other, p.Type)
		}
	}
	return strings.Join(texts, "\n"), images, other
}
