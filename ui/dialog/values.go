package dialog

import (
	"maps"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// Values asks for the arguments of a prompt, or the variables of a template.
type Values struct {
	Title, Description string
	Blanks             []mcpclient.PromptArgument
	Known              map[string]string // values that are known already
	Done               func(values map[string]string) tea.Msg
	Left               tea.Msg // sent when the dialog is closed without values; may be nil
}

// NewValues returns a dialog that asks for values.
func NewValues(v Values) Dialog {
	var blanks elicit.Form
	for _, b := range v.Blanks {
		about := sanitize.Line(sanitize.Cut(look.Described(b.Title, b.Description), 1000))
		blanks.Fields = append(blanks.Fields, elicit.Field{
			Name: b.Name, Title: sanitize.Line(b.Name), Description: about, Kind: elicit.Text, Required: b.Required,
		})
	}
	f := newForm(blanks)
	f.notice = look.Short(v.Title) + " needs a value"
	f.title, f.keys = v.Title, []string{"enter to continue · esc to cancel"}
	f.above = func(width int, st *look.Look) []string {
		if v.Description == "" {
			return nil
		}
		return append(st.Prose(nil, sanitize.Line(sanitize.Cut(v.Description, 1000)), width, st.Dim.Render), "")
	}
	f.leave = func() tea.Cmd { return screen.Reply(v.Left) }
	f.press = func(_ int, typed map[string]any) tea.Cmd {
		values := map[string]string{}
		for name, value := range typed {
			values[name] = value.(string)
		}
		maps.Copy(values, v.Known)
		return screen.Reply(v.Done(values))
	}
	return f
}
