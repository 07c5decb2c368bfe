package repair

import (
	"cmp"
	"encoding/json"
	"html"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

const (
	mostMentions = 200     // of a tool in a text, of which more are taken for a copy
	nearName     = 64      // bytes from the beginning of a call to its name
	maxCopy      = 4 << 10 // bytes of a call that is found in another form
)

// copied reports whether a text contains one of the calls, in any form of a call, as it is or escaped in HTML or JSON.
func copied(req request, text string, calls []textCall) bool {
	bare := layout.Replace(text)
	if slices.ContainsFunc(calls, func(c textCall) bool { return c.isQuoted(bare) }) {
		return true
	}
	plain, inHTML := unescape(text), html.UnescapeString(text)
	texts := []string{text, plain, inHTML, html.UnescapeString(plain), unescape(inHTML)}
	slices.Sort(texts)
	return slices.ContainsFunc(slices.Compact(texts), func(text string) bool {
		return slices.ContainsFunc(calls, func(c textCall) bool { return c.isIn(req, text) })
	})
}

// isIn reports whether a text contains the same call. It looks for calls around each mention of the tool, because a
// search from the beginning gives up in long texts with many brackets. The arguments may come before the name.
func (c textCall) isIn(req request, text string) bool {
	known := func(name string) bool { _, ok := findTool(req, name); return ok }
	meaning := c.meaning(req)
	isSame := func(other textCall) bool { return other.meaning(req) == meaning }
	tool, _ := findTool(req, c.Name)
	name, size := cmp.Or(tool.ServerTool, tool.Name), min(nearName+2*len(c.Text), maxCopy)
	at := 0
	for range mostMentions {
		next := strings.Index(text[at:], name)
		if next < 0 {
			return false
		}
		at += next
		for _, before := range []int{0, nearName, size} {
			near := text[max(0, at-before):min(len(text), at+size)]
			if slices.ContainsFunc(find([]byte(near), known, true).Calls, isSame) {
				return true
			}
		}
		at += len(name)
	}
	return true
}

// meaning returns the tool and the arguments of a call, the same for all its forms.
func (c textCall) meaning(req request) string {
	tool, _ := findTool(req, c.Name)
	arguments, _, complaint := check(tool.Name, tool.Schema, c.Arguments)
	if complaint != "" {
		arguments = c.Arguments
	}
	var value any
	if json.Unmarshal(arguments, &value) == nil {
		arguments, _ = json.Marshal(value) // in the order of the keys; the value is from JSON
	}
	return tool.Name + " " + string(arguments)
}

// unescape returns the strings of a text in JSON, without their escapes, on lines of their own.
func unescape(text string) string {
	return escapes().ReplaceAllStringFunc(text, func(escape string) string {
		plain := "\n" // for a quote that begins or ends a string
		_ = json.Unmarshal([]byte(`"`+escape+`"`), &plain)
		return plain
	})
}

var escapes = sanitize.Pattern(`(?:\\u[0-9a-fA-F]{4})+|\\["\\/bfnrt]|"`)

// isQuoted reports whether a text without layout contains a call, with any layout.
func (c textCall) isQuoted(bare string) bool { return strings.Contains(bare, layout.Replace(c.Text)) }

// layout drops white space, quotes and escapes.
var layout = strings.NewReplacer(`\n`, "", `\r`, "", `\t`, "", `\`, "",
	`"`, "", "'", "", "`", "", " ", "", "\n", "", "\r", "", "\t", "")
