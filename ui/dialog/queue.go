package dialog

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
)

// Queue changes the queued messages, by their index.
type Queue struct {
	Swap   func(i, k int)
	Remove func(i int)
	Edit   func(i int)
}

// queue is the list of the queued messages.
type queue struct {
	list
	Queue
}

// NewQueue returns the list of the queued messages, with keys to edit, move and remove them.
func NewQueue(q Queue, texts []string) Dialog {
	l := &queue{Queue: q}
	l.title, l.keyed, l.filter, l.enter, l.empty = "Queue", true, "/ to filter", "to edit", "Nothing is queued."
	move := func(by int) func(i int) tea.Cmd { return func(i int) tea.Cmd { return l.swap(i, i+by) } }
	l.acts = []act{{"u", "up", move(-1)}, {"d", "down", move(1)}, {"x", "to remove", l.remove}}
	rows := make([]row, len(texts))
	for i, text := range texts {
		rows[i] = row{Item: look.Item{Label: text}, id: fmt.Sprint(i)}
	}
	l.number(rows)
	return l
}

// number sets the rows with the numbers of their places.
func (l *queue) number(rows []row) {
	for i := range rows {
		rows[i].Badge = fmt.Sprint(i + 1)
	}
	l.set(rows)
}

func (l *queue) swap(i, k int) tea.Cmd {
	if rows := slices.Clone(l.given); 0 <= k && k < len(rows) {
		rows[i], rows[k] = rows[k], rows[i]
		l.Swap(i, k)
		l.number(rows)
	}
	return nil
}

func (l *queue) remove(i int) tea.Cmd {
	at := l.seen.At
	l.Remove(i)
	l.number(slices.Delete(slices.Clone(l.given), i, i+1))
	l.move(at)
	return nil
}

// Update implements Dialog.
func (l *queue) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if i := l.chosen(); keyOf(msg) == "enter" && !l.types && i >= 0 {
		l.Edit(i)
		return true, nil
	}
	done, cmd = l.list.Update(msg)
	return done || len(l.given) == 0, cmd
}
