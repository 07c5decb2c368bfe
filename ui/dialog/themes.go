package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/theme"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
	"github.com/aloudchat/aloud/ui/screen"
)

// Themes configures the list of themes.
type Themes struct {
	Current *theme.Theme                    // nil for "auto"
	Read    func() ([]theme.Theme, error)   // reads all themes; the error has the mistakes in those that it leaves out
	Kept    func(name string) (msg tea.Msg) // sent when you have chosen one
}

// themes is the list of themes. The screen has the colours of the one under the cursor.
type themes struct {
	Themes
	list
	all   []*theme.Theme // of the rows
	shows *theme.Theme
}

// NewThemes returns the list of themes, still empty, and the command that fills it.
func NewThemes(t Themes) (Dialog, tea.Cmd) {
	l := &themes{Themes: t, shows: t.Current}
	l.title, l.empty, l.filter, l.enter = "Themes", "Reading the themes…", "type to filter", "to use"
	return l, func() tea.Msg {
		all, err := t.Read()
		return result(l, func() { l.listed(all, err) })
	}
}

// listed fills the list.
func (l *themes) listed(all []theme.Theme, err error) {
	if err != nil {
		l.text = Sentence(err)
	}
	l.all = []*theme.Theme{nil}
	rows := []row{{Item: look.Item{Label: theme.Auto, Detail: "follows your background"}}}
	for i := range all {
		l.all = append(l.all, &all[i])
		rows = append(rows, row{Item: look.Item{Label: all[i].Name, Detail: all[i].About}})
	}
	at := 0
	for i := range rows {
		r := &rows[i]
		if r.id, r.pick, r.Badge = r.Label, l.Kept(r.Label), " "; r.Label == theme.NameOf(l.Current) {
			r.Badge, at = "●", i
		}
	}
	l.set(rows)
	l.seen.At = at
}

// Update implements Dialog.
func (l *themes) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	done, cmd = l.list.Update(msg)
	shows := l.shows
	if done && keyOf(msg) != "enter" {
		shows = l.Current
	} else if i := l.chosen(); i >= 0 {
		shows = l.all[i]
	}
	if shows == l.shows {
		return done, cmd
	}
	l.shows = shows
	return done, tea.Batch(cmd, screen.Reply(look.UseTheme{Now: func() *theme.Theme { return l.shows }}))
}

// View implements Dialog.
func (l *themes) View(width, height int, st *look.Look) []string {
	const around = 4 // the title, the hint, and a gap above it and below the sample
	sample, room := themeSample(width, st), height-len(l.rows)-around
	if len(sample) > room {
		sample = slices.DeleteFunc(sample, func(row string) bool { return row == "" })
	}
	if len(sample) > room {
		return l.list.View(width, height, st)
	}
	sample = append(sample, "")
	return slices.Insert(l.list.View(width, height-len(sample), st), 1, sample...)
}

// themeSample draws some of all that has colours.
func themeSample(width int, st *look.Look) []string {
	width -= 4
	rows := []string{
		st.Question.Fill(st.User.Render("▌")+" what is in my todo list?", width, st.Method), "",
		st.OK.Render("✓") + " " + st.Strong.Render("Read File") + "  " + st.Dim.Render("todo.md") + "   " +
			st.Warn.Render("! a warning") + "   " + st.Err.Render("✗ a failure"), "",
	}
	code := markdown.NewRenderer(width, st.Method, st.Markdown())
	rows = append(rows, code.Write("```go\nfor range 3 { // all of it\n\tfmt.Println(\"buy milk\")\n}\n```\n")...)
	rows = append(append(rows, code.Close()...), "")
	rows = append(rows, st.Diff("\n@@ -1 +1 @@\n-buy milk\n+buy oat milk", width)...)
	for i, row := range rows {
		rows[i] = st.Inset(st.Clip(row, width), 2)
	}
	return rows
}
