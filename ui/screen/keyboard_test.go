//go:build unix

package screen

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/creack/pty"
)

// line is a terminal that sends its pieces one after the other, and nothing in the last hour.
type line struct {
	pieces []piece
	due    time.Time
}

// piece is what a line sends at once, after a pause.
type piece struct {
	pause time.Duration
	bytes string
}

func onLine(pieces []piece) *keys {
	return &keys{source: &line{pieces, time.Now()}, paste: paste{limit: 1000}}
}

func (l *line) arrives() time.Time {
	pause := time.Hour
	if len(l.pieces) > 0 {
		pause = l.pieces[0].pause
	}
	return l.due.Add(pause)
}

func (l *line) more(wait time.Duration) bool {
	left := time.Until(l.arrives())
	time.Sleep(min(wait, left))
	return left <= wait
}

func (l *line) Read(p []byte) (int, error) {
	time.Sleep(time.Until(l.arrives()))
	if len(l.pieces) == 0 {
		return 0, io.EOF
	}
	now := &l.pieces[0]
	n := copy(p, now.bytes)
	l.due = l.arrives()
	now.pause, now.bytes = 0, now.bytes[n:]
	if now.bytes == "" {
		l.pieces = l.pieces[1:]
	}
	return n, nil
}

// decoded returns what Bubble Tea's decoder makes of the pieces: letters as they are, and "<enter>", "<paste text>".
func decoded(t *testing.T, pieces ...piece) string {
	t.Helper()
	var b strings.Builder
	synctest.Test(t, func(t *testing.T) {
		reader := uv.NewTerminalReader(onLine(pieces), "xterm-256color")
		events := make(chan uv.Event)
		go func() {
			defer close(events)
			if err := reader.StreamEvents(context.WithoutCancel(t.Context()), events); err != nil {
				t.Error(err)
			}
		}()
		for event := range events {
			switch event := event.(type) {
			case uv.PasteStartEvent, uv.PasteEndEvent:
			case uv.PasteEvent:
				fmt.Fprintf(&b, "<paste %s>", event.Content)
			case uv.KeyPressEvent:
				if event.Text != "" {
					b.WriteString(event.Text)
				} else {
					fmt.Fprintf(&b, "<%s>", event)
				}
			default:
				fmt.Fprintf(&b, "<%T %v>", event, event)
			}
		}
	})
	return b.String()
}

const (
	begin = "\x1b[200~"
	end   = "\x1b[201~"
	enter = "\r"
)

// split returns the pieces of a text at the bars, with a pause before each.
func split(text string, pause time.Duration) (pieces []piece) {
	for part := range strings.SplitSeq(text, "|") {
		pieces = append(pieces, piece{pause, part})
	}
	return pieces
}

