package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/aloudchat/aloud/sanitize"
)

const (
	tailLines = 50
	tailBytes = 500 // of one line
)

// tail keeps the last lines a server wrote for people to read. Safe for concurrent use; the zero value is ready.
type tail struct {
	mu   sync.Mutex
	kept []string
}

func (t *tail) add(line string) {
	if line = sanitize.Line(line); line == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.kept) == tailLines {
		t.kept = append(t.kept[:0], t.kept[1:]...)
	}
	t.kept = append(t.kept, line)
}

func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.kept)
}

// read keeps the lines of r until it ends, the beginning of each.
func (t *tail) read(r io.Reader) {
	in := bufio.NewReaderSize(r, 4<<10)
	rest := false // of a line whose beginning is kept already
	for {
		part, err := in.ReadSlice('\n')
		if !rest && len(part) > 0 {
			t.add(clip(part))
		}
		rest = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !rest {
			return
		}
	}
}

// clip is the beginning of a line as text.
func clip(line []byte) string {
	line = bytes.TrimSpace(line[:min(len(line), tailBytes+utf8.UTFMax)])
	return sanitize.Cut(strings.ToValidUTF8(string(line), "\uFFFD"), tailBytes)
}
