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
	mostTries    = 60      // places before a mention where a call may begin
	beforeName   = 64      // bytes from the beginning of a call to its name
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

// isIn reports whether a text contains the same call, or one of the same tool that cannot be read. It looks for calls
// that begin shortly before each mention of the tool, the nearest first, because a search from the beginning gives up
// in texts with many brackets. The arguments may come before the name.
func (c textCall) isIn(req request, text string) bool {
	known := func(name string) bool { _, ok := findTool(req, name); return ok }
	tool, _ := findTool(req, c.Name)
	meaning, name := c.meaning(req), cmp.Or(tool.ServerTool, tool.Name)
	isSame := func(other textCall) bool {
		named, _ := findTool(req, other.Name)
		return other.Complaint != "" && named.Name == tool.Name || other.meaning(req) == meaning
	}
	size := min(beforeName+2*len(c.Text), maxCopy)
	at := 0
	for range mostMentions {
		next := strings.Index(text[at:], name)
		if next < 0 {
			return false
		}
		at += next
		begin, tried := max(0, at-size), 0
		near := []byte(text[begin:min(len(text), at+size)])
		for i := at - begin; i >= 0 && tried < mostTries; i-- {
			if begin+i < at && strings.IndexByte("{[<`", near[i]) < 0 {
				continue
			}
			tried++
			r := reader{known: known, text: near[i:], strict: true}
			if slices.ContainsFunc(r.calls(), isSame) {
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
