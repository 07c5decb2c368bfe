package headless

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"
	"time"
)

// input hands out lines of any length.
type input struct {
	lines chan line // closed at the end
	err   error     // why there are no more, nil at the end; to be read when lines is closed
}

// line is a line of the input, and when it came.
type line struct {
	text string
	read time.Time
}

// linesAhead is how many lines are read before they are wanted, so that their times are those at which they were typed.
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
				// A process without standard input has no more to say than one with an empty one.
				if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrInvalid) {
					in.err = err
				}
				return
			}
		}
	}()
	return in
}
