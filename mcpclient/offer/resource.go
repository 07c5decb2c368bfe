package offer

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/mcpclient/content"
	"github.com/aloudchat/aloud/sanitize"
)

// What is kept of a server's resources.
const (
	MaxTemplates = 500     // of one server; a mention is held against each
	LongestURI   = 2 << 10 // bytes
)

// Resource is one resource of one server, or a template of many.
type Resource struct {
	Server      string
	URI         string // of a template with {variables}
	Name        string
	Title       string
	Description string
	MIMEType    string
	Size        int64 // bytes; 0: unknown
	Template    bool
	Updated     time.Time // when the server last said that it changed; zero: never since it was read
}

// Resources reads a page of resources/list, or of resources/templates/list: member says which. Those that nobody could ask for are left out.
// unread are those over the number that any page may have, and templates over MaxTemplates.
func Resources(page json.RawMessage, member, server string) (all []Resource, unread int) {
	list, unread := content.Items(page, member, maxItems)
	for _, raw := range list {
		var r struct {
			URI         string  `json:"uri"`
			Template    string  `json:"uriTemplate"`
			Name        string  `json:"name"`
			Title       string  `json:"title"`
			Description string  `json:"description"`
			MIMEType    string  `json:"mimeType"`
			Size        float64 `json:"size"`
		}
		_ = json.Unmarshal(raw, &r) // a field of the wrong type is as if it were missing
		resource := Resource{
			Server: server, URI: r.URI, Name: sanitize.Clip(r.Name, longestTitle), Title: sanitize.Clip(r.Title, longestTitle),
			Description: sanitize.Clip(r.Description, longestAbout), MIMEType: sanitize.Clip(r.MIMEType, longestTitle),
		}
		if r.Size > 0 && r.Size < 1<<53 {
			resource.Size = int64(r.Size)
		}
		if member == "resourceTemplates" {
			resource.Template, resource.URI = true, r.Template
			if len(all) == MaxTemplates {
				unread++
				continue
			}
			if len(resource.Variables()) == 0 {
				continue
			}
		}
		if IsURI(resource.URI) {
			all = append(all, resource)
		}
	}
	return all, unread
}

// IsURI tells what can be an address of a resource, or a template of one: a word of visible characters with a scheme.
func IsURI(uri string) bool {
	scheme, _, ok := strings.Cut(uri, ":")
	isLetter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	if !ok || scheme == "" || !isLetter(rune(scheme[0])) || len(uri) > LongestURI || !utf8.ValidString(uri) {
		return false
	}
	inScheme := func(r rune) bool { return isLetter(r) || r >= '0' && r <= '9' || r == '+' || r == '-' || r == '.' }
	return !strings.ContainsFunc(scheme, func(r rune) bool { return !inScheme(r) }) &&
		!strings.ContainsFunc(uri, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) })
}
