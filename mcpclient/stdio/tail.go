package stdio

import (
	"bytes"
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

// add keeps the beginning of a line, behind prefix.
func (t *tail) add(prefix string, line []byte) {
	line = bytes.TrimSpace(line[:min(len(line), tailBytes+utf8.UTFMax)])
	text := sanitize.Line(sanitize.Cut(strings.ToValidUTF8(string(line), "\uFFFD"), tailBytes))
	if text == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = slices.Concat(t.kept[max(0, len(t.kept)+1-tailLines):], []string{prefix + text})
}

func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.kept)
}
