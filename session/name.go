package session

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/internal/sanitize"
)

// longestName is the maximum length of a name in cells, and mostName in bytes. The name of a session is in a file
// beside it, because a list reads only the start of a session, and another process may be writing it.
const (
	longestName   = 80
	mostName      = 4 << 10
	nameExtension = ".name"
)

// Rename gives a session a name. "" takes it away. id may be a unique prefix, or "" for the session changed last.
func (s *Store) Rename(id, name string) error {
	id, err := s.find(id)
	if err != nil {
		return err
	}
	name = strings.TrimSpace(sanitize.CutEnd(sanitize.Line(sanitize.Cut(name, mostName)), longestName))
	if path := s.namePath(id); name == "" {
		err = os.Remove(path)
		if os.IsNotExist(err) {
			err = nil
		}
	} else {
		err = atomicfile.Write(path, []byte(name+"\n"))
	}
	if err != nil {
		return fmt.Errorf("cannot rename conversation %q: %w", id, atomicfile.Cause(err))
	}
	return nil
}

func (s *Store) namePath(id string) string {
	return strings.TrimSuffix(s.path(id), extension) + nameExtension
}

// nameOf returns the name that a session was given, or "".
func (s *Store) nameOf(id string) string {
	f, err := os.Open(s.namePath(id))
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 2*mostName)) // an unreadable name is left out
	return sanitize.CutEnd(sanitize.Line(strings.TrimSpace(string(text))), longestName)
}
