package dialog

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/look"
)

// fruits returns a list with two groups.
func fruits() *list {
	l := &list{title: "Fruits", filter: "type to filter", enter: "to eat"}
	named := func(name, of string) row { return row{id: name, of: of, Item: look.Item{Label: name, Depth: 1}} }
	head := func(name string) row { return row{Item: look.Item{Label: name, Heading: true}} }
	l.set([]row{head("Red"), named("cherry", "Red"), named("strawberry", "Red"), head("Blue"), named("plum", "Blue"),
		named("berry", "Blue")})
	return l
}

// press presses keys and returns the name of the chosen row.
func press(l *list, keys ...string) string {
	for _, key := range keys {
		k := tea.KeyPressMsg{Text: key}
		switch key {
		case "up":
			k = tea.KeyPressMsg{Code: tea.KeyUp}
		case "down":
			k = tea.KeyPressMsg{Code: tea.KeyDown}
		case "home":
			k = tea.KeyPressMsg{Code: tea.KeyHome}
		case "end":
			k = tea.KeyPressMsg{Code: tea.KeyEnd}
		case "esc":
			k = tea.KeyPressMsg{Code: tea.KeyEscape}
		}
		l.Update(k)
	}
	if i := l.chosen(); i >= 0 {
		return l.rows[i].Label
	}
	return ""
}

func TestCursorSkipsHeadings(t *testing.T) {
	l := fruits()
	for _, step := range [][2]string{
		{"", "cherry"}, {"up", "cherry"}, {"down", "strawberry"}, {"down", "plum"}, {"up", "strawberry"}, {"end", "berry"},
		{"down", "berry"}, {"home", "cherry"},
	} {
		if got := press(l, step[0]); got != step[1] {
			t.Errorf("after %q the cursor is on %q, not on %q", step[0], got, step[1])
		}
	}
}

func TestKeysOfActionsWriteTheFilterOfKeyedList(t *testing.T) {
	l, ran := fruits(), ""
	run := func(key string) act {
		return act{key, "to run", func(int) tea.Cmd { ran += key; return nil }}
	}
	l.keyed, l.acts = true, []act{run("space"), run("r"), run("right")}
	for _, key := range []string{"/", "r", " ", "b"} {
		l.Update(tea.KeyPressMsg{Code: rune(key[0]), Text: key})
	}
	l.Update(tea.KeyPressMsg{Code: tea.KeyRight})
	if ran != "" || l.typed.Text != "r b" {
		t.Errorf("%q ran, and the filter is %q", ran, l.typed.Text)
	}
	l.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	l.Update(tea.KeyPressMsg{Code: ' ', Text: " "})
	if ran != "space" || l.typed.Text != "r b" {
		t.Errorf("%q ran after enter, and the filter is %q", ran, l.typed.Text)
	}
}

func TestBestMatchIsFirstWithoutGroups(t *testing.T) {
	l := fruits()
	if got := press(l, "b", "e", "r", "r"); got != "berry" {
		t.Errorf("the cursor is on %q", got)
	}
	st := look.New(nil)
	got := ansi.Strip(strings.Join(l.View(40, 20, &st), "\n"))
	if want := "› berry         Blue\n  strawberry    Red\n"; !strings.Contains(got, want) {
		t.Errorf("the list is\n%s\nnot\n%s", got, want)
	}
	if got := press(l, "esc"); got != "berry" {
		t.Errorf("without a filter the cursor is on %q", got)
	}
}

func TestCursorStaysOnRowOfFilteredListThatChanges(t *testing.T) {
	l := fruits()
	name := press(l, "r", "r", "down")
	l.set(append([]row{{Item: look.Item{Label: "rrr"}}}, l.given...))
	if got := press(l, ""); got != name {
		t.Errorf("the cursor was on %q and is on %q", name, got)
	}
	l.set(l.given[:1])
	if got := press(l, ""); got != "rrr" {
		t.Errorf("without its row, the cursor is on %q", got)
	}
}

func TestMatchedLettersAreUnderlined(t *testing.T) {
	st := look.New(nil)
	for _, test := range []struct{ label, typed, want string }{
		{"qwen3:8b", "qw8", "<qw>en3:<8>b"},
		{"日本語モデル", "語", "日本<語>モデル"},
		{"cafe\u0301", "e", "caf<e\u0301>"},
		{"a\x1b[31mbc", "c", "a[31mb<c>"},
		{strings.Repeat("long", 20), "g", "lon<g>" + strings.Repeat("long", 6) + "lon…"},
	} {
		l := &list{filter: "type to filter"}
		l.set([]row{{Item: look.Item{Label: test.label}}})
		for _, r := range test.typed {
			press(l, string(r))
		}
		rows := l.draw(38, 5, &st)
		got := strings.NewReplacer("\x1b[4m", "<", "\x1b[24m", ">").Replace(rows[0])
		if got = strings.TrimPrefix(ansi.Strip(got), "› "); got != test.want {
			t.Errorf("%q in %q is drawn as %q, not %q", test.typed, test.label, got, test.want)
		}
	}
}

func TestHintsKeepActionsOnNarrowScreens(t *testing.T) {
	l := &list{filter: "type to filter", enter: "for details",
		acts: []act{{key: "space", does: "on/off"}, {key: "ctrl+r", does: "to restart"}}}
	l.set([]row{{Item: look.Item{Label: "files"}}})
	st := look.New(nil)
	for width, want := range map[int]string{
		80: "enter for details · space on/off · ctrl+r to restart · esc to close",
		60: "enter for details · space on/off · ctrl+r to restart · esc",
		45: "space on/off · ctrl+r to restart · esc", 30: "space on/off · esc", 15: "enter · esc",
	} {
		rows := l.View(width, 20, &st)
		if got := strings.TrimSpace(ansi.Strip(rows[len(rows)-1])); got != want {
			t.Errorf("at %d columns the hint is %q, not %q", width, got, want)
		}
	}
}

// BenchmarkKeyInListOf10000 answers a key and draws the list.
func BenchmarkKeyInListOf10000(b *testing.B) {
	rows := make([]row, 10_000)
	for i := range rows {
		rows[i].Item = look.Item{Label: fmt.Sprintf("family/model-%d:%db", i, i%70), Detail: "8.2B · tools, thinking"}
	}
	st := look.New(nil)
	for _, keys := range [][]string{{"down", "up"}, {"m", "esc"}} {
		b.Run(keys[0], func(b *testing.B) {
			l := &list{filter: "type to filter"}
			l.set(rows)
			for i := 0; b.Loop(); i++ {
				press(l, keys[i%2])
				l.View(100, 30, &st)
			}
		})
	}
}
