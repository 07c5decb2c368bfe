package dialog

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// Conversation is a saved conversation.
type Conversation struct {
	ID, Title, Excerpt string // the excerpt is that of a search
	Folder, Model      string
	Changed            time.Time
	Questions          int   // 0 if unknown
	Size               int64 // of its file, in bytes
}

// Conversations configures the list of saved conversations. Its functions may take long.
type Conversations struct {
	Current string                                                          // the ID of the one on the screen
	List    func() ([]Conversation, error)                                  // all, the newest first
	Search  func(ctx context.Context, words string) ([]Conversation, error) // those with all words
	Rename  func(id, name string) error
	Remove  func(id string) error
	Export  func(id string) (file string, err error)
	Preview func(id string) ([]string, error) // the last lines
	Open    func(id string) tea.Msg
}

// conversations is the list of saved conversations. Those that you delete are removed when it closes.
type conversations struct {
	Conversations
	list
	all     []Conversation // of the rows
	deleted map[string]bool
	naming  *line  // the new name of a conversation; nil unless you type one
	named   string // its ID
	stop    func() // ends the search; nil if none runs
}

// NewConversations returns the list of saved conversations, filtered by words, and the command that fills it.
func NewConversations(c Conversations, words string) (Dialog, tea.Cmd) {
	l := &conversations{Conversations: c, deleted: map[string]bool{}}
	l.title, l.filter, l.enter, l.empty = "Conversations", "type to filter", "to open", "Reading the conversations…"
	l.typed.Text = words
	l.acts = []act{
		{"ctrl+f", "search their texts", nil},
		{"tab", "preview", l.preview},
		{"ctrl+r", "rename", l.rename},
		{"ctrl+d", "delete", l.remove},
		{"ctrl+x", "export", l.export},
	}
	return l, func() tea.Msg {
		all, err := c.List()
		return result(l, func() { l.listed(all, err, "No saved conversations") })
	}
}

// listed fills the list.
func (l *conversations) listed(all []Conversation, err error, empty string) {
	if l.all, l.empty, l.text = all, empty, ""; err != nil {
		l.text = Sentence(err)
	}
	rows := make([]row, len(all))
	for i, c := range all {
		count := quantity.Plural(c.Questions, "question")
		if c.Questions == 0 {
			count = bytesText(c.Size)
		}
		about := cmp.Or(c.Excerpt,
			look.Dotted(ago(time.Since(c.Changed)), count, sanitize.Line(c.Model), sanitize.Line(c.Folder)))
		badge := " "
		switch {
		case l.deleted[c.ID]:
			badge, about = "✗", "deleted when you leave this list"
		case c.ID == l.Current:
			badge = "●"
		}
		rows[i] = row{id: c.ID, pick: l.Open(c.ID), Item: look.Item{Label: c.Title, Badge: badge, Detail: about}}
	}
	l.set(rows)
}

// ago returns how long ago something was, in a word or two.
func ago(d time.Duration) string {
	switch days := int(d.Hours() / 24); {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return quantity.Plural(int(d.Minutes()), "minute")
	case days < 1:
		return quantity.Plural(int(d.Hours()), "hour")
	default:
		return quantity.Plural(days, "day")
	}
}

// Traits implements Dialog.
func (l *conversations) Traits() Traits {
	t := l.list.Traits()
	t.Text = t.Text || l.naming != nil
	return t
}

// Update implements Dialog.
func (l *conversations) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if l.naming != nil {
		return false, l.name(msg)
	}
	if l.details == nil {
		switch key, chosen := keyOf(msg), l.chosen(); {
		case key == "ctrl+f":
			return false, l.search()
		case key == "tab" && chosen >= 0:
			return false, l.preview(chosen)
		case key == "enter" && chosen >= 0 && l.deleted[l.all[chosen].ID]:
			return false, screen.ShowFlash("It is deleted · ctrl+d undoes that")
		}
	}
	if done, cmd = l.list.Update(msg); done {
		cmd = tea.Batch(l.removeAll(), cmd)
		l.end()
	}
	return done, cmd
}

