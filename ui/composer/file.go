package composer

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aloudchat/aloud/atomicfile"
	"github.com/aloudchat/aloud/sanitize"
)

const (
	historyLength = 1000      // entries that are kept
	historyWidth  = 16 * 1024 // bytes; a longer input is not kept over the session
)

// ReadHistory reads the newest entries of a file that has one JSON string a line, so that an input of several lines stays one.
// A line that is none is skipped. A file that has grown to twice its size is rewritten.
func ReadHistory(file string) ([]string, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("earlier inputs cannot be read: %w", err)
	}
	defer f.Close()
	var entries []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 8*historyWidth)
	for lines.Scan() {
		var entry string
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry != "" {
			entries = append(entries, sanitize.Text(entry))
		}
	}
	all := len(entries)
	entries = entries[max(0, all-historyLength):]
	if all >= 2*historyLength {
		return entries, rewriteHistory(file, entries)
	}
	return entries, nil
}

// AppendHistory adds one entry to the file, which only its owner may read.
func AppendHistory(file, entry string) error {
	if len(entry) > historyWidth {
		return nil
	}
	line, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return notKept(err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return notKept(err)
	}
	_, err = f.Write(append(line, '\n')) // in one write: another aloud may append, too
	return notKept(cmp.Or(err, f.Close()))
}

// notKept says that earlier inputs end here, and what the system says about it: the footer has one row for it.
func notKept(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("inputs are not kept for later: %w", err)
}

// rewriteHistory replaces the file in one step.
func rewriteHistory(file string, entries []string) error {
	var b strings.Builder
	for _, entry := range entries {
		line, err := json.Marshal(entry)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return atomicfile.Write(file, []byte(b.String()))
}