func TestSlowLine(t *testing.T) {
	for text, want := range map[string]string{
		begin + "text \x1b[20|1~then" + enter:              "<paste text >then<enter>",
		begin + "text \x1b|[201~then" + enter:              "<paste text >then<enter>",
		begin + "te|xt \x1b|[|2|0|1|~then" + enter:         "<paste text >then<enter>",
		"\x1b[20|0~one\rtwo\r" + end + enter:               "<paste one\rtwo\r><enter>",
		"\x1b[|200~one\rtwo\r" + end + enter:               "<paste one\rtwo\r><enter>",
		"\x1b[|A":                                          "<up>",
		"\x1b[<65;1|0;10M":                                 "<uv.MouseWheelEvent wheeldown>",
		"\x1b[<65;10;10|M":                                 "<uv.MouseWheelEvent wheeldown>",
		"\x1b]11;rgb:0000/|0000/0000\x1b|\\x":              "<uv.BackgroundColorEvent #000000>x",
		"\x1bO|P":                                          "<f1>",
		"\xe6\x97|\xa5":                                    "日",
		begin + "\xe6\x97|\xa5" + end:                      "<paste 日>",
		"\x1b[99;|5u":                                      "<ctrl+c>",
		"\x1b[|\x03":                                       "<ctrl+c>",
		"\x1b]11;rgb|\x03":                                 "<ctrl+c>",
		"\xe6|\x03":                                        "<ctrl+c>",
		begin + "a\x1b[31mred\x1b[0m \x1b]0;x\x1b" + end:   "<paste ared ]0;x>",
		begin + "a\x1b[31|mred\x1b[0m \x1b]0;x\x1b|" + end: "<paste ared ]0;x>",
	} {
		if got := decoded(t, split(text, 120*time.Millisecond)...); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

// The first escape of a slow line is the escape key at once. It teaches the reader that the line is slow.
func TestEscapeOnSlowLine(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b":                               "<esc>",
		"\x1b|x":                             "<esc>x",
		"\x1b|[":                             "<esc>[",
		"\x1b|[[note]] [1] [a":               "<esc>[[note]] [1] [a",
		"\x1b|[1] see":                       "<esc>[1] see",
		"\x1b|\x1b":                          "<esc><esc>",
		"\x1b\x1b":                           "<esc><esc>",
		"\x1b|[A|\x1b|[A|\x1b|x":             "<esc><up><up><alt+x>",
		"\x1b|[200~one\r" + end:              "<esc><paste one\r>",
		"\x1b|[<65;10;|10M|\x1b|[<65;10;10M": "<esc><uv.MouseWheelEvent wheeldown><uv.MouseWheelEvent wheeldown>",
		"\x1bq\x1bQ\x1b\r\x1b\x7f":           "<alt+q><alt+shift+q><alt+enter><alt+backspace>",
		"\x1b]\x1b_\x1bXa":                   "<alt+]><alt+_><alt+shift+x>a",
		"\x1b\x1b[A":                         "<alt+up>",
		"\x1b\x1b[|A":                        "<alt+up>",
		"\x1b[3$\x1b[23^":                    "<ctrl+f11>",
		"\x1bO":                              "<alt+shift+o>",
		"\x1b]":                              "<alt+]>",
		"\x1b]11;rgb":                        "",
		"a\xffb\x9bc\xef\xbf\xbdd":           "abcd",
	} {
		if got := decoded(t, split(text, 60*time.Millisecond)...); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

// What follows a paste without end is text, and only keys that are apart from it are keys.
func TestPasteWithoutEnd(t *testing.T) {
	const paste, later, soon = begin + "one\rtwo", 2 * time.Second, 300 * time.Millisecond
	for _, test := range []struct {
		want   string
		pieces []piece
	}{
		{"<paste one\rtwo>", nil},
		{"<paste one\rtwo><enter>", []piece{{later, enter}}},
		{"<paste one\rtwo><enter><enter>", []piece{{later, enter}, {soon * 2, enter}}},
		{"<paste one\rtwo><enter>x<enter>", []piece{{later, enter}, {later, "x" + enter}}},
		{"<paste one\rtwo><enter>", []piece{{soon * 2, enter}}},
		{"<paste one\rtwo\r>", []piece{{soon, enter}}},
		{"<paste one\rtwo><paste \rthree\r><enter>", []piece{{later, "\rthree\r"}, {later, enter}}},
		{"<paste one\rtwo><paste \r><paste three>", []piece{{later, enter}, {soon, "three"}}},
		{"<paste one\rtwo><paste three><paste \r>", []piece{{later, "three"}, {soon, enter}}},
		{"<paste one\rtwo><paste three\x04>x<enter>", []piece{{later, "three\x04"}, {soon, end}, {0, "x" + enter}}},
		{"<paste one\rtwo><paste x><backspace><up>", []piece{{later, "x"}, {soon, "\x7f"}, {soon, "\x1b[A"}}},
		{"<paste one\rtwo><ctrl+d>", []piece{{later, "\x04"}}},
		{"<paste one\rtwo><esc>", []piece{{later, "\x1b"}}},
		{"<paste one\rtwo><esc>", []piece{{soon, "\x1b"}}},
		{"<paste one\rtwo>x", []piece{{later, "\x1b"}, {soon / 6, "[201~"}, {later, "x"}}},
		{"<paste one\rtwo><ctrl+c>x<enter>", []piece{{soon, "\x03"}, {later, "x" + enter}}},
		{"<paste one\rtwo\x03><ctrl+c>", []piece{{soon, "\x03"}, {soon, "\x03"}}},
		{"<paste one\rtwo><ctrl+c>x<enter>", []piece{{later, "\x1b[99;5u"}, {later, "x" + enter}}},
		{"<paste one\rtwo\x03\rthree>", []piece{{0, "\x03\rthree"}}},
		{"<paste one\rtwo\x03\rthree>x", []piece{{soon, "\x03"}, {soon, "\rthree" + end}, {0, "x"}}},
		{"<paste one\rtwo><paste new>x<enter>", []piece{{later, begin + "new" + end + "x" + enter}}},
		{"<paste one\rtwo new>x", []piece{{soon, begin + " new" + end + "x"}}},
	} {
		if got := decoded(t, append([]piece{{0, paste}}, test.pieces...)...); got != test.want {
			t.Errorf("%v is %q, not %q", test.pieces, got, test.want)
		}
	}
}

func TestLongPaste(t *testing.T) {
	got := decoded(t, piece{0, begin + strings.Repeat("x", 5000) + end + "y"})
	if want := "<paste " + strings.Repeat("x", 1000) + pasteCut + ">y"; got != want {
		t.Errorf("got %d bytes, which end with %q", len(got), got[max(0, len(got)-100):])
	}
	got = decoded(t, piece{0, "\x1b[" + strings.Repeat("1", 2*longestSequence)}, piece{0, "A"})
	if got != strings.Repeat("1", longestSequence+2)+"A" { // "ESC [" is cut off with as many of them
		t.Errorf("of an endless sequence there is %q", got)
	}
}

// The end of a paste on a slow line is found by the program too.
func TestTypingAfterPasteOnSlowLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := split(begin+"text \x1b[20|1~typed|\x1b[<65;10;1|0M|\x03", 120*time.Millisecond)
		sent[0].pause = time.Second
		m, ctx := &page{}, t.Context()
		p := NewProgram(m, Terminal{In: onLine(sent), Out: &output{}, Width: 20, Height: 3,
			Colors: colorprofile.ASCII})
		done := make(chan error)
		go func() { done <- p.Run(ctx) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := "<text >typed<ctrl+c>"; m.text != want {
			t.Errorf("the program got %q, not %q", m.text, want)
		}
		p.Send(tea.Quit())
		if err := <-done; err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Hour) // the reader ends
	})
}

