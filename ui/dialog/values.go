package dialog

import (
	"context"
	"fmt"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/input"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// Completer suggests what a value may become: *mcpclient.Set.
type Completer interface {
	Complete(ctx context.Context, ref mcpclient.Ref, argument, typed string, known map[string]string) ([]string, error)
}

// Values asks for the arguments of a prompt, or the variables of a template, one after the other. The server completes
// them, if it can.
type Values struct {
	Base
	Title, Description string
	Done               func(values map[string]string) tea.Msg
	Left               tea.Msg // when it is left; nil: nothing

	ctx    context.Context // of commands
	server Completer
	ref    mcpclient.Ref
	blanks []mcpclient.PromptArgument
	at     int
	values map[string]string
	field  input.Line
	hint   string // what is wrong with what was entered

	fits   []string // what the server suggests
	rows   int      // that they took at most
	list   look.List
	asking bool // the server is asked
}

// fitsMsg is what the server suggests for a value.
type fitsMsg struct {
	dialog *Values
	at     int
	typed  string
	fits   []string
}

// NewValues asks for what is not known yet; Suggest is its first command.
func NewValues(ctx context.Context, server Completer, ref mcpclient.Ref, blanks []mcpclient.PromptArgument, known map[string]string) *Values {
	values := maps.Clone(known)
	if values == nil {
		values = map[string]string{}
	}
	return &Values{ctx: ctx, server: server, ref: ref, blanks: blanks, values: values}
}

// Writes reports that what is pasted is a value.
func (f *Values) Writes() bool { return true }

// Waits says what the value is for: the dialog may have waited, as prompts do while a turn runs.
func (f *Values) Waits() string { return look.Short(f.Title) + " needs a value" }

// Update implements Dialog.
func (f *Values) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return false, tea.Batch(pasted(f.field.Insert(msg.Content)), f.Suggest())
	case fitsMsg:
		if msg.dialog == f {
			return false, f.take(msg)
		}
	case tea.KeyPressMsg:
		return f.key(msg)
	}
	return false, nil
}

func (f *Values) key(k tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	f.hint = ""
	switch key := k.String(); key {
	case "esc":
		return true, reply(f.Left)
	case "enter":
		return f.enter()
	case "up", "down":
		f.list.Turn(key == "down", len(f.fits))
		return false, nil
	case "tab":
		if len(f.fits) > 0 {
			f.field.Text = f.fits[max(f.list.At, 0)]
		}
	case "shift+tab":
		if f.at > 0 {
			f.keep(f.field.Text)
			f.turn(f.at - 1)
		}
	default:
		f.field.Key(k)
	}
	return false, f.Suggest()
}

// enter takes the value, or the suggestion that was chosen, and goes on.
func (f *Values) enter() (done bool, cmd tea.Cmd) {
	value := f.field.Text
	if f.list.At >= 0 && f.list.At < len(f.fits) {
		value = f.fits[f.list.At]
	}
	if f.blanks[f.at].Required && strings.TrimSpace(value) == "" {
		f.hint = "this one is needed"
		return false, nil
	}
	f.keep(value)
	if f.at == len(f.blanks)-1 {
		return true, reply(f.Done(f.values))
	}
	f.turn(f.at + 1)
	return false, f.Suggest()
}

func (f *Values) keep(value string) {
	if name := f.blanks[f.at].Name; value == "" {
		delete(f.values, name)
	} else {
		f.values[name] = value
	}
}

func (f *Values) turn(at int) {
	f.at, f.fits, f.list.At = at, nil, -1
	f.field.Text = f.values[f.blanks[at].Name]
}

// Suggest asks the server what the value may become. It is asked one thing at a time: what was typed meanwhile is asked
// when the answer is there.
func (f *Values) Suggest() tea.Cmd {
	f.list.At = -1
	if f.asking {
		return nil
	}
	f.asking = true
	name, known := f.blanks[f.at].Name, maps.Clone(f.values)
	delete(known, name)
	answer := fitsMsg{dialog: f, at: f.at, typed: f.field.Text}
	return func() tea.Msg {
		answer.fits, _ = f.server.Complete(f.ctx, f.ref, name, answer.typed, known) // suggestions are extra: an error is not worth a word
		return answer
	}
}

