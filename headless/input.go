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

const (
	// glance is the minimum time between showing a prompt and accepting a line as its answer.
	glance = 300 * time.Millisecond
	// alone is how long no other line may follow an answer. Lines in quick succession are pasted.
	alone = 250 * time.Millisecond
)

// typed prints a prompt and returns the next line that was typed after ready and that no other line follows, or false
// at the end of the input. Other lines become messages. If ready is zero, typed sets it to glance from now.
func (l *lines) typed(ctx context.Context, prompt string, ready *time.Time) (string, bool) {
	fmt.Fprint(l.Stderr, prompt)
	asked := time.Now()
	if ready.IsZero() {
		*ready = asked.Add(glance)
	}
	for {
		select {
		case first, ok := <-l.input.lines:
			switch {
			case !ok:
				return "", false
			case !first.read.Before(*ready):
				second, pasted := l.follows(ctx)
				if !pasted {
					return first.text, ctx.Err() == nil
				}
				l.keep(first.text, second)
				*ready = time.Now().Add(alone)
			default:
				l.ahead = append(l.ahead, first.text)
			}
			if !first.read.Before(asked) { // the status line hides the prompt
				fmt.Fprint(l.Stderr, prompt)
			}
		case <-ctx.Done():
			return "", false
		}
	}
}

// follows returns the next line if it comes too soon after the one before it to be typed. An empty line is enter that
// was pressed twice.
func (l *lines) follows(ctx context.Context) (text string, pasted bool) {
	select {
	case next, ok := <-l.input.lines:
		return next.text, ok && strings.TrimSpace(next.text) != ""
	case <-time.After(alone):
	case <-ctx.Done():
	}
	return "", false
}

// keep makes messages of lines that do not answer the question.
func (l *lines) keep(texts ...string) {
	l.ahead = append(l.ahead, texts...)
	fmt.Fprintln(l.Stderr, "Not an answer, so it becomes your next message. To answer, type one letter.")
}
