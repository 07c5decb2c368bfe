package provider

import (
	"strings"

	"github.com/aloudchat/aloud/provider/printed"
)

// doubt says why calls that a model wrote as text are not made, "" when they are. A call that stands in the user's words or in the result of a
// tool is a quote. One with other words around it has to fit its tool, and the words have to announce it.
func (l *listener) doubt(f printed.Found) string {
	question := ""
	for _, m := range l.messages {
		if m.Role != RoleUser && m.Role != RoleTool {
			continue
		}
		if m.Role == RoleUser && !m.GoesOn() {
			question = m.Text
		}
		if quotes(m, f.Calls) {
			return "it also stands in what you or a tool wrote"
		}
	}
	if f.Alone() {
		return ""
	}
	for _, call := range f.Calls {
		tool, _ := l.findTool(call.Name)
		if _, _, complaint := l.chat.arguments.Check(tool.Schema, call.Arguments); complaint != "" {
			return "its arguments do not fit the tool"
		}
	}
	if !f.Announced(question) {
		return "it may be an example"
	}
	return ""
}

// quotes reports whether a message has one of the calls in it, however it is laid out and escaped there.
func quotes(m Message, calls []printed.Call) bool {
	text := bare(withAttached(m).Text)
	for _, call := range calls {
		if strings.Contains(text, bare(call.Text)) {
			return true
		}
	}
	return false
}

// bare is a text without white space, quotes and escapes.
func bare(text string) string { return layout.Replace(text) }

var layout = strings.NewReplacer(`\n`, "", `\r`, "", `\t`, "", `\`, "", `"`, "", "'", "", "`", "", " ", "", "\n", "", "\r", "", "\t", "")
