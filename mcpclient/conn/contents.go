package conn

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
)

const (
	maxContents = 200 // of one resource
	maxMIME     = 200 // bytes of a MIME type
)

// Contents is the content of a resource. Its text is not sanitized.
type Contents struct {
	Text   string
	MIME   string   // of the first content; "" if unknown
	Images [][]byte // runs in this process
	Other  []string // descriptions of other content: "application/zip, 3.0 MB"
}

// readContents parses the result of resources/read.
func readContents(raw json.RawMessage) (all Contents) {
	var texts []string
	list, more, _ := items(raw, "contents", maxContents)
	several := len(list) > 1
	for _, content := range list {
		var r struct {
			URI      string  `json:"uri"`
			MIMEType string  `json:"mimeType"`
			Text     *string `json:"text"`
			Blob     string  `json:"blob"`
		}
		_ = json.Unmarshal(content, &r)
		if all.MIME == "" {
			all.MIME = sanitize.Clip(r.MIMEType, maxMIME)
		}
		text, image, other := readBlob(r.MIMEType, r.Blob)
		if r.Text != nil {
			text, image, other = *r.Text, nil, ""
		}
		switch {
		case image != nil:
			all.Images = append(all.Images, image)
		case other != "":
			all.Other = append(all.Other, other)
		case several && r.URI != "":
			texts = append(texts, fmt.Sprintf("[%s]\n%s", sanitize.Clip(r.URI, LongestURI), text))
		case text != "":
			texts = append(texts, text)
		}
	}
	if more > 0 {
		texts = append(texts, andMore(more))
	}
	all.Text = strings.ToValidUTF8(strings.Join(texts, "\n\n"), "\uFFFD")
	return all
}

// readBlob decodes base64, which may be a text, an image or something else.
func readBlob(mimeType, blob string) (text string, image []byte, other string) {
	kind, _, _ := mime.ParseMediaType(mimeType)
	data, err := base64.StdEncoding.DecodeString(blob)
	isText := strings.HasPrefix(kind, "text/") || kind == "application/json"
	switch {
	case err == nil && strings.HasPrefix(kind, "image/") && len(data) > 0:
		return "", data, ""
	case err == nil && isText && utf8.Valid(data):
		return string(data), nil, ""
	case err != nil:
		return "", nil, joined(sanitize.Clip(mimeType, maxMIME), "unreadable")
	}
	return "", nil, joined(sanitize.Clip(mimeType, maxMIME), quantity.Bytes(int64(len(data))))
}
