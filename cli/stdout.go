package cli

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/aloudchat/aloud/cause"
)

// stdout is standard output that remembers its first failure: when an answer got lost, the exit code must not say that all is well.
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

// WriteString keeps the file's own method from going past Write.
func (s *stdout) WriteString(text string) (int, error) { return s.Write([]byte(text)) }

// lost tells what could not be written. A reader that left has seen what it wanted.
func (s *stdout) lost() error {
	if s.err == nil || errors.Is(s.err, syscall.EPIPE) {
		return nil
	}
	return failure{fmt.Errorf("standard output cannot be written: %w; make room, or send it somewhere else", cause.Of(s.err))}
}
