package ui

import (
	"errors"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

func TestAnErrorIsASentence(t *testing.T) {
	for want, err := range map[string]error{
		"The disk is full.":       errors.New("the disk is full"),
		"错误：没有文件.":                errors.New("错误：没有文件"),
		"Übertragen wird nichts.": errors.New("übertragen wird nichts"),
		"It is gone. Éteignez.":   &provider.Error{Text: "it is gone", Hint: "éteignez"},
		".":                       errors.New(""),
	} {
		if got := sentence(err); got != want {
			t.Errorf("%q became %q", want, got)
		}
	}
}
