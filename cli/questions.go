package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/muesli/cancelreader"
)

// questions asks at a terminal, line by line.
type questions struct {
	cancel  func() bool // ends a read that waits
	in      *bufio.Reader
	out     io.Writer
	stopped bool // the program is to end
}

// newQuestions asks at standard input, which must be a terminal, until the returned function is called.
func newQuestions(out io.Writer) (*questions, func()) {
	q := &questions{in: bufio.NewReader(os.Stdin), out: out, cancel: func() bool { return false }}
	end := func() {}
	// An abandoned read would take the answers away from the next reader of the terminal. On Windows a reader that can
	// be cancelled turns off echo and line editing.
	if runtime.GOOS != "windows" {
		if r, err := cancelreader.NewReader(os.Stdin); err == nil {
			q.in, q.cancel, end = bufio.NewReader(r), r.Cancel, func() { r.Close() }
		}
	}
	return q, end
}

// ask returns the line that is typed; false if none will come.
func (q *questions) ask(ctx context.Context, question string) (string, bool) {
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
		text, err := q.in.ReadString('\n')
		lines <- line{text, err}
	}()
	select {
	case l := <-lines:
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

// yes asks until it gets one of the two answers; no answer is no.
func (q *questions) yes(ctx context.Context, question string) bool {
	for {
		text, ok := q.ask(ctx, question)
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
