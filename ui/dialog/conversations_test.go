package dialog

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// keepTwo returns a list of two conversations and what it renamed.
func keepTwo(t *testing.T) (l *conversations, renamed map[string]string, tell func(tea.Cmd)) {
	t.Helper()
	renamed = map[string]string{}
	title := func(id string) string {
		if name, ok := renamed[id]; ok {
			return name
		}
		return "about " + id
	}
	d, fill := NewConversations(Conversations{
		List: func() ([]Conversation, error) {
			return []Conversation{{ID: "a", Title: title("a")}, {ID: "b", Title: title("b")}}, nil
		},
		Search: func(context.Context, string) ([]Conversation, error) { return nil, nil },
		Rename: func(id, name string) error { renamed[id] = name; return nil },
		Open:   func(string) tea.Msg { return nil },
	}, "")
	var s Stack
	s.Open(d)
	tell = func(cmd tea.Cmd) { s.Tell(cmd()) }
	tell(fill)
	return d.(*conversations), renamed, tell
}

func TestNameIsForTheConversationThatWasChosen(t *testing.T) {
	l, renamed, tell := keepTwo(t)
	press(&l.list, "down")
	l.Update(tea.KeyPressMsg{Code: 'r', Mod: tea.ModCtrl})
	l.listed(nil, nil, "") // a search has found nothing
	l.Update(tea.KeyPressMsg{Text: "X"})
	_, cmd := l.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	tell(cmd)
	if renamed["b"] != "about bX" || len(renamed) != 1 {
		t.Errorf("renamed %v", renamed)
	}
}

func TestRenameKeepsTheRowsOfASearch(t *testing.T) {
	l, _, tell := keepTwo(t)
	l.listed([]Conversation{{ID: "b", Title: "about b", Excerpt: "the words"}}, nil, "")
	l.Update(tea.KeyPressMsg{Code: 'r', Mod: tea.ModCtrl})
	l.Update(tea.KeyPressMsg{Text: "X"})
	_, cmd := l.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	tell(cmd)
	if len(l.all) != 1 || l.all[0].Title != "about bX" {
		t.Errorf("the rows are %+v", l.all)
	}
}
