package mcpclient

import (
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Resource is a resource of a server, or a template for resources.
type Resource struct {
	Server      string
	URI         string // with {variables} if it is a template
	Name        string
	Title       string
	Description string
	Template    bool
}

// Fits reports whether an address begins like this template.
func (r Resource) Fits(uri string) bool {
	beginning, _, _ := strings.Cut(r.URI, "{")
	return r.Template && strings.HasPrefix(uri, beginning) && IsURI(uri)
}

// IsURI reports whether a text can be the address of a resource or a template: a scheme and visible characters.
func IsURI(uri string) bool {
	return sanitize.IsVisible(uri, LongestURI) && uriShape().MatchString(uri)
}

// Contents is the content of a resource. Its text is not sanitized.
type Contents struct {
	Text   string
	MIME   string   // of the first content; "" if unknown
	Images [][]byte // runs in this process
	Other  []string // descriptions of other content: "application/zip, 3.0 MB"
}

var uriShape = sanitize.Pattern(`^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{Z}]*$`)

// LongestURI is the number of bytes that the address of a resource may have.
const LongestURI = 2 << 10
