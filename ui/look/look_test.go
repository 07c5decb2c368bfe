package look

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestFillKeepsBackgroundBehindColours(t *testing.T) {
	st := NewStyles(true)
	row := st.Code.Fill("a "+st.OK.Render("b")+" c", 8, ansi.WcWidth)
	if ansi.StringWidth(row) != 8 || ansi.Strip(row) != "a b c   " {
		t.Errorf("the row is %q", row)
	}
	back := st.Code.on
	if !strings.HasPrefix(row, back) || !strings.HasSuffix(row, "\x1b[m"+back+" c   \x1b[m") {
		t.Errorf("the background ends before the row: %q", row)
	}
	if row := MonoStyles().Code.Fill("a", 8, ansi.WcWidth); row != "a" {
		t.Errorf("without colours the row is %q", row)
	}
}
