package sanitize_test

import (
	"testing"

	"github.com/aloudchat/aloud/internal/sanitize"
)

func TestCutAndClip(t *testing.T) {
	for _, test := range []struct {
		text      string
		most      int
		cut, clip string
	}{
		{"", 0, "", ""}, {"word", 4, "word", "word"}, {"words", 4, "word", "word…"}, {"wörd", 2, "w", "w…"},
		{"wörd", 3, "wö", "wö…"}, {"界", 2, "", "…"}, {"w\xffrd", 4, "w\xffrd", "w\uFFFDrd"},
		{"w\xffrds", 4, "wrd", "wrd…"}, {"x", -1, "", "…"},
	} {
		if got := sanitize.Cut(test.text, test.most); got != test.cut {
			t.Errorf("%q cut to %d is %q", test.text, test.most, got)
		}
		if got := sanitize.Clip(test.text, test.most); got != test.clip {
			t.Errorf("%q clipped to %d is %q", test.text, test.most, got)
		}
	}
}
