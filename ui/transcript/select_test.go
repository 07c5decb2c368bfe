package transcript

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider/event"
)

// reversed returns the reversed cells of the view.
func reversed(t *Transcript) string {
	var b strings.Builder
	for _, row := range t.View() {
		text := ""
		for _, c := range cellsOf(row, ansi.GraphemeWidth).Line(0) {
			if c.Style.Attrs&(1<<5) != 0 {
				text += c.Content
			}
		}
		if text != "" {
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

// whereIs returns the cell of the view where a text begins.
func whereIs(t *testing.T, v *Transcript, text string) (x, y int) {
	t.Helper()
	for y, row := range v.View() {
		if before, _, ok := strings.Cut(ansi.Strip(row), text); ok {
			return ansi.StringWidth(before), y
		}
	}
	t.Fatalf("%q is not in the view:\n%s", text, ansi.Strip(strings.Join(v.View(), "\n")))
	return 0, 0
}

func TestSelectedTextHasNoFrames(t *testing.T) {
	address := "https://e.org/" + strings.Repeat("abc/", 10)
	long := "one two three four five six seven eight nine ten eleven twelve thirteen"
	tool := newToolEntry(event.ToolCall{Title: "Read File", Result: "a\n  b\n\tc\n", Status: event.CallOK})
	details := New()
	details.look.Details = true
	for name, test := range map[string]struct {
		entry       entry
		from, until string // where the words begin, and the last letter
		want        string
	}{
		"a part of a row":   {storedReply("one two three", false), "two", "wo", "tw"},
		"backwards":         {storedReply("one two three", false), "three", "wo", "wo t"},
		"wide letters":      {storedReply("中文字中文", false), "文字", "字", "文字"},
		"a wrapped row":     {storedReply(long, false), "one", "thirteen", long[:len(long)-7]},
		"a list":            {storedReply("- one\n- two\n", false), "•", "two", "• one\n• t"},
		"wrapped in a list": {storedReply("- "+long+"\n- b\n", false), "one", "• b", long + "\n•"},
		"wrapped markup": {storedReply(strings.Replace(long, "six", "**six**", 1), false), "one", "twelve",
			strings.TrimSuffix(long, "welve thirteen")},
		"a long address": {storedReply(address+"x", false), "https", "x", address + "x"},
		"two paragraphs": {storedReply("one\n\ntwo", false), "one", "two", "one\n\nt"},
		"code": {storedReply("```\nif a {\n\treturn\n}\n```", false), "if a", "}",
			"if a {\n    return\n}"},
		"wrapped code":    {storedReply("```\n"+long+"\nend\n```", false), "one", "end", long + "\ne"},
		"your message":    {newUserEntry(asked(long + "\nend")), "one", "end", long + "\ne"},
		"from the margin": {newUserEntry(asked("one\ntwo")), "▌ one", "two", "one\nt"},
		"a thought":       {storedThought("one\n\ntwo", -1), "one", "two", "one\n\nt"},
		"a result":        {tool, "Read", "c", "Read File                           0s\na\n  b\n    c"},
		"lines that fill": {storedReply("```\n"+strings.Repeat("x", 36)+"\nyyy\n```", false), "xx", "yyy",
			strings.Repeat("x", 36) + "\ny"},
		"poem": {newNoticeEntry(Info, "roses are\nred"), "roses", "red", "roses are\nr"},
		"after a wide row": {newUserEntry(asked(strings.Repeat("z", 30) + "\n\nend")), "zz", "end",
			strings.Repeat("z", 30) + "\n\ne"},
	} {
		v := New()
		v.Restyle(details.look)
		v.Resize(44, 20)
		v.add(test.entry)
		x, y := whereIs(t, v, test.from)
		if !v.Press(x, y, 1) {
			t.Errorf("%s: there is no row", name)
		}
		v.Drag(x, y, false)
		x, y = whereIs(t, v, test.until)
		v.Drag(x, y, false)
		if got := v.Selected(); got != test.want {
			t.Errorf("%s: selected\n%q\nwant\n%q\n%s", name, got, test.want, ansi.Strip(strings.Join(v.View(), "\n")))
		}
	}
}

// A wide letter is selected as a whole, from either half and in either direction.
func TestSelectionBeginsInSecondHalfOfWideLetter(t *testing.T) {
	v := New()
	v.Resize(44, 20)
	v.add(storedReply("中文字中文", false))
	x, y := whereIs(t, v, "文字")
	for _, ends := range [][2]int{{x + 1, x + 2}, {x + 1, x + 3}, {x + 3, x + 1}, {x + 2, x + 1}, {x, x + 2}} {
		v.Press(ends[0], y, 1)
		v.Drag(ends[1], y, false)
		if got, shown := v.Selected(), reversed(v); got != "文字" || shown != "文字\n" {
			t.Errorf("from cell %d to %d, %q is selected and %q reversed", ends[0]-x, ends[1]-x, got, shown)
		}
	}
}

// The pictures of a result come above what follows the call, which stays selected and found.
func TestSelectionAndMatchStayWithTheirText(t *testing.T) {
	v := New()
	v.Resize(60, 20)
	call := newToolEntry(event.ToolCall{Title: "Draw", Status: event.CallOK})
	v.add(call)
	v.add(storedReply("one two", false))
	v.add(storedReply("three four", false))
	x, y := whereIs(t, v, "two")
	v.Press(x, y, 1)
	v.Drag(x+2, y, false)
	v.illustrate(call, [][]byte{[]byte("no image")})
	if got, shown := v.Selected(), reversed(v); got != "two" || shown != "two\n" {
		t.Errorf("%q is selected and %q reversed", got, shown)
	}
	v.Unselect()
	v.Find("three")
	v.illustrate(call, [][]byte{[]byte("no image")})
	if got := marksOf(v); got != "{three} four" {
		t.Errorf("the match is marked %q", got)
	}
}

func TestSelectionIsReversed(t *testing.T) {
	v := New()
	v.Resize(60, 10)
	v.add(newUserEntry(asked("hello there")))
	v.add(storedReply("one *two* three\n\nfour", false))
	x, y := whereIs(t, v, "there")
	v.Press(x, y, 1)
	if reversed(v) != "" || v.Selected() != "" {
		t.Errorf("a click selects %q", v.Selected())
	}
	x, y = whereIs(t, v, "three")
	v.Drag(x, y, false)
	if want := "there\none two t\n"; reversed(v) != want {
		t.Errorf("%q is reversed, not %q", reversed(v), want)
	}
	v.Resize(30, 10)
	if reversed(v) != "" {
		t.Errorf("%q is reversed at another width", reversed(v))
	}
}

func TestClicksSelectWordAndRow(t *testing.T) {
	v := New()
	v.Resize(60, 10)
	v.add(storedReply("see (src/main.go:12) and `go test` 中文。", false))
	for clicks, want := range map[int]string{1: "", 2: "src/main.go", 3: "see (src/main.go:12) and go test 中文。"} {
		x, y := whereIs(t, v, "main")
		v.Press(x, y, clicks)
		if got := v.Selected(); got != want {
			t.Errorf("%d clicks select %q, not %q", clicks, got, want)
		}
	}
	if v.Press(3, 8, 2) || v.Selected() != "" {
		t.Error("a click below the text selects something")
	}
}

// Dragging to the first row or below the view scrolls, and selects what comes into view.
func TestDragAtEdgeScrolls(t *testing.T) {
	v := turnsOf(3, 60, 10)
	x, y := whereIs(t, v, "The apple of 2")
	v.Press(x, y, 1)
	if !v.Drag(2, 0, false) {
		t.Error("there is nothing above")
	}
	n := 0
	for v.Drag(2, 0, true) {
		n++
	}
	if got := v.Selected(); !strings.HasPrefix(got, "question 0\n\nAnswer 0.\n") || !strings.HasSuffix(got, "\n\nT") {
		t.Errorf("after %d rows, selected %q", n, got)
	}
	for v.Drag(2, 10, true) {
		n--
	}
	if n != 0 || !v.Following() {
		t.Errorf("the end is %d rows away", n)
	}
}

func TestSelectionEndsWithItsText(t *testing.T) {
	for name, end := range map[string]func(*Transcript){
		"clear": (*Transcript).Clear, "take back": (*Transcript).TakeBack,
		"remove": func(v *Transcript) { v.remove(v.entries[2:]) },
		"look":   func(v *Transcript) { v.Restyle(v.look) },
	} {
		v := turnsOf(3, 60, 10)
		v.Press(3, 2, 1)
		v.Drag(9, 5, false)
		end(v)
		v.Drag(9, 1, true)
		if v.Selected() != "" || reversed(v) != "" {
			t.Errorf("%s: %q is still selected", name, v.Selected())
		}
	}
}
