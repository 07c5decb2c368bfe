package headless

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// input reads lines of any length.
type input struct {
	lines chan line // closed at the end
	err   error     // why lines was closed; nil at the end of the input
}

// line is a line of the input and the time when it was read.
type line struct {
	text string
	read time.Time
}

// linesAhead is how many lines are read ahead, to know when they were typed.
const linesAhead = 64

func readLines(r io.Reader) *input {
	in := &input{lines: make(chan line, linesAhead)}
	go func() {
		defer close(in.lines)
		br := bufio.NewReader(r)
		for {
			s, err := br.ReadString('\n')
			if s != "" {
				in.lines <- line{strings.TrimRight(s, "\r\n"), time.Now()}
			}
			if err != nil {
				// A closed standard input is an empty one.
				if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrInvalid) {
					in.err = err
				}
				return
			}
		}
	}()
	return in
}

// glance is the minimum time between showing a prompt and accepting a line as its answer.
const glance = 300 * time.Millisecond

// typed prints a prompt and returns the next line that was typed after ready, or false at the end of the input. Lines
// typed before become messages. If ready is zero, typed sets it to glance from now.
func (l *lines) typed(ctx context.Context, prompt string, ready *time.Time) (string, bool) {
	fmt.Fprint(l.Stderr, prompt)
	asked := time.Now()
	if ready.IsZero() {
		*ready = asked.Add(glance)
	}
	for {
		select {
		case line, ok := <-l.input.lines:
			if !ok || !line.read.Before(*ready) {
				return line.text, ok
			}
			l.ahead = append(l.ahead, line.text)
			if !line.read.Before(asked) { // the status line hides the prompt
				fmt.Fprint(l.Stderr, prompt)
			}
		case <-ctx.Done():
			return "", false
		}
	}
}
