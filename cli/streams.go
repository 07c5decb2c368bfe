package cli

import (
	"fmt"
	"os"
	"strconv"

	"github.com/charmbracelet/x/term"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

// plain reports whether output is line by line: with --plain, on a dumb terminal, and for screen readers. Other
// programs read ACCESSIBLE too: any value but a false one.
func plain(f flags) bool {
	accessible := os.Getenv("ACCESSIBLE")
	isOn, err := strconv.ParseBool(accessible)
	return f.plain || os.Getenv("TERM") == "dumb" || isOn || accessible != "" && err != nil
}

// usualWidth is used without a terminal, or with one that does not report its width.
const usualWidth = 80

// widthOf returns the width of the terminal behind a stream, in cells.
func widthOf(f *os.File) int {
	if width, _, err := term.GetSize(f.Fd()); err == nil && width > 0 {
		return width
	}
	return usualWidth
}

// stdout is standard output that remembers its first failure, for the exit code.
type stdout struct {
	*os.File
	err    error
	onLost func() // called when a write fails: the reader left, or the disk is full; may be nil
}

func (s *stdout) Write(p []byte) (int, error) {
	n, err := s.File.Write(p)
	if s.err == nil {
		s.err = err
	}
	if err != nil && s.onLost != nil {
		s.onLost()
	}
	return n, err
}

// WriteString hides the method of the file, which bypasses Write.
func (s *stdout) WriteString(text string) (int, error) { return s.Write([]byte(text)) }

// lost returns the error of a write that failed, unless the reader has closed the pipe.
func (s *stdout) lost() error {
	if s.err == nil || isClosedPipe(s.err) {
		return nil
	}
	return failure(fmt.Errorf("cannot write standard output: %w", atomicfile.Cause(s.err)))
}
