package status_test

import (
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/status"
)

func TestProgress(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		done, total float64
		message     string
		want        string // the text after the title
	}{
		{40, 120, "", "40/120"},
		{40, 0, "", "40"},
		{0, 120, "", "0/120"},
		{0.25, 1, "", "0.25/1"},
		{0.1 + 0.2, 1, "", "0.3/1"},
		{1.0 / 3, 1, "", "0.33/1"},
		{1e15, 0, "", "1e+15"},
		{1e308, 1e308, "", "1e+308/1e+308"},
		{math.SmallestNonzeroFloat64, 1, "", "0/1"},
		{math.Copysign(0, -1), 10, "", "0/10"},
		// invalid numbers are left out
		{130, 120, "", "130"},
		{0, 0, "", ""},
		{0, 0, "Gathering sources", "Gathering sources"},
		{-3, 120, "", ""},
		{-3, 120, "reading", "reading"},
		{nan, 120, "", ""},
		{40, nan, "", "40"},
		{inf, 120, "", ""},
		{40, inf, "", "40"},
		{40, -1, "", "40"},
		// messages
		{40, 120, "README.md", "40/120 · README.md"},
		{40, 0, "chapter 400", "40 · chapter 400"},
		{40, 0, "reading\nREADME", "40 · reading README"},
		{40, 120, "\x1b[2J\u202e", "40/120 · [2J"},
		{40, 120, strings.Repeat("long ", 2000), "40/120 · " + strings.Repeat("long ", 11) + "long…"},
		// the count is not repeated if the message contains it
		{40, 120, "40/120", "40/120"},
		{40, 120, "Read 40 of 120 files", "Read 40 of 120 files"},
		{40, 120, "Step 3 of 4", "40/120 · Step 3 of 4"},
		{40, 120, "index repository", "40/120"},
	} {
		want := "Using Index Repository…"
		if c.want != "" {
			want = "Index Repository · " + c.want
		}
		w := status.Using("Index Repository").With(mcpclient.Progress{Done: c.done, Total: c.total, Message: c.message})
		if got := (status.State{Phase: status.UsingTool, Work: w}).Words(); got != want {
			t.Errorf("%v of %v, %.40q: %q, want %q", c.done, c.total, c.message, got, want)
		}
	}
}

func FuzzProgress(f *testing.F) {
	f.Add("Index Repository", 40.0, 120.0, "40 of 120")
	f.Add("T", 0.1, -1.0, strings.Repeat("長", 500))
	f.Add("İ", 1.0, 1.0, "i̇: x\xff")
	f.Fuzz(func(t *testing.T, title string, done, total float64, message string) {
		title = mcpclient.Title(title, "x")
		work := status.Using(title).With(mcpclient.Progress{Done: done, Total: total, Message: message})
		got := strings.TrimPrefix((status.State{Phase: status.UsingTool, Work: work}).Words(), "Using ")
		if !strings.HasPrefix(got, title) || sanitize.Line(got) != got {
			t.Errorf("%q is no safe line of %q", got, title)
		}
		if w := ansi.StringWidthWc(got); w > 40+3+33+3+60 {
			t.Errorf("%q has %d cells", got, w)
		}
		if strings.Contains(got[len(title):], "NaN") && !strings.Contains(message, "NaN") {
			t.Errorf("%q has an invalid number", got)
		}
	})
}
