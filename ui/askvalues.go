package ui

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

// blank is one thing that an askValues asks for.
type blank struct {
	name, about string
	required    bool
}

func blanksOf(arguments []mcpclient.PromptArgument) []blank {
	var all []blank
	for _, a := range arguments {
		all = append(all, blank{a.Name, look.About(a.Title, a.Description), a.Required})
	}
	return all
}

func blanksOfTemplate(r mcpclient.Resource) []blank {
	var all []blank
	for _, name := range r.Variables() {
		all = append(all, blank{name: name})
	}
	return all
}

// askValues asks for the arguments of a prompt, or the variables of a template, one after the other. The server completes them, if it can.
type askValues struct {
	ctx    context.Context // of commands
	offers Offers
	ref    mcpclient.Ref

	title, about string
	blanks       []blank
	at           int
	values       map[string]string
	field        input.Line
	hint         string // what is wrong with what was entered

	fits   []string // what the server suggests
	rows   int      // that they took at most
	chosen int      // of fits; -1: none
	seen   look.List
	asking bool // the server is asked

	done func(values map[string]string) tea.Msg
	back tea.Msg // when it is left; nil: nothing
}

// fitsMsg is what the server suggests for a value.
type fitsMsg struct {
	dialog *askValues
	blank  int
	typed  string
	fits   []string
}

func newAskValues(ctx context.Context, offers Offers, ref mcpclient.Ref, blanks []blank, known map[string]string) *askValues {
	values := maps.Clone(known)
	if values == nil {
		values = map[string]string{}
	}
	return &askValues{ctx: ctx, offers: offers, ref: ref, blanks: blanks, values: values, chosen: -1}
}

// writing: what is pasted is a value.
func (f *askValues) writing() bool { return true }

func (f *askValues) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return false, tea.Batch(pasted(f.field.Insert(msg.Content)), f.suggest())
	case fitsMsg:
		if msg.dialog == f {
			return false, f.take(msg)
		}
	case tea.KeyPressMsg:
		return f.key(msg)
	}
	return false, nil
}

func (f *askValues) key(k tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	f.hint = ""
	switch k.String() {
	case "esc":
		if f.back == nil {
			return true, nil
		}
		return true, reply(f.back)
	case "enter":
		return f.enter()
	case "up", "down":
		if n := len(f.fits); n > 0 {
			switch {
			case k.String() == "down":
				f.chosen = (f.chosen + 1) % n
			case f.chosen <= 0:
				f.chosen = n - 1
			default:
				f.chosen--
			}
		}
		return false, nil
	case "tab":
		if len(f.fits) > 0 {
			f.field.Text = f.fits[max(f.chosen, 0)]
		}
	case "shift+tab":
		if f.at > 0 {
			f.keep(f.field.Text)
			f.turn(f.at - 1)
		}
	default:
		f.field.Key(k)
	}
	return false, f.suggest()
}

// enter takes the value, or the suggestion that was gone to, and goes on.
func (f *askValues) enter() (done bool, cmd tea.Cmd) {
	value := f.field.Text
	if f.chosen >= 0 {
		value = f.fits[f.chosen]
	}
	if f.blanks[f.at].required && strings.TrimSpace(value) == "" {
		f.hint = "this one is needed"
		return false, nil
	}
	f.keep(value)
	if f.at == len(f.blanks)-1 {
		return true, reply(f.done(f.values))
	}
	f.turn(f.at + 1)
	return false, f.suggest()
}

// keep takes what stands in the field.
func (f *askValues) keep(value string) {
	if name := f.blanks[f.at].name; value == "" {
		delete(f.values, name)
	} else {
		f.values[name] = value
	}
}

func (f *askValues) turn(at int) {
	f.at, f.fits, f.chosen = at, nil, -1
	f.field.Text = f.values[f.blanks[at].name]
}

// suggest asks the server what the value may become. One question is asked at a time: what was typed meanwhile is asked when the answer is there.
func (f *askValues) suggest() tea.Cmd {
	f.chosen = -1
	if f.asking {
		return nil
	}
	f.asking = true
	ctx, offers, ref, at, name, typed, known := f.ctx, f.offers, f.ref, f.at, f.blanks[f.at].name, f.field.Text, maps.Clone(f.values)
	delete(known, name)
	return func() tea.Msg {
		fits, err := offers.Complete(ctx, ref, name, typed, known)
		if err != nil {
			fits = nil // who types has not asked for it
		}
		return fitsMsg{f, at, typed, fits}
	}
}

func (f *askValues) take(msg fitsMsg) tea.Cmd {
	f.asking = false
	if msg.blank != f.at || msg.typed != f.field.Text {
		return f.suggest()
	}
	f.fits = msg.fits
	if len(f.fits) == 1 && f.fits[0] == msg.typed {
		f.fits = nil // it is there already
	}
	f.chosen = -1
	return nil
}

func (f *askValues) view(width, height int, st *look.Look) []string {
	title, where := sanitize.Line(f.title), ""
	if len(f.blanks) > 1 {
		where = fmt.Sprintf(" · %d of %d", f.at+1, len(f.blanks))
	}
	title = st.Middle(title, max(10, width-titleFrame-st.Method.StringWidth(where))) + where
	head := []string{titleRow(title, width, st)}
	if f.at == 0 && height >= 8 {
		head = append(head, dimText(f.about, 3, width, st)...)
	}
	if height >= 10 {
		for _, b := range f.blanks[:f.at] {
			head = append(head, "  "+st.Dim.Render(st.Clip(sanitize.Line(b.name)+"  "+sanitize.Line(f.values[b.name]), max(1, width-2))))
		}
	}
	b := f.blanks[f.at]
	name := st.Accent.Render(sanitize.Line(b.name))
	note := " (needed)"
	if !b.required && f.ref.Prompt != "" {
		note = " (may be left empty)"
	}
	if f.ref.Template != "" {
		note = ""
	}
	body := []string{st.Clip("  "+name+st.Dim.Render(note), max(1, width))}
	if height >= 8 {
		body = append(body, dimText(b.about, 2, width, st)...)
	}
	body = append(body, "  › "+f.field.View(max(1, width-4), st))
	out := append(head, body...)
	if over := len(out) + 2 - height; over > 0 {
		out = out[min(over, len(head)):]
	}
	out = append(out, f.suggestions(width, height-len(out)-2, st)...)
	return withHint(out, f.help(width, st), width, height, st)
}

func (f *askValues) help(width int, st *look.Look) string {
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

// waits: it may have waited in line, as prompts do while a turn runs.
func (f *askValues) waits() string { return cutMiddle(sanitize.Line(f.title), 40) + " needs a value" }

// suggestions draws at most height rows of them. There are as many rows as there have been at most, so that nothing moves with what is typed.
func (f *askValues) suggestions(width, height int, st *look.Look) []string {
	if height < 1 {
		return nil
	}
	f.rows = max(f.rows, min(len(f.fits), 8))
	shown := make([]string, min(f.rows, height))
	if len(f.fits) == 0 {
		return shown
	}
	f.seen.At = f.chosen // with none gone to, none is marked: enter takes what is written
	rows := f.seen.View(len(f.fits), func(i int) look.Item { return look.Item{Label: f.fits[i]} }, max(1, width-4), min(height, 8), st)
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
