package dialog

import (
	"encoding/json"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/ui/look"
)

func TestALineFitsHoweverTheTerminalMeasures(t *testing.T) {
	family := strings.Repeat("👩‍👩‍👧 日本 e\u0301 ", 10)
	for _, method := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
		st := &look.Look{Styles: look.NewStyles(true), Method: method}
		for width := 1; width < 60; width++ {
			f := line{Text: family}
			if row := f.View(width, st); method.StringWidth(row) > max(width, 8) {
				t.Errorf("method %v: %q is %d cells wide, not %d", method, row, method.StringWidth(row), width)
			}
		}
	}
}

func TestAFieldShowsItsEnd(t *testing.T) {
	st := &look.Look{Styles: look.MonoStyles()}
	for text, want := range map[string]string{"": "▏", "short": "short▏", "a long reason": "…g reason▏"} {
		f := line{Text: text}
		if got := ansi.Strip(f.View(10, st)); got != want {
			t.Errorf("%q is shown as %q, not %q", text, got, want)
		}
	}
}

func TestWhatIsNotTakenChangesNothing(t *testing.T) {
	fields, err := elicit.Parse(json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	f := newForm(fields, "Send")
	if f.Paste(strings.Repeat("x", elicit.LongestTyped+1)) || f.Touched() {
		t.Error("a form says that it holds what it did not take")
	}
	if !f.Paste("Oslo") || !f.Touched() {
		t.Error("a form does not take a city")
	}
}

func TestAFieldIsEditedAnywhere(t *testing.T) {
	st := &look.Look{Styles: look.MonoStyles()}
	left, right := tea.KeyPressMsg{Code: tea.KeyLeft}, tea.KeyPressMsg{Code: tea.KeyRight}
	f := line{}
	f.Insert("größe")
	for _, k := range []tea.KeyPressMsg{left, left, left, {Code: tea.KeyBackspace}, {Code: 'o', Text: "o"}, right, right, right, right, {Code: ' ', Text: " "}, {Code: '!', Text: "!"}} {
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

func TestKeysOfALineAndOfAForm(t *testing.T) {
	fields, err := elicit.Parse(json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","default":314}}}`))
	if err != nil {
		t.Fatal(err)
	}
	st := look.New()
	f := newForm(fields, "Call")
	f.Key(tea.KeyPressMsg{Code: tea.KeyTab})
	for _, step := range []struct {
		key  rune
		mod  tea.KeyMod
		seen string
	}{
		{tea.KeyHome, 0, "▏314"}, {tea.KeyEnd, 0, "314▏"}, {'a', tea.ModCtrl, "▏314"}, {'e', tea.ModCtrl, "314▏"}, {tea.KeyEnd, 0, "› Call"},
		{tea.KeyHome, 0, "› city"}, {tea.KeyEnd, 0, "› Call"},
	} {
		f.Key(tea.KeyPressMsg{Code: step.key, Mod: step.mod})
		rows, _ := f.View(nil, 80, 20, &st)
		if seen := ansi.Strip(strings.Join(rows, "\n")); !strings.Contains(seen, step.seen) {
			t.Errorf("after %c there is no %q:\n%s", step.key, step.seen, seen)
		}
	}
}

// TestALongFormIsDrawnWhereItIsSeen: a server may offer ten thousand options, and a megabyte of JSON may be pasted. A
// frame must not draw or read all of that.
func TestALongFormIsDrawnWhereItIsSeen(t *testing.T) {
	st := look.New()
	options := elicit.Field{Name: "many", Title: "many", Kind: elicit.Choices}
	for i := range 10_000 {
		options.Options = append(options.Options, elicit.Option{Value: i, Title: "an option"})
	}
	pasted := newForm(elicit.Form{Fields: []elicit.Field{{Name: "json", Title: "json", Kind: elicit.JSON}}})
	pasted.Paste("[" + strings.Repeat(`{"a": 1}, `, 50_000))
	for name, x := range map[string]*form{"options": newForm(elicit.Form{Fields: []elicit.Field{options}}, "Send"), "JSON": pasted} {
		draw := func() {
			if rows, _ := x.View(nil, 80, 20, &st); len(rows) > 20 {
				t.Errorf("%s: %d rows", name, len(rows))
			}
		}
		draw()
		if n := testing.AllocsPerRun(3, draw); n > 15_000 {
			t.Errorf("%s: a frame takes %.0f allocations", name, n)
		}
	}
}
