package dialog

import (
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider"
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
			p := list{title: family, keys: []string{family}}
			p.set([]row{{Item: look.Item{Label: family, Detail: family}}})
			f := line{Text: family}
			for _, row := range append(p.View(width, 10, st), f.View(width, st)) {
				if got := method.StringWidth(row); got > max(width, 8) {
					t.Errorf("method %v: %q is %d cells wide, not %d", method, row, got, width)
				}
			}
		}
	}
}
