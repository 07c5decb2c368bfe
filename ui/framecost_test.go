package ui

import (
	"slices"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

func TestADearFrameIsRare(t *testing.T) {
	for _, c := range []struct {
		width, height int
		row           string
		want          time.Duration
	}{
		{80, 24, "plain", 250 * time.Millisecond},
		{100, 30, "plain", 250 * time.Millisecond},
		{150, 40, "plain", 500 * time.Millisecond},
		{200, 60, "plain", 0},
		{80, 24, "\x1b[1mÜber › … ▌ ⠹ ✓ ─ é\x1b[m", 250 * time.Millisecond},
		{80, 24, "中", 0},
		{80, 24, "\x1b[2mtests 🎉\x1b[m", 0},
		{80, 24, "e\u0301", 250 * time.Millisecond},
		{80, 24, "\U0001F469\u200d\U0001F469", 0},
	} {
		var d frameCost
		rows := append(slices.Repeat([]string{"", "text"}, c.height/2-1), "", c.row)
		d.look(rows, c.width, ansi.WcWidth)
		d.look(rows, c.width, ansi.WcWidth)
		if got := d.every(); got != c.want {
			t.Errorf("%d by %d with %q: %v, not %v", c.width, c.height, c.row, got, c.want)
		}
		if rows[len(rows)-1] = "plain"; c.want == 0 && c.width == 80 {
			if d.look(rows, c.width, ansi.WcWidth); d.every() == 0 {
				t.Errorf("%q is gone, and frames are still dear", c.row)
			}
		}
	}
}

func BenchmarkDear(b *testing.B) {
	var d frameCost
	rows := slices.Repeat([]string{"\x1b[2mUsing Read File… · 4s · ✓\x1b[m some text that fills the row of a terminal more or less"}, 60)
	b.ReportAllocs()
	for b.Loop() {
		d.look(rows, 200, ansi.WcWidth)
	}
}
