package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/aloudchat/aloud/mcpclient/others"
	"github.com/aloudchat/aloud/sanitize"
)

// questions asks a person at a terminal, line by line.
type questions struct {
	in  *bufio.Reader
	out io.Writer
}

// line waits for a line; false: none will come. A read cannot be called off, so it is left behind when ctx ends, as the program does then.
func (q *questions) line(ctx context.Context, read func() (string, error)) (string, bool) {
	if ctx.Err() != nil {
		return "", false
	}
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
		text := strings.TrimRight(l.text, "\r\n")
		return text, l.err == nil || text != ""
	case <-ctx.Done():
		fmt.Fprintln(q.out)
		return "", false
	}
}

// yes asks until it gets one of the two answers; no answer is no.
func (q *questions) yes(ctx context.Context, question string) bool {
	for {
		fmt.Fprint(q.out, question)
		text, ok := q.line(ctx, func() (string, error) { return q.in.ReadString('\n') })
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
		fmt.Fprint(q.out, question+": ")
		text, ok := q.answer(ctx, in.Password)
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

// answer reads a line, without showing it when it must stay secret.
func (q *questions) answer(ctx context.Context, hidden bool) (string, bool) {
	if !hidden {
		return q.line(ctx, func() (string, error) { return q.in.ReadString('\n') })
	}
	before, err := term.GetState(os.Stdin.Fd())
	if err != nil {
		return "", false
	}
	defer term.Restore(os.Stdin.Fd(), before) // also when the wait was called off
	text, ok := q.line(ctx, func() (string, error) {
		b, err := term.ReadPassword(os.Stdin.Fd())
		return string(b), err
	})
	fmt.Fprintln(q.out)
	return text, ok
}