func (f *Values) take(msg fitsMsg) tea.Cmd {
	f.asking = false
	if msg.at != f.at || msg.typed != f.field.Text {
		return f.Suggest()
	}
	f.fits, f.list.At = msg.fits, -1
	if len(f.fits) == 1 && f.fits[0] == msg.typed {
		f.fits = nil // it is there already
	}
	return nil
}

// View implements Dialog.
func (f *Values) View(width, height int, st *look.Look) []string {
	title, where := sanitize.Line(f.Title), ""
	if len(f.blanks) > 1 {
		where = fmt.Sprintf(" · %d of %d", f.at+1, len(f.blanks))
	}
	title = st.Middle(title, max(10, width-look.TitleFrame-st.Method.StringWidth(where))) + where
	head := []string{st.Title(title, "", width)}
	if f.at == 0 && height >= 8 {
		head = append(head, dimText(f.Description, 3, width, st)...)
	}
	if height >= 10 {
		for _, b := range f.blanks[:f.at] {
			head = append(head, st.Hint(sanitize.Line(b.Name)+"  "+sanitize.Line(f.values[b.Name]), width))
		}
	}
	b, note := f.blanks[f.at], ""
	switch {
	case f.ref.Template != "":
	case b.Required:
		note = " (needed)"
	default:
		note = " (may be left empty)"
	}
	body := []string{st.Clip("  "+st.Accent.Render(sanitize.Line(b.Name))+st.Dim.Render(note), max(1, width))}
	if height >= 8 {
		body = append(body, dimText(look.About(b.Title, b.Description), 2, width, st)...)
	}
	out := append(append(head, body...), "  › "+f.field.View(max(1, width-4), st))
	if over := len(out) + 2 - height; over > 0 {
		out = out[min(over, len(head)):]
	}
	out = append(out, f.suggestions(width, height-len(out)-2, st)...)
	return st.WithHint(out, f.help(width, st), width, height)
}

func (f *Values) help(width int, st *look.Look) string {
	if f.hint != "" {
		return f.hint
	}
	long, short, back := "enter goes on · ", "enter · ", ""
	if len(f.fits) > 0 {
		long, short = "enter goes on · tab takes a suggestion · ↑↓ chooses · ", "enter · tab ↑↓ choose · "
	}
	if f.at > 0 {
		back = "shift+tab back · "
	}
	return st.Longest(width-2, long+back+"esc leaves", short+back+"esc leaves", short+"esc leaves", short+"esc")
}

// suggestions draws at most height rows of them. There are as many rows as there have been at most, so that nothing
// moves with what is typed.
func (f *Values) suggestions(width, height int, st *look.Look) []string {
	if height < 1 {
		return nil
	}
	f.rows = max(f.rows, min(len(f.fits), 8))
	shown := make([]string, min(f.rows, height))
	if len(f.fits) == 0 {
		return shown
	}
	rows := f.list.View(len(f.fits), func(i int) look.Item { return look.Item{Label: f.fits[i]} }, max(1, width-4), min(height, 8), st)
	for i := range rows[:min(len(rows), len(shown))] {
		shown[i] = "  " + rows[i]
	}
	return shown
}

// dimText draws at most so many rows of a text.
func dimText(text string, most, width int, st *look.Look) []string {
	if text == "" {
		return nil
	}
	rows := markdown.Wrap(sanitize.Line(sanitize.Cut(text, 4*most*max(width, 1))), look.Reading(width-4), st.Method)
	rows = rows[:min(len(rows), most)]
	for i := range rows {
		rows[i] = "  " + st.Dim.Render(rows[i])
	}
	return rows
}
