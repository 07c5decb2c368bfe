package others

import (
	"fmt"
	"io"
	"os"

	"github.com/aloudchat/aloud/cause"
)

// largest is what a file may have, in bytes. Claude Code keeps more than servers in its own, and it grows.
const largest = 16 << 20

// read returns the text of a regular file. Links are followed: people keep such files elsewhere and link to them.
func read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0) // a pipe would be waited for
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, unreadable(path, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%q is no file; name one", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, largest+1))
	switch {
	case err != nil:
		return nil, unreadable(path, err)
	case len(text) > largest:
		return nil, fmt.Errorf("%q is larger than %d MiB, which no configuration is", path, largest>>20)
	}
	return text, nil
}

func unreadable(path string, err error) error {
	return fmt.Errorf("%q cannot be read: %w", path, cause.Of(err))
}
