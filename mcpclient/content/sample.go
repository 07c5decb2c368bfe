package content

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// ReadSample reads what a model is asked with: one part, or a list of them, which the newer revisions allow. other has the kinds of content that no
// model here reads: "audio".
func ReadSample(raw json.RawMessage) (text string, images [][]byte, other []string) {
	parts, more, isList := elements(raw, maxParts)
	if !isList {
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
	if more > 0 {
		texts = append(texts, andMore(more))
	}
	return strings.Join(texts, "\n"), images, other
}
