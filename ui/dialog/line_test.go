package dialog

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/look"
)

func TestLineShowsItsEnd(t *testing.T) {
	st := &look.Look{Styles: look.MonoStyles()}
	for text, want := range map[string]string{"": "▏", "short": "short▏", "a long reason": "…g reason▏"} {
		f := line{Text: text}
		if got := ansi.Strip(f.View(10, st)); got != want {
			t.Errorf("%q is shown as %q, not %q", text, got, want)
		}
	}
}

func TestLineEditing(t *testing.T) {
	st := &look.Look{Styles: look.MonoStyles()}
	left, right := tea.KeyPressMsg{Code: tea.KeyLeft}, tea.KeyPressMsg{Code: tea.KeyRight}
	f := line{}
	f.Insert("größe")
	for _, k := range []tea.KeyPressMsg{left, left, left, {Code: tea.KeyBackspace}, {Code: 'o', Text: "o"}, right, right,
		right, right, {Code: ' ', Text: " "}, {Code: '!', Text: "!"}} {
		f.Key(k)
	}
	if f.Text != "goöße !" {
		t.Errorf("the text is %q", f.Text)
	}
	f.Key(tea.KeyPressMsg{Code: 'a', Mod: tea.ModCtrl})
	f.Key(tea.KeyPressMsg{Code: tea.KeyDelete})
	if got := ansi.Strip(f.View(10, st)); got != "▏oöße !" {
		t.Errorf("it is shown as %q", got)
	}
	f.Insert("a very long word and ")
	if got := ansi.Strip(f.View(12, st)); got != "…rd and▏oöß…" {
		t.Errorf("it is shown as %q", got)
	}
	f.Text = "another"
	f.Key(tea.KeyPressMsg{Code: tea.KeyBackspace})
	if f.Text != "anothe" {
		t.Errorf("the text is %q", f.Text)
	}
}