// name handles a message while you type a name.
func (l *conversations) name(msg tea.Msg) tea.Cmd {
	switch keyOf(msg) {
	case "enter":
		id, name := l.named, l.naming.Text
		l.naming = nil
		return func() tea.Msg {
			err := l.Rename(id, name)
			all, failed := l.List()
			return result(l, func() {
				is := func(c Conversation) bool { return c.ID == id }
				if to, from := slices.IndexFunc(l.all, is), slices.IndexFunc(all, is); to >= 0 && from >= 0 {
					l.all[to].Title = all[from].Title // the others may be those of a search
				}
				l.listed(l.all, cmp.Or(err, failed), l.empty)
			})
		}
	case "esc", "ctrl+c":
		l.naming = nil
	default:
		return l.naming.Update(msg)
	}
	return nil
}

func (l *conversations) rename(i int) tea.Cmd {
	l.naming, l.named = &line{Text: l.all[i].Title}, l.all[i].ID
	return nil
}

func (l *conversations) remove(i int) tea.Cmd {
	id := l.all[i].ID
	if id == l.Current {
		return screen.ShowFlash("This conversation is open · /clear begins a new one")
	}
	l.deleted[id] = !l.deleted[id]
	l.listed(l.all, nil, l.empty)
	return nil
}

// removeAll removes the deleted conversations.
func (l *conversations) removeAll() tea.Cmd {
	var cmds []tea.Cmd
	for id, gone := range l.deleted {
		if gone {
			cmds = append(cmds, func() tea.Msg {
				if err := l.Remove(id); err != nil {
					return Warning{Sentence(err)}
				}
				return nil
			})
		}
	}
	return tea.Batch(cmds...)
}

func (l *conversations) export(i int) tea.Cmd {
	id := l.all[i].ID
	return func() tea.Msg {
		file, err := l.Export(id)
		if err != nil {
			return Warning{Sentence(err)}
		}
		return screen.Flash{Text: "Exported to " + file}
	}
}

func (l *conversations) preview(i int) tea.Cmd {
	c := l.all[i]
	return func() tea.Msg {
		lines, err := l.Preview(c.ID)
		if err != nil {
			lines = []string{Sentence(err)}
		}
		return result(l, func() {
			l.details = newText(c.Title, func(width int, st *look.Look) (rows []string) {
				for _, line := range lines {
					rows = st.Prose(rows, line, width, st.Text.Render)
				}
				return rows
			})
		})
	}
}

// search lists the conversations whose texts have the typed words, instead of those whose names match.
func (l *conversations) search() tea.Cmd {
	words := strings.TrimSpace(l.typed.Text)
	if words == "" {
		return screen.ShowFlash("Type the words to search for")
	}
	l.end()
	l.text = "Searching for " + words + "…"
	begin, stop := screen.Start(func(ctx context.Context, send func(tea.Msg)) {
		all, err := l.Search(ctx, words)
		if ctx.Err() != nil { // another search has begun
			return
		}
		send(result(l, func() {
			if strings.TrimSpace(l.typed.Text) == words { // otherwise you type the next ones
				l.typed.Text = ""
			}
			l.title = "Conversations with " + sanitize.Line(words)
			l.listed(all, err, "No conversation has all of these words")
		}))
	})
	l.stop = stop
	return begin
}

// end ends the search.
func (l *conversations) end() {
	if l.stop != nil {
		l.stop()
	}
}

// View implements Dialog.
func (l *conversations) View(width, height int, st *look.Look) []string {
	if l.naming == nil {
		return l.list.View(width, height, st)
	}
	rows := l.list.View(width, max(1, height-2), st)
	rows = append(rows[:max(0, len(rows)-1)], "  "+st.Dim.Render("name ")+l.naming.View(max(1, width-8), st))
	return st.WithHint(rows, "enter to rename · esc", width, height)
}
