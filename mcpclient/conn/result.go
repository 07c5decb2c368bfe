package conn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/mcpclient"
)

const (
	maxParts   = 5000     // of one result
	maxUnknown = 4 << 10  // bytes of content of an unknown type
	maxAdded   = 64 << 10 // bytes of structured content beside a text
)

// dataAbove replaces data in structured content.
const dataAbove = "(data of the content above)"

// nothing is the text of an empty result, because models mistake an empty text for an error.
const nothing = "(the tool returned nothing)"

// part is one content part of a result, of any type.
type part struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     string `json:"data"` // base64, of images and audio
	MimeType string `json:"mimeType"`

	URI         string `json:"uri"` // of resource links
	Name        string `json:"name"`
	Description string `json:"description"`

	Resource struct {
		URI      string  `json:"uri"`
		MimeType string  `json:"mimeType"`
		Text     *string `json:"text"`
		Blob     string  `json:"blob"`
	} `json:"resource"`
}

// readResult parses the result of a call. schema is the tool's output schema, and may be empty. The text mentions
// everything that is left out. Secrets are hidden only where text is cut or rewritten, because they could not be found
// there later.
func readResult(raw, schema json.RawMessage, secrets secret.Hider) (mcpclient.Result, error) {
	var r struct {
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	err := json.Unmarshal(raw, &r)
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !odd && len(raw) > 0 {
		return mcpclient.Result{}, fmt.Errorf("the result is not JSON: %w", err)
	}
	w := &resultWriter{secrets: secrets}
	w.addAll(r.Content)
	if len(r.Structured) > 0 && string(r.Structured) != "null" {
		w.Structured = r.Structured
	}
	if !r.IsError && w.Structured != nil {
		w.Odd = fit(w.Structured, schema, secrets)
	}
	w.addStructured()
	if len(w.texts) == 0 && len(r.Content) == 0 && !slices.Contains([]string{"", "null", "{}"}, string(raw)) {
		w.say(fmt.Sprintf("[a result of an unknown kind: %s]", w.excerpt(raw)))
	}
	w.Text = cmp.Or(strings.ToValidUTF8(strings.Join(w.texts, "\n"), "\uFFFD"), nothing)
	w.Failed = r.IsError
	return w.Result, nil
}

// resultWriter builds a result part by part.
type resultWriter struct {
	mcpclient.Result
	texts   []string
	hasText bool
	data    []string // pairs of old and new text for structured content
	other   []string // see PromptMessage.Other
	secrets secret.Hider
}

// excerpt returns the beginning of content of an unknown type.
func (w *resultWriter) excerpt(raw json.RawMessage) string {
	return sanitize.Clip(w.secrets.Beginning(string(raw), maxUnknown), maxUnknown)
}

// withoutData removes the data of other parts from structured content. Some servers send an image twice, and a model
// would read all its base64.
func (w *resultWriter) withoutData(structured string) string {
	return strings.NewReplacer(w.data...).Replace(structured)
}

// addStructured adds the structured content, unless the text has all its values. Many servers send both, and some have
// only a short summary in the text.
func (w *resultWriter) addStructured() {
	if w.Structured == nil {
		return
	}
	content := w.withoutData(string(w.Structured))
	if w.hasText {
		if repeats(w.texts, content) {
			return
		}
		w.say("[structured content]")
		content = sanitize.Clip(string(w.secrets.JSON(json.RawMessage(content))), maxAdded)
	}
	w.say(content)
	if w.Odd != "" {
		w.say("[This does not match the output schema of the tool: " + w.Odd + ".]")
	}
}

// addData records the data of an image, audio or binary resource for withoutData.
func (w *resultWriter) addData(data string) {
	if quoted, err := json.Marshal(data); err == nil && data != "" {
		w.data = append(w.data, string(quoted), `"`+dataAbove+`"`)
	}
}

// addAll adds all parts of the content.
func (w *resultWriter) addAll(content json.RawMessage) {
	if len(content) == 0 || string(content) == "null" {
		return
	}
	parts, more, isList := elements(content, maxParts)
	if !isList {
		parts = []json.RawMessage{content}
	}
	for _, raw := range parts {
		var p part
		if json.Unmarshal(raw, &p) != nil {
			p = part{} // a string, or an object with a field of the wrong type
			_ = json.Unmarshal(raw, &p.Text)
			if p.Text != "" {
				p.Type = mcp.ContentTypeText
			}
		}
		w.add(p, raw)
	}
	if more > 0 {
		w.say(andMore(more))
	}
}

// add adds one part. raw is used if its type is unknown.
func (w *resultWriter) add(p part, raw json.RawMessage) {
	switch p.Type {
	case mcp.ContentTypeText:
		w.say(p.Text)
		w.hasText = w.hasText || p.Text != ""
	case mcp.ContentTypeImage, mcp.ContentTypeAudio:
		w.addMedia(p)
	case mcp.ContentTypeLink:
		w.say(linkLine(p))
		w.cite(p.URI)
	case mcp.ContentTypeResource:
		w.addResource(p)
	default:
		w.say(fmt.Sprintf("[content of an unknown type: %s]", w.excerpt(raw)))
	}
}

func (w *resultWriter) addMedia(p part) {
	mimeType, data, err := decodeBase64(p.Data)
	mimeType = cmp.Or(p.MimeType, mimeType)
	w.say(mediaLine(p.Type, mimeType, data, err))
	w.addData(p.Data)
	switch {
	case p.Type == mcp.ContentTypeAudio:
		w.other = append(w.other, joined(sanitize.Clip(mimeType, maxMIME), quantity.Bytes(int64(len(data)))))
	case err == nil && len(data) > 0:
		w.Images = append(w.Images, data)
	}
}

func (w *resultWriter) addResource(p part) {
	r := p.Resource
	w.cite(r.URI)
	w.addData(r.Blob)
	mimeType, text, image, other := readBlob(r.MimeType, r.Blob)
	about := joined(r.URI, mimeType)
	switch {
	case r.Text != nil:
		text, w.hasText = *r.Text, true
	case text != "":
		w.hasText = true
	case image != nil:
		about = joined(about, quantity.Bytes(int64(len(image))))
		w.Images = append(w.Images, image)
	default:
		about = joined(r.URI, other)
		w.other = append(w.other, other)
	}
	w.say("[resource: " + about + "]")
	w.say(text)
}

func (w *resultWriter) say(text string) {
	if text != "" {
		w.texts = append(w.texts, text)
	}
}

func (w *resultWriter) cite(uri string) {
	if uri != "" {
		w.Sources = append(w.Sources, uri)
	}
}

func mediaLine(kind, mimeType string, data []byte, err error) string {
	size := quantity.Bytes(int64(len(data)))
	if err != nil {
		size = "unreadable"
	}
	return fmt.Sprintf("[%s: %s]", kind, joined(mimeType, size))
}

func linkLine(p part) string {
	line := fmt.Sprintf("[link: %s]", joined(p.Name, p.URI, p.MimeType))
	if p.Description != "" {
		line += " " + p.Description
	}
	return line
}

// joined joins the items that are not empty with commas.
func joined(items ...string) string {
	return strings.Join(slices.DeleteFunc(items, func(item string) bool { return item == "" }), ", ")
}
