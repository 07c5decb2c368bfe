package composer

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/ui/look"
)

// FuzzDraft checks that Take returns the text that was put in, and which parts were not typed.
func FuzzDraft(f *testing.F) {
	f.Add("see this: ", strings.Repeat("log\n", 30), " and that")
	f.Add("", "x", "")
	f.Add("a\r\nb\tc\x1b[31m", "[Pasted text #1 · 1 characters]", "é\u202e")
	f.Fuzz(func(t *testing.T, before, pasted, after string) {
		plain := func(text string) string {
			plain := strings.NewReplacer("\r\n", "\n", "\r", "\n")
			return sanitize.Text(plain.Replace(strings.ToValidUTF8(text, "")))
		}
		before, pasted, after = plain(before), plain(pasted), plain(after)
		if len(before)+len(after) > 4000 || strings.Contains(before+after, "[Pasted") {
			return // text in the form of a chip is treated as one
		}
		in := attach.Input{Text: before + pasted + after}
		if pasted != "" {
			in.Foreign = []attach.Span{{From: len(before), Until: len(before) + len(pasted)}}
		}
		p := New(nil, nil, look.NewStyles(true))
		p.Set(in)
		if got := p.input(); got.Text != in.Text || !slices.Equal(got.Foreign, in.Foreign) {
			t.Fatalf("%+q became %+q", in.Text, got.Text)
		}
		if got := p.Take(); got.Text != in.Trim().Text || !p.Empty() {
			t.Errorf("%+q was taken as %+q", in.Text, got.Text)
		}
	})
}

func TestHugeHistoryEntryIsChip(t *testing.T) {
	p := New(nil, nil, look.NewStyles(true))
	p.Resize(80, 5)
	long := strings.Repeat("word ", 10_000)
	p.Set(attach.Typed(long))
	if p.Value() != "[Pasted text #1 · 50,000 characters]" || p.input().Text != long {
		t.Errorf("%.80q", p.Value())
	}
	p.Key(tea.KeyPressMsg{Code: tea.KeyBackspace})
	if !p.Empty() {
		t.Errorf("%q is left", p.Value())
	}
}

func TestChipLabelInsideChip(t *testing.T) {
	p := New(nil, nil, look.NewStyles(true))
	p.Resize(80, 5)
	long := func(text string) string { return strings.Repeat(text+"\n", 30) }
	p.Paste(long("[Pasted text #2 · 30 lines]"))
	p.Paste(long("second"))
	in := p.input()
	if in.Text != long("[Pasted text #2 · 30 lines]")+long("second") || len(in.Foreign) != 2 {
		t.Errorf("%.80q, %v", in.Text, in.Foreign)
	}
}
func TestHistoryFileIsTrimmed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	for i := range 2 * historyLength {
		if err := AppendHistory(file, attach.Typed(fmt.Sprint("entry ", i)), ""); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		entries, err := ReadHistory(file)
		if err != nil || len(entries) != historyLength || entries[0].Text != "entry 1000" {
			t.Fatalf("%d entries from %q, %v", len(entries), entries[0].Text, err)
		}
	}
	private := func(info os.FileInfo) bool { return runtime.GOOS == "windows" || info.Mode().Perm() == 0o600 }
	if info, err := os.Stat(file); err != nil || !private(info) || info.Size() > 40_000 {
		t.Errorf("the file is %v, %v", info, err)
	}
}

// Tabs matter in a Makefile and in a table. The editor draws them four columns wide and deletes them at once.
func TestPastedTabsStay(t *testing.T) {
	p := New(nil, nil, look.NewStyles(true))
	p.Resize(40, 5)
	p.Paste("all:\n\tgo build\n\t\tx\ty")
	rows, cursor := p.View()
	want := []string{"› all:", "      go build", "          x    y"}
	for i := range rows {
		if got := strings.TrimRight(ansi.Strip(rows[i]), " "); i >= len(want) || got != want[i] {
			t.Errorf("row %d is %q", i, got)
		}
	}
	if cursor == nil || cursor.X != 16 {
		t.Errorf("the cursor is at %+v", cursor)
	}
	for range 2 {
		p.Key(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	p.Key(tea.KeyPressMsg{Code: 'z', Text: "z"})
	if got := p.Value(); got != "all:\n\tgo build\n\t\txz" {
		t.Errorf("it holds %q", got)
	}
	if got := p.Take().Text; got != "all:\n\tgo build\n\t\txz" {
		t.Errorf("it sends %q", got)
	}
}

// A draft that needs more rows than fit is scrolled to the cursor, also after it was wrapped again.
func TestCursorInViewAfterResize(t *testing.T) {
	p := New(nil, nil, look.NewStyles(true))
	p.Resize(200, 16)
	p.Paste(strings.Repeat("word ", 120))
	p.Resize(40, 5)
	if rows, cursor := p.View(); cursor.Y >= len(rows) {
		t.Errorf("the cursor is in row %d of %d", cursor.Y, len(rows))
	}
}

// noOffers is a source of nothing.
type noOffers struct{ attach.Source }

func (noOffers) Prompts() []mcpclient.Prompt     { return nil }
func (noOffers) Resources() []mcpclient.Resource { return nil }

func TestSearchStaysWhenServersChange(t *testing.T) {
	p := New(nil, noOffers{}, look.NewStyles(true))
	p.Resize(40, 5)
	p.Remember([]Earlier{{Text: "plan the day"}, {Text: "explain it"}})
	p.press(t, "draft")
	p.Search()
	p.press(t, "plan")
	p.Refresh()
	if n := p.Listed(); n != 1 {
		t.Errorf("%d are listed", n)
	}
	if p.Complete() || p.Value() != "plan the day" {
		t.Errorf("it chose %q", p.Value())
	}
}
