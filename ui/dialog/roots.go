package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/ui/look"
)

// Roots are the folders that servers are told of: *mcpclient.Set.
type Roots interface {
	Roots() []mcpclient.Root
	SetRoots(roots []mcpclient.Root)
}

// rootMsg is a folder that is to be added, or why there is none.
type rootMsg struct {
	root mcpclient.Root
	err  error
}

// roots shows the folders that servers are told of, and those that they were told of in this session.
type roots struct {
	list
	box Roots
	all []mcpclient.Root
}

// NewRoots shows the folders, and the command that adds one unless it is "".
func NewRoots(box Roots, folder string) (Dialog, tea.Cmd) {
	l := &roots{box: box, all: box.Roots()}
	l.title, l.empty = "Folders", "servers are told of no folder"
	l.text = "Servers are told that they may work in these folders, for this session. Each decides for itself what it makes of that."
	l.keys = []string{"space on/off · type a folder to add it · esc", "space on/off · type a folder · esc"}
	l.typing = "enter takes it · ctrl+u clears · esc"
	l.other = func(typed string) (row, bool) {
		return row{Item: look.Item{Label: typed, Detail: "add it", Badge: "+"}}, !l.has(func(r row) bool { return r.also == typed })
	}
	l.toggle = l.change
	l.fill()
	if folder != "" {
		return l, findRoot(folder)
	}
	return l, nil
}

// fill brings the rows up to date.
func (l *roots) fill() {
	told := l.box.Roots()
	l.rows = nil
	for _, r := range l.all {
		badge := "○"
		if slices.Contains(told, r) {
			badge = "✓"
		}
		l.rows = append(l.rows, row{Item: look.Item{Label: r.Folder, Badge: badge}, also: r.Folder})
	}
}

// View leaves out the middle of paths that are too long: folders of one place differ at the end.
func (l *roots) View(width, height int, st *look.Look) []string {
	for i, r := range l.all {
		l.rows[i].Label = look.CutMiddle(r.Folder, max(8, width-6))
	}
	return l.list.View(width, height, st)
}

// change switches a folder on or off, or looks for one that was typed.
func (l *roots) change(i int) tea.Cmd {
	if i >= len(l.all) {
		return findRoot(l.typed)
	}
	told := l.box.Roots()
	if at := slices.Index(told, l.all[i]); at >= 0 {
		told = slices.Delete(told, at, at+1)
	} else {
		told = append(told, l.all[i])
	}
	l.box.SetRoots(told)
	l.fill()
	return nil
}

func (l *roots) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	found, ok := msg.(rootMsg)
	switch {
	case !ok:
		before := l.typed
		done, cmd = l.list.Update(msg)
		if shown := l.shown(); l.typed != before && len(shown) > 0 && shown[len(shown)-1] == len(l.all) {
			l.seen.At = len(shown) - 1 // a folder that is typed is meant, and not one that begins like it
		}
		return done, cmd
	case found.err != nil:
		return false, flash(Sentence(found.err))
	}
	l.narrow("")
	l.seen.At = 0
	if !slices.Contains(l.all, found.root) {
		l.all = append(l.all, found.root)
	}
	if told := l.box.Roots(); !slices.Contains(told, found.root) {
		l.box.SetRoots(append(told, found.root))
	}
	l.fill()
	return false, nil
}

// findRoot is a command that looks whether a folder is there.
func findRoot(folder string) tea.Cmd {
	return func() tea.Msg {
		root, err := mcpclient.RootOf(folder)
		return rootMsg{root, err}
	}
}
