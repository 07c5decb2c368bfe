package dialog

import (
	"context"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// Completer suggests what a value may become: *mcpclient.Set.
type Completer interface {
	Complete(ctx context.Context, ref mcpclient.Ref, argument, typed string, known map[string]string) ([]string, error)
}

// Values asks for the arguments of a prompt, or the variables of a template. The server completes them, if it can.
type Values struct {
	Title, Description string
	Server             Completer
	Ref                mcpclient.Ref
	Blanks             []mcpclient.PromptArgument
	Known              map[string]string // values that are not asked for
	Done               func(values map[string]string) tea.Msg
	Left               tea.Msg // when it is left; nil: nothing
}

// values is the form for Values.
type values struct {
	fields
	Values
	ctx context.Context // of commands

	fits   []string // what the server suggests
	rows   int      // the most rows that they took so far
	list   look.List
	asking bool // the server is asked
}

// fitsMsg is what the server suggests for a value.
type fitsMsg struct {
	dialog      *values
	name, typed string
	fits        []string
}

// NewValues asks for values, and returns the command that asks the server for suggestions.
func NewValues(ctx context.Context, v Values) (Dialog, tea.Cmd) {
	var form elicit.Form
	for _, b := range v.Blanks {
		about := sanitize.Line(sanitize.Cut(look.About(b.Title, b.Description), 1000))
		form.Fields = append(form.Fields, elicit.Field{
			Name: b.Name, Title: sanitize.Line(b.Name), Description: about, Kind: elicit.Text, Required: b.Required,
		})
	}
	d := &values{Values: v, ctx: ctx}
	d.Base = Base{nil, look.Short(v.Title) + " needs a value"}
	d.form, d.title = newForm(form), v.Title
	d.above = func(width int, st *look.Look) []string {
		if v.Description == "" {
			return nil
		}
		return append(st.Prose(nil, sanitize.Line(sanitize.Cut(v.Description, 1000)), width, st.Dim.Render), "")
	}
	d.hint = d.help
	d.below = d.suggestions
	d.escape = func() (bool, tea.Cmd) { return true, reply(v.Left) }
	d.press = func(int, map[string]any) (bool, tea.Cmd) { return true, reply(v.Done(d.known())) }
	return d, d.suggest()
}

// known returns the values so far.
func (d *values) known() map[string]string {
	all := d.form.Texts()
	maps.Copy(all, d.Known)
	return all
}

func (d *values) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case fitsMsg:
		if msg.dialog == d {
			return false, d.take(msg)
		}
		return false, nil
	case tea.KeyPressMsg:
		key := msg.String()
		switch {
		case len(d.fits) == 0:
		case key == "up", key == "down":
			d.list.Turn(key == "down", len(d.fits))
			return false, nil
		case key == "tab":
			d.form.Put(d.fits[max(d.list.At, 0)])
			return false, d.suggest()
		case key == "enter" && d.list.At >= 0:
			d.form.Put(d.fits[d.list.At])
		}
	}
	name, typed := d.form.Field()
	done, cmd = d.fields.Update(msg)
	if now, text := d.form.Field(); now != name || text != typed {
		if now != name {
			d.fits = nil
		}
		cmd = tea.Batch(cmd, d.suggest())
	}
	return done, cmd
}

// suggest asks the server for suggestions, one request at a time: what you type meanwhile is asked for afterwards.
func (d *values) suggest() tea.Cmd {
	d.list.At = -1
	if d.asking {
		return nil
	}
	d.asking = true
	answer := fitsMsg{dialog: d}
	answer.name, answer.typed = d.form.Field()
	known := d.known()
	delete(known, answer.name)
	return func() tea.Msg {
		// An error leaves a form without suggestions.
		answer.fits, _ = d.Server.Complete(d.ctx, d.Ref, answer.name, answer.typed, known)
		return answer
	}
}

func (d *values) take(msg fitsMsg) tea.Cmd {
	d.asking = false
	if name, typed := d.form.Field(); name != msg.name || typed != msg.typed {
		return d.suggest()
	}
	d.fits, d.list.At = msg.fits, -1
	if len(d.fits) == 1 && d.fits[0] == msg.typed {
		d.fits = nil // it is there already
	}
	return nil
}

func (d *values) help(width int, st *look.Look) string {
	if len(d.fits) > 0 {
		long := "enter goes on · tab takes a suggestion · ↑↓ chooses · esc leaves"
		return st.Longest(width-2, long, "enter · tab ↑↓ choose · esc leaves")
	}
	return "enter goes on · esc leaves"
}

// suggestions draws the suggestions. They keep the most rows that they took, so that nothing moves while you type.
func (d *values) suggestions(width, height int, st *look.Look) []string {
	if d.rows = max(d.rows, min(len(d.fits), 8)); d.rows == 0 || height < 2 {
		return nil
	}
	room := min(d.rows, height-1)
	item := func(i int) look.Item { return look.Item{Label: d.fits[i]} }
	rows := d.list.View(len(d.fits), item, max(1, width-4), room, st)
	for i := range rows {
		rows[i] = "  " + rows[i]
	}
	return slices.Concat([]string{""}, rows, make([]string, max(0, room-len(rows))))
}
