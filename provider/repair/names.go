package repair

import (
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// findTool returns the one tool that a name can mean. A name may differ in case and separators, lack the server, or
// have marks of the model's format around it: functions.NAME:0, NAME<|channel|>commentary. If several tools match, it
// finds none.
func findTool(req request, name string) (tool provider.ToolSpec, ok bool) {
	tools := req.Tools
	if len(tools) == 0 {
		tools = req.Withheld
	}
	tool, matches := matchTool(tools, name)
	if bare := bareName(name); matches == 0 && bare != name {
		tool, matches = matchTool(tools, bare)
	}
	return tool, matches == 1
}

// matchTool returns a tool that a name matches, and how many there are. An exact match is the only one.
func matchTool(tools []provider.ToolSpec, name string) (tool provider.ToolSpec, matches int) {
	want := provider.Letters(name)
	for _, t := range tools {
		if t.Name == name {
			return t, 1
		}
		if want != "" && (provider.Letters(t.Name) == want || provider.Letters(t.ServerTool) == want) {
			tool, matches = t, matches+1
		}
	}
	return tool, matches
}

// markedName matches a name with a namespace or a recipient before it, and an index, a format or tags behind it.
var markedName = sanitize.Pattern(`(?is)^(?:.*\bto=)?\W*(?:(?:functions?|tools?|default_api)[.:/])?` +
	`(\w(?:[\w.:/-]*?[a-z0-9])?)(?::\d+)?(?:\s*<.*|\s*(?-i:json)|\s*\(.*\))?\W*$`)

// bareName returns a name without the marks around it.
func bareName(name string) string {
	if match := markedName().FindStringSubmatch(name); match != nil {
		return match[1]
	}
	return name
}
