package sanitize_test

import (
	"testing"

	"github.com/aloudchat/aloud/sanitize"
)

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"", 0, ""}, {"word", 4, "word"}, {"words", 4, "word"}, {"wörd", 2, "w"}, {"wörd", 3, "wö"},
		{"界", 2, ""}, {"w\xff", 4, "w\xff"}, {"w\xffrds", 4, "wrd"}, {"x", -1, ""},
	} {
		if got := sanitize.Cut(test.text, test.most); got != test.want {
			t.Errorf("%q to %d is %q", test.text, test.most, got)
		}
	}
}

func TestClip(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"", 0, ""}, {"word", 4, "word"}, {"words", 4, "word…"}, {"wörd", 2, "w…"},
		{"w\xffrd", 4, "w\uFFFDrd"}, {"w\xffrds", 4, "wrd…"},
	} {
		if got := sanitize.Clip(test.text, test.most); got != test.want {
			t.Errorf("%q to %d is %q", test.text, test.most, got)
		}
	}
}
