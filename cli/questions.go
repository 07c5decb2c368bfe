package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"github.com/aloudchat/aloud/mcpclient/others"
	"github.com/aloudchat/aloud/sanitize"
)

// questions asks a person at a terminal, line by line.
type questions struct {
	terminal uintptr
	cancel   func() bool // ends a read that waits
	in       *bufio.Reader
	out      io.Writer
	last     string // what the last question was about
	stopped  bool   // somebody wants to leave
}

// newQuestions asks at standard input, which is a terminal. The closer gives it back.
func newQuestions(out io.Writer) (*questions, func()) {
	q := &questions{terminal: os.Stdin.Fd(), in: bufio.NewReader(os.Stdin), out: out, cancel: func() bool { return false }}
	end := func() {}
	// A read that nobody waits for any more would take the answers of the terminal away from whoever asks next. On Windows a reader that can
	// be called off takes echo and line editing away.
	if runtime.GOOS != "windows" {
		if r, err := cancelreader.NewReader(os.Stdin); err == nil {
			q.in, q.cancel, end = bufio.NewReader(r), r.Cancel, func() { r.Close() }
		}
	}
	return q, end
}

// about says on behalf of what is asked, once.
func (q *questions) about(what string) {
	if what != q.last && !q.stopped {
		fmt.Fprintln(q.out, what+" asks for:")
		q.last = what
	}
}

// ask waits for what read returns; false: nothing will come.
func (q *questions) ask(ctx context.Context, question string, read func() (string, error)) (string, bool) {
	if q.stopped = q.stopped || ctx.Err() != nil; q.stopped {
		return "", false
	}
	fmt.Fprint(q.out, question)
	type line struct {
		text string
		err  error
	}
	lines := make(chan line, 1)
	go func() {
		text, err := read()
		lines <- line{text, err}
	}()
	select {
	case l := <-lines:
		q.stopped = errors.Is(l.err, errStopped)
		text := strings.TrimRight(l.text, "\r\n")
		return text, l.err == nil || text != ""
	case <-ctx.Done():
		q.stopped = true
		fmt.Fprintln(q.out)
		if q.cancel() {
			<-lines
		}
		return "", false
	}
}

func (q *questions) line() (string, error) { return q.in.ReadString('\n') }

// yes asks until it gets one of the two answers; no answer is no.
func (q *questions) yes(ctx context.Context, question string) bool {
	for {
		text, ok := q.ask(ctx, question, q.line)
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "y", "yes":
			return true
		case "n", "no":
			return false
		}
		if !ok {
			return false
		}
		question = "Please write y or n: "
	}
}

// input asks for what a server needs. An empty answer takes the default; without one the question stays open, and false comes back.
func (q *questions) input(ctx context.Context, in others.Input) (string, bool) {
	question := sanitize.Line(in.Description)
	if question == "" {
		question = sanitize.Line(in.ID)
	}
	if in.Options != nil {
		question += " (" + sanitize.Line(strings.Join(in.Options, ", ")) + ")"
	}
	if in.Default != "" && !in.Password {
		question += " [" + sanitize.Line(in.Default) + "]"
	}
	for {
		ask := q.shown
		if in.Password {
			ask = q.hidden
		}
		text, ok := ask(ctx, question+": ")
		text = strings.TrimSpace(text)
		switch {
		case !ok || text == "" && in.Default == "":
			return "", false
		case text == "":
			return in.Default, true
		case in.Options == nil || slices.Contains(in.Options, text):
			return text, true
		}
		fmt.Fprintln(q.out, "Please write one of them, or nothing.")
	}
}

func (q *questions) shown(ctx context.Context, question string) (string, bool) {
	return q.ask(ctx, question, q.line)
}

// hidden asks for a line that is not shown. The terminal is raw until it returns, also when a read goes on that cannot be called off.
func (q *questions) hidden(ctx context.Context, question string) (string, bool) {
	before, err := term.MakeRaw(q.terminal)
	if err != nil {
		return "", false
	}
	defer func() {
		_ = term.Restore(q.terminal, before)
		fmt.Fprintln(q.out)
	}()
	return q.ask(ctx, question, q.secret)
}

// errStopped is a key that ends the program. On a raw terminal it comes as a character.
var errStopped = errors.New("stopped")

// secret reads a line from a raw terminal.
func (q *questions) secret() (string, error) {
	var text []rune
	for {
		r, _, err := q.in.ReadRune()
		if err != nil {
			return "", err
		}
		switch r {
		case '\r', '\n':
			return string(text), nil
		case 0x03, 0x04: // ctrl+c, ctrl+d
			return "", errStopped
		case 0x08, 0x7f:
			text = text[:max(len(text)-1, 0)]
		case 0x15: // ctrl+u
			text = nil
		default:
			text = append(text, r)
		}
	}
}
