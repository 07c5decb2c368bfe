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

// formOf makes a form with one button.
func formOf(t *testing.T, schema string) *form {
	t.Helper()
	fields, err := elicit.Parse(json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	f := newForm(fields, button{name: "Send"})
	f.above = func(int, *look.Look) []string { return nil }
	f.keys = []string{"enter"}
	f.leave = func() tea.Cmd { return nil }
	return f
}

func TestPasteTooLong(t *testing.T) {
	f := formOf(t, `{"type":"object","properties":{"city":{"type":"string"}}}`)
	esc := tea.KeyPressMsg{Code: tea.KeyEscape}
	f.Update(tea.PasteMsg{Content: strings.Repeat("x", elicit.LongestTyped+1)})
	if done, _ := f.Update(esc); !done {
		t.Error("a form says that it holds what it did not take")
	}
	f.Update(tea.PasteMsg{Content: "Oslo"})
	if done, _ := f.Update(esc); done {
		t.Error("a form does not take a city")
	}
}

func TestFormKeys(t *testing.T) {
	f := formOf(t, `{"type":"object","properties":{"city":{"type":"string"},"sure":{"type":"boolean"},
		"days":{"type":"integer","default":314}}}`)
	st := look.New(nil)
	f.Update(tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift})
	for _, step := range []struct {
		key  rune
		mod  tea.KeyMod
		seen string
	}{
		{tea.KeyTab, 0, "› sure"}, {tea.KeyTab, 0, "314▏"}, {tea.KeyHome, 0, "▏314"}, {tea.KeyEnd, 0, "314▏"},
		{'a', tea.ModCtrl, "▏314"},
		{'e', tea.ModCtrl, "314▏"}, {tea.KeyTab, tea.ModShift, "› sure"}, {tea.KeyEnd, 0, "› Send"},
		{tea.KeyHome, 0, "› city"},
	} {
		f.Update(tea.KeyPressMsg{Code: step.key, Mod: step.mod})
		if seen := ansi.Strip(strings.Join(f.View(80, 20, &st), "\n")); !strings.Contains(seen, step.seen) {
			t.Errorf("after %c there is no %q:\n%s", step.key, step.seen, seen)
		}
	}
}
