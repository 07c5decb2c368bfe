package dialog

import (
	"bytes"
	"encoding/json"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// TryTool asks to call a tool.
type TryTool struct {
	Tool mcpclient.Tool
	Call provider.ToolCall
}

// ToolForm is the form for the arguments of a tool that you try. It sends a TryTool, and stays open below the approval.
type ToolForm struct {
	*fields
	tool mcpclient.Tool
}

func newToolForm(tool mcpclient.Tool) *ToolForm {
	arguments, err := elicit.Parse(tool.Schema)
	whole := err != nil // the schema has no fields: the arguments are one field of JSON
	if whole {
		arguments = arguments.Whole("arguments")
	}
	title := mcpclient.Title(tool.Title, tool.ServerTool)
	t := &ToolForm{&fields{form: newForm(arguments, "Call", "Back"), title: title}, tool}
	t.above = func(width int, st *look.Look) []string {
		out := st.Prose(nil, sanitize.Cut(t.tool.Description, 4000), width, st.Text.Render)
		from := st.Dim.Render(sanitize.Line(sanitize.Cut(t.tool.ServerTool, 200)) + " of " + sanitize.Line(t.tool.Server))
		return append(append(out, st.Packed(append([]string{from}, notes(t.tool, st)...), width)...), "")
	}
	t.hint = func(width int, st *look.Look) string {
		return st.Longest(width-2, "tab next · space chooses · enter · esc back", "tab next · enter · esc back")
	}
	t.escape = func() (bool, tea.Cmd) { return true, nil }
	t.press = func(button int, values map[string]any) (done bool, cmd tea.Cmd) {
		if button > 0 {
			return true, nil
		}
		var object any = values
		if whole {
			object = values[""]
		}
		call := provider.ToolCall{Name: t.tool.Name, Server: t.tool.Server, Title: title, Arguments: asJSON(object)}
		return false, reply(Meant{TryTool{t.tool, call}})
	}
	return t
}

// reopen prepares a form that you left, for the tool as its server offers it now.
func (t *ToolForm) reopen(tool mcpclient.Tool) {
	t.tool, t.drawn = tool, look.Memo[canvas, []string]{}
	t.form.Reopen()
}

// asJSON writes what a form gave, without escapes for HTML.
func asJSON(object any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(object)
	return bytes.TrimSpace(b.Bytes())
}
