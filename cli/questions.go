package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// await returns the result of read, or false if ctx ends first. A blocked read cannot be cancelled and then continues
// until the program ends.
func await[T any](ctx context.Context, read func() T) (T, bool) {
	result := make(chan T, 1)
	go func() { result <- read() }()
	select {
	case got := <-result:
		return got, true
	case <-ctx.Done():
		var none T
		return none, false
	}
}

// prompter asks on standard input, which must be a terminal.
type prompter struct {
	in  *bufio.Reader
	out io.Writer
}

func newPrompter(out io.Writer) *prompter { return &prompter{bufio.NewReader(os.Stdin), out} }

// ask returns the line that is typed, or false at the end of the input.
func (q *prompter) ask(ctx context.Context, question string) (string, bool) {
	fmt.Fprint(q.out, question)
	text, ok := await(ctx, func() string {
		text, _ := q.in.ReadString('\n') // at the end of the input it has no newline
		return text
	})
	if !ok {
		fmt.Fprintln(q.out)
	}
	return strings.TrimRight(text, "\r\n"), text != ""
}

// yes asks a question and reports whether the answer is yes.
func (q *prompter) yes(ctx context.Context, question string) bool {
	answer, _ := q.ask(ctx, question+"[y]es or [n]o: ")
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
