package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// Roots are the folders that servers are told of: *mcpclient.Set.
type Roots interface {
	Roots() []mcpclient.Root
	SetRoots(roots []mcpclient.Root)
}

// rootFoundMsg is a folder that is to be added, or why there is none.
type rootFoundMsg struct {
	root mcpclient.Root
	err  error
}

// rootList is what /roots shows: the folders that servers are told of, and those that they were told of in this session.
type rootList struct {
	*picker
	box Roots
	all []mcpclient.Root
}

// showRoots is /roots.
func showRoots(m *model, folder string) tea.Cmd {
	box := m.options.Roots
	if box == nil {
		return reply(screen.Flash{Text: "This chat has no servers"})
	}
	l := &rootList{box: box, all: box.Roots()}
	l.picker = &picker{
		title: "Folders", empty: "servers are told of no folder",
		text: "Servers are told that they may work in these folders, for this session. Each decides for itself what it makes of that.",
		keys: "space on/off · type a folder to add it · esc", short: "space on/off · type a folder · esc",
		typing: "enter takes it · ctrl+u clears · esc",
		other:  func(typed string) row { return row{label: typed, detail: "add it", badge: "+"} },
		is:     func(r row, typed string) bool { return r.also == typed },
	}
	l.toggle = l.change
	l.fill()
	m.dialogs.open(l)
	if folder != "" {
		return findRoot(folder)
	}
	return nil
}

// fill brings the rows up to date.
func (l *rootList) fill() {
	told := l.box.Roots()
	l.rows = nil
	for _, r := range l.all {
		badge := "○"
		if slices.Contains(told, r) {
			badge = "✓"
		}
		l.rows = append(l.rows, row{label: r.Folder(), also: r.Folder(), badge: badge})
	}
}

// view leaves out the middle of paths that are too long: folders of one place differ at the end.
func (l *rootList) view(width, height int, st *look.Look) []string {
	for i, r := range l.all {
		l.rows[i].label = cutMiddle(r.Folder(), max(8, width-6))
	}
	return l.picker.view(width, height, st)
}

// change switches a folder on or off, or looks for one that was typed.
func (l *rootList) change(i int) tea.Cmd {
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

// update takes the folder that was looked for, besides what a list takes.
func (l *rootList) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	found, ok := msg.(rootFoundMsg)
	if !ok {
		before := l.typed
		done, cmd = l.picker.update(msg)
		if shown := l.shown(); l.typed != before && len(shown) > 0 && shown[len(shown)-1] == len(l.all) {
			l.at = len(shown) - 1 // who types a folder means that, and not one that begins like it
		}
		return done, cmd
	}
	if found.err != nil {
		return false, reply(screen.Flash{Text: sentence(found.err)})
	}
	l.typed, l.at = "", 0
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
		return rootFoundMsg{root, err}
	}
}
