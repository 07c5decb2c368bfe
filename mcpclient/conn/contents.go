package conn

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
)

const (
	maxContents = 200 // of one resource
	maxMIME     = 200 // bytes of a MIME type
	maxDataURL  = 500 // bytes before the data
)

// readContents parses the result of resources/read.
func readContents(raw json.RawMessage) (all mcpclient.Contents) {
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
		mimeType, text, image, other := readBlob(r.MIMEType, r.Blob)
		if all.MIME == "" {
			all.MIME = sanitize.Clip(mimeType, maxMIME)
		}
		if r.Text != nil {
			text, image, other = *r.Text, nil, ""
		}
		switch {
		case image != nil:
			all.Images = append(all.Images, image)
		case other != "":
			all.Other = append(all.Other, other)
		case several && r.URI != "":
			texts = append(texts, fmt.Sprintf("[%s]\n%s", sanitize.Clip(r.URI, mcpclient.LongestURI), text))
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

// readBlob decodes base64, which may be a text, an image or something else. The MIME type is that in the blob if none
// is declared.
func readBlob(declared, blob string) (mimeType, text string, image []byte, other string) {
	inBlob, data, err := decodeBase64(blob)
	mimeType = cmp.Or(declared, inBlob)
	kind, _, _ := mime.ParseMediaType(mimeType)
	isText := strings.HasPrefix(kind, "text/") || kind == "application/json"
	switch {
	case err == nil && strings.HasPrefix(kind, "image/") && len(data) > 0:
		image = data
	case err == nil && isText && utf8.Valid(data):
		text = string(data)
	case err != nil:
		other = joined(sanitize.Clip(mimeType, maxMIME), "unreadable")
	default:
		other = joined(sanitize.Clip(mimeType, maxMIME), quantity.Bytes(int64(len(data))))
	}
	return mimeType, text, image, other
}

// decodeBase64 decodes base64 of either alphabet, with or without padding, white space and the prefix of a data: URL,
// whose MIME type it returns. Servers write all of these.
func decodeBase64(text string) (mimeType string, data []byte, err error) {
	if head, rest, ok := strings.Cut(text, ","); ok && len(head) <= maxDataURL {
		parameters, isBase64 := strings.CutSuffix(strings.ToLower(strings.TrimSpace(head)), ";base64")
		if media, isURL := strings.CutPrefix(parameters, "data:"); isURL && isBase64 {
			mimeType, _, _ = strings.Cut(media, ";")
			text = rest
		}
	}
	text = strings.Map(func(r rune) rune {
		switch r {
		case '-':
			return '+'
		case '_':
			return '/'
		case ' ', '\t', '\r', '\n':
			return -1
		}
		return r
	}, text)
	data, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	return mimeType, data, err
}
