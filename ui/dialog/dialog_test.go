package dialog

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/look"
)

func TestSentence(t *testing.T) {
	for want, err := range map[string]error{
		"The disk is full.":       errors.New("the disk is full"),
		"错误：没有文件.":                errors.New("错误：没有文件"),
		"Übertragen wird nichts.": errors.New("übertragen wird nichts"),
		"It is gone. Éteignez.":   &provider.Error{Text: "it is gone", Hint: "éteignez"},
		".":                       errors.New(""),
	} {
		if got := Sentence(err); got != want {
			t.Errorf("%q became %q", want, got)
		}
	}
}

func TestRowsFitWidthMethods(t *testing.T) {
	family := strings.Repeat("👩‍👩‍👧 日本 e\u0301 ", 10)
	for _, method := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
		st := &look.Look{Styles: look.NewStyles(true), Method: method}
		for width := 1; width < 60; width++ {
			p := list{title: family, filter: family, enter: family, typed: line{Text: "本e"}}
			p.set([]row{{Item: look.Item{Label: family, Detail: family}}, {Item: look.Item{Label: family, Heading: true}}})
			f := line{Text: family}
			for _, row := range append(p.View(width, 10, st), f.View(width, st)) {
				if got := method.StringWidth(row); got > max(width, 8) {
					t.Errorf("method %v: %q is %d cells wide, not %d", method, row, got, width)
				}
			}
		}
	}
}

// TestSmallestApprovalCanBeAllowed checks the smallest screen while another dialog waits.
func TestSmallestApprovalCanBeAllowed(t *testing.T) {
	const width, height = 20, 3 // rows of a dialog on a screen of 5
	st := look.New(nil)
	var s Stack
	call := event.ToolCall{
		Title: "Write File", Server: "files", Arguments: []byte(`{"path": "a.txt", "content": "1\n2\n3"}`),
	}
	s.Open(NewApproval(event.Asked{Call: call}, "", t, func(event.Decision) tea.Msg { return nil }))
	s.Open(newText("Waits", func(int, *look.Look) []string { return nil }))
	s.View(width, height, &st)
	if done, _ := s.Top().Update(tea.KeyPressMsg{Code: 'y', Text: "y"}); done {
		t.Error("a call was allowed whose end was not on the screen")
	}
	for range 20 {
		s.Top().Update(tea.KeyPressMsg{Code: tea.KeyPgDown})
		s.View(width, height, &st)
	}
	if done, _ := s.Top().Update(tea.KeyPressMsg{Code: 'y', Text: "y"}); !done {
		t.Errorf("the call cannot be allowed:\n%s", strings.Join(s.View(width, height, &st), "\n"))
	}
}
