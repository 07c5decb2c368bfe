package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/look"
)

func TestRowsFitHoweverTheTerminalMeasures(t *testing.T) {
	family := strings.Repeat("👩‍👩‍👧 日本 e\u0301 ", 10)
	for _, method := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
		st := &look.Look{Styles: look.NewStyles(true), Method: method}
		for width := 1; width < 60; width++ {
			f := field{text: family}
			p := picker{title: family, rows: []row{{label: family, detail: family}}}
			for _, row := range append(p.view(width, 10, st), f.view(width, st)) {
				if got := method.StringWidth(row); got > max(width, 8) {
					t.Errorf("method %v: %q is %d cells wide, not %d", method, row, got, width)
				}
			}
		}
	}
}

func TestAFieldShowsItsEnd(t *testing.T) {
	st := &look.Look{Styles: look.MonoStyles()}
	for text, want := range map[string]string{"": "▏", "short": "short▏", "a long reason": "…g reason▏"} {
		f := field{text: text}
		if got := ansi.Strip(f.view(10, st)); got != want {
			t.Errorf("%q is shown as %q, not %q", text, got, want)
		}
	}
}

func TestAFieldIsEditedAnywhere(t *testing.T) {
	st := &look.Look{Styles: look.MonoStyles()}
	left, right := tea.KeyPressMsg{Code: tea.KeyLeft}, tea.KeyPressMsg{Code: tea.KeyRight}
	f := field{}
	f.insert("größe")
	for _, k := range []tea.KeyPressMsg{left, left, left, {Code: tea.KeyBackspace}, {Code: 'o', Text: "o"}, right, right, right, right, {Code: ' ', Text: " "}, {Code: '!', Text: "!"}} {
		f.key(k)
	}
	if f.text != "goöße !" {
		t.Errorf("the text is %q", f.text)
	}
	f.key(tea.KeyPressMsg{Code: 'a', Mod: tea.ModCtrl})
	f.key(tea.KeyPressMsg{Code: tea.KeyDelete})
	if got := ansi.Strip(f.view(10, st)); got != "▏oöße !" {
		t.Errorf("it is shown as %q", got)
	}
	f.insert("a very long word and ")
	if got := ansi.Strip(f.view(12, st)); got != "…rd and▏oöß…" {
		t.Errorf("it is shown as %q", got)
	}
	f.text = "another"
	f.key(tea.KeyPressMsg{Code: tea.KeyBackspace})
	if f.text != "anothe" {
		t.Errorf("the text is %q", f.text)
	}
}
