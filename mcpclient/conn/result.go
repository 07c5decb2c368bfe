package conn

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/secret"
)

const (
	maxParts       = 5000    // of one result; more than any model reads
	longestUnknown = 4 << 10 // bytes that are told of what we do not know to read
)

// nothing is the text of a result without content: models take an empty one for a mistake of theirs.
const nothing = "(the tool returned nothing)"

// Result is what a call gave, in the form the model reads. A tool's own failure is a Result with Failed set, not a Go error.
type Result struct {
	Text    string   // every content part as text, never empty
	Failed  bool     // the tool said isError
	Sources []string // URIs of resource links and embedded resources
	Images  [][]byte // image contents, decoded

	Structured json.RawMessage // the structured content, as the server sent it; empty: none
	Odd        string          // how that is not what the tool announces, in a few safe words; "" when it is, or that is not known
}

// part is one content part of a result, all its kinds in one.
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

// readResult turns the answer to a call into what a model reads. announced is the schema of structured content that the tool has announced, empty
// when it has none. Whatever a server sends, nothing of it is lost unsaid. The secrets are hidden only in what is cut or put in other words here: they
// could not be found in it later.
func readResult(raw, announced json.RawMessage, secrets secret.Hider) (Result, error) {
	var r struct {
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	err := json.Unmarshal(raw, &r)
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !odd && len(raw) > 0 {
		return Result{}, fmt.Errorf("its result is not JSON: %w", err)
	}
	w := &resultWriter{secrets: secrets}
	w.addAll(r.Content)
	if len(r.Structured) > 0 && string(r.Structured) != "null" {
		w.Structured = r.Structured
	}
	if !r.IsError && w.Structured != nil {
		w.Odd = fit(w.Structured, announced, secrets)
	}
	if !w.hasText && w.Structured != nil {
		w.texts = append(w.texts, w.withoutData(string(w.Structured)))
		if w.Odd != "" {
			w.say("[This is not what the tool announces: " + w.Odd + ".]")
		}
	}
	if len(w.texts) == 0 && len(r.Content) == 0 && !slices.Contains([]string{"", "null", "{}"}, string(raw)) {
		w.say(fmt.Sprintf("[a result of an unknown kind: %s]", w.excerpt(raw)))
	}
	w.Text = cmp.Or(strings.ToValidUTF8(strings.Join(w.texts, "\n"), "\uFFFD"), nothing)
	w.Failed = r.IsError
	return w.Result, nil
}

// resultWriter collects a result part by part.
type resultWriter struct {
	Result
	texts   []string
	hasText bool
	data    []string // what to replace in structured content, and by what
	other   []string // what is neither a text nor an image, in words: "audio/ogg, 12 kB"
	secrets secret.Hider
}

// excerpt is as much as is told of what we do not know to read.
func (w *resultWriter) excerpt(raw json.RawMessage) string {
	return sanitize.Clip(w.secrets.Beginning(string(raw), longestUnknown), longestUnknown)
}

// withoutData is structured content without the data of parts that are told already: some servers send a picture twice, and a model would read
// hundreds of thousands of letters that tell it nothing.
func (w *resultWriter) withoutData(structured string) string {
	return strings.NewReplacer(w.data...).Replace(structured)
}

// toldData notes data of an image, audio or binary resource, as it came.
func (w *resultWriter) toldData(data string) {
	if data != "" {
		w.data = append(w.data, `"`+data+`"`, `"(its data stands above)"`)
	}
}

// addAll adds the parts of a content.
func (w *resultWriter) addAll(content json.RawMessage) {
	if len(content) == 0 || string(content) == "null" {
		return
	}
	parts, more, isList := elements(content, maxParts)
	if !isList {
		parts = []json.RawMessage{content} // taken for its only element
	}
	for _, raw := range parts {
		var p part
		if json.Unmarshal(raw, &p) != nil {
			p = part{} // a string, or a field of the wrong type
			_ = json.Unmarshal(raw, &p.Text)
			if p.Text != "" {
				p.Type = "text"
			}
		}
		w.add(p, raw)
	}
	if more > 0 {
		w.say(andMore(more))
	}
}

// add writes one part; raw is told, as far as it is short, when its kind is unknown.
func (w *resultWriter) add(p part, raw json.RawMessage) {
	switch p.Type {
	case "text":
		w.say(p.Text)
		w.hasText = w.hasText || p.Text != ""
	case "image":
		data, err := base64.StdEncoding.DecodeString(p.Data)
		w.say(mediaLine("image", p.MimeType, data, err))
		w.toldData(p.Data)
		if err == nil && len(data) > 0 {
			w.Images = append(w.Images, data)
		}
	case "audio":
		data, err := base64.StdEncoding.DecodeString(p.Data)
		w.say(mediaLine("audio", p.MimeType, data, err))
		w.toldData(p.Data)
		w.other = append(w.other, joined(sanitize.Clip(p.MimeType, longestKind), sizeOf(len(data))))
	case "resource_link":
		w.say(linkLine(p))
		w.cite(p.URI)
	case "resource":
		w.addResource(p)
	default:
		w.say(fmt.Sprintf("[content of an unknown type: %s]", w.excerpt(raw)))
	}
}

func (w *resultWriter) addResource(p part) {
	r := p.Resource
	w.cite(r.URI)
	w.toldData(r.Blob)
	text, image, other := readBlob(r.MimeType, r.Blob)
	about := joined(r.URI, r.MimeType)
	switch {
	case r.Text != nil:
		text, w.hasText = *r.Text, true
	case text != "":
		w.hasText = true
	case image != nil:
		about = joined(about, sizeOf(len(image)))
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
	size := sizeOf(len(data))
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

// joined joins what there is with commas.
func joined(items ...string) string {
	return strings.Join(slices.DeleteFunc(items, func(item string) bool { return item == "" }), ", ")
}

func sizeOf(bytes int) string {
	switch {
	case bytes < 1000:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 1_000_000:
		return fmt.Sprintf("%d kB", (bytes+500)/1000)
	default:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
}
