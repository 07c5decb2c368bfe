package look

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestInsetKeepsBackgroundOverMargins(t *testing.T) {
	s := NewStyles(true)
	row := s.Question.Fill(s.User.Render("▌")+" why?", 20, ansi.WcWidth)
	if got, want := s.Inset(row, 2), s.Question.Fill("  "+s.User.Render("▌")+" why?", 24, ansi.WcWidth); got != want {
		t.Errorf("a filled row is %q, want %q", got, want)
	}
	for _, row := range []string{"", "plain", s.Dim.Render("dim")} {
		want := "  " + row
		if row == "" {
			want = ""
		}
		if got := s.Inset(row, 2); got != want {
			t.Errorf("Inset(%q) = %q, want %q", row, got, want)
		}
	}
	if row := MonoStyles().Inset("plain", 2); row != "  plain" {
		t.Errorf("without colours a row is %q", row)
	}
}
