package dialog

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/ui/look"
)

// Branch is a branch of a conversation.
type Branch struct {
	Number, Parent int    // the parent of the first is 0
	Words          string // the first of its own
	Questions      int
}

// NewQuestions returns the list of your questions, with the last one chosen. Choosing one sends pick of its index.
func NewQuestions(questions []string, pick func(i int) tea.Msg) Dialog {
	l := &list{title: "Your questions", filter: "type to filter", enter: "to edit it on a new branch"}
	rows := make([]row, len(questions))
	for i, text := range questions {
		rows[i] = row{Item: look.Item{Label: text, Badge: fmt.Sprint(i + 1)}, pick: pick(i), id: fmt.Sprint(i)}
	}
	l.set(rows)
	l.seen.At = len(rows) - 1
	return l
}

// NewTree returns the list of the branches of a conversation, each below its parent, with the current one chosen.
// Choosing one sends pick of its number.
func NewTree(all []Branch, current int, pick func(number int) tea.Msg) Dialog {
	l := &list{title: "Branches", filter: "type to filter", enter: "to go there"}
	var rows []row
	at := 0
	var add func(parent, depth int)
	add = func(parent, depth int) {
		for i, b := range all {
			if b.Parent != parent {
				continue
			}
			badge := " "
			if i == current {
				badge, at = "●", len(rows)
			}
			rows = append(rows, row{id: fmt.Sprint(b.Number), pick: pick(b.Number), Item: look.Item{Label: b.Words,
				Badge: badge, Depth: depth, Detail: quantity.Plural(b.Questions, "question")}})
			add(b.Number, depth+1)
		}
	}
	add(0, 0)
	l.set(rows)
	l.seen.At = at
	return l
}