// All of a paste arrives through a terminal, and what follows it.
func TestPasteThroughTerminal(t *testing.T) {
	master, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer terminal.Close()
	keyboard := newKeyboard(terminal)
	restore, err := raw(keyboard, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = restore() }()
	input, err := uv.NewCancelReader(keyboard)
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	text := strings.Repeat("a line of 日本\r", 10_000)
	events, ended := make(chan uv.Event), make(chan error)
	go func() { ended <- uv.NewTerminalReader(input, "xterm-256color").StreamEvents(t.Context(), events) }()
	go func() { _, _ = io.WriteString(master, begin+text+end+"\x1b[A\x1b\x1b[Bx") }()
	var got []string
	for len(got) < 5 {
		switch event := (<-events).(type) {
		case uv.PasteEvent:
			got = append(got, event.Content)
		case uv.KeyPressEvent:
			got = append(got, event.String())
		}
		if len(got) == 4 {
			if _, err := io.WriteString(master, "\x1b"); err != nil {
				t.Fatal(err)
			}
		}
	}
	input.Cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if want := []string{text, "up", "alt+down", "x", "esc"}; !slices.Equal(got, want) {
		t.Errorf("after a text of %d bytes there is %q", len(got[0]), got[1:])
	}
}

// FuzzSplits checks that the bytes of a terminal mean the same, however they are split, and that ctrl+c works after all
// of them, also on a slow line.
func FuzzSplits(f *testing.F) {
	for _, seed := range []string{
		begin + "one\rtwo\x1b[31m 日本\x1b" + end + "a\r",
		"\x1b[A\x1b[1;5A\x1bOA\x1bOP\x1b[<0;10;10M\x1b[M !!\x1b[99;5u\x1b[27;5;99~",
		"\x1b]11;rgb:0/0/0\x1b\\\x1bP>|x\x1b\\\x1b_Gi=1;OK\x1b\\\x1b[?2026;2$y\x1b[?1u",
		"\x1bq\x1b\r\x1b\x1b[A\x1b\x1b\x1b[\x03\x1b]0",
		"\x1b[200\x1b[201~\x1b[[A\x1b[3$\x1b[3\x9b\xff\xf0\x9f\x91\xa9\u200d\U0001f469\x00\x7f",
		end + begin + begin + "\x03" + end,
	} {
		for _, cuts := range []uint64{1<<64 - 1, 0xaaaaaaaaaaaaaaaa, 0x123456789abcdef} {
			f.Add([]byte(seed), cuts)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, cuts uint64) {
		var pieces []piece
		from := 0
		for i := range data {
			if cuts>>(i%64)&1 == 1 {
				pieces = append(pieces, piece{0, string(data[from:i])})
				from = i
			}
		}
		pieces = append(pieces, piece{0, string(data[from:])})
		pieces = slices.DeleteFunc(pieces, func(p piece) bool { return p.bytes == "" })
		want, got := decoded(t, piece{0, string(data)}), decoded(t, pieces...)
		if got != want {
			t.Errorf("%q is %q as a whole, and %q in pieces", data, want, got)
		}
		for i := range pieces {
			pieces[i].pause = time.Duration(i%4) * 200 * time.Millisecond
		}
		if got := decoded(t, append(pieces, piece{2 * time.Second, "\x03"})...); !strings.HasSuffix(got, "<ctrl+c>") {
			t.Errorf("ctrl+c after %q is %q", data, got)
		}
	})
}
