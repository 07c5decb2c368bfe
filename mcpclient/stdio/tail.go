package stdio

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/sanitize"
)

const (
	tailLines = 50
	tailBytes = 500 // of one line
)

// tail keeps the last lines of output that were not messages. Safe for concurrent use. The zero value is ready to use.
type tail struct {
	mu   sync.Mutex
	kept []string
}

// add adds a prefix and the beginning of a line.
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
