package composer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/provider/attach"
)

// history has the earlier inputs, your edits of them, and a position in them.
type history struct {
	entries []attach.Input       // the oldest first
	at      int                  // the entry that is shown; len(entries) means the draft
	edits   map[int]attach.Input // as you left them; at len(entries), the draft
	folders map[string]string    // where each text was sent last
}

// Earlier is an input of an earlier session.
type Earlier struct {
	Text    string        `json:"text"`
	Folder  string        `json:"folder,omitempty"`  // as it is shown; "" if unknown
	Foreign []attach.Span `json:"foreign,omitempty"` // see attach.Input
}

// Remember adds the inputs of earlier sessions, the oldest first.
func (h *history) Remember(earlier []Earlier) {
	for _, e := range earlier {
		h.entries = append(h.entries, attach.Input{Text: e.Text, Foreign: e.Foreign})
		h.folders[e.Text] = e.Folder
	}
	h.at = len(h.entries)
}

// Said adds an input that is sent from a folder, and reports whether it differs from the last one. Edits of other
// inputs end.
func (h *history) Said(in attach.Input, folder string) (another bool) {
	h.folders[in.Text] = folder
	h.keepDraft()
	clear(h.edits)
	n := len(h.entries)
	another = n == 0 || h.entries[n-1].Text != in.Text
	h.add(in)
	return another
}

// discarded adds an input that was cleared, unless it is in the history already.
func (h *history) discarded(in attach.Input) {
	recalled := h.at < len(h.entries) && h.entries[h.at].Text == in.Text
	delete(h.edits, h.at)
	h.keepDraft()
	if h.at = len(h.entries); !recalled {
		h.add(in)
	}
}

// keepDraft adds the draft that you left for another input, which takes its place.
func (h *history) keepDraft() {
	last := len(h.entries)
	if draft := h.edits[last].Trim(); h.at < last && draft.Text != "" {
		h.add(draft)
	}
	delete(h.edits, last)
}

func (h *history) add(in attach.Input) {
	if n := len(h.entries); n == 0 || h.entries[n-1].Text != in.Text {
		h.entries = append(h.entries, in)
	}
	h.at = len(h.entries)
}

// walk returns the entry before or after the shown one, as you left it, and keeps the shown one.
func (h *history) walk(by int, shown attach.Input) (attach.Input, bool) {
	to := h.at + by
	if to < 0 || to > len(h.entries) {
		return attach.Input{}, false
	}
	h.edits[h.at] = shown
	h.at = to
	if in, edited := h.edits[to]; edited {
		return in, true
	}
	return h.entries[to], true
}

const (
	historyLength = 1000      // entries that are kept
	historyWidth  = 16 * 1024 // bytes; a longer input is kept for the session only
)

// ReadHistory reads the newest entries of a file with one JSON object, or string, per line. Other lines are skipped. A
// file of twice as many entries is rewritten.
func ReadHistory(file string) ([]Earlier, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the input history: %w", err)
	}
	defer f.Close()
	var entries []Earlier
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 8*historyWidth)
	for lines.Scan() {
		var e Earlier
		if json.Unmarshal(lines.Bytes(), &e) != nil && json.Unmarshal(lines.Bytes(), &e.Text) != nil || e.Text == "" {
			continue
		}
		text := sanitize.Text(e.Text)
		if in := (attach.Input{Text: text, Foreign: e.Foreign}); text != e.Text || in.Said().Typed() == "" {
			e.Foreign = []attach.Span{{Until: len(text)}} // those of the file are for another text
		}
		entries = append(entries, Earlier{text, sanitize.Line(e.Folder), e.Foreign})
	}
	all := len(entries)
	entries = entries[max(0, all-historyLength):]
	if all < 2*historyLength {
		return entries, nil
	}
	var b bytes.Buffer
	for _, entry := range entries {
		b.Write(historyLine(entry))
	}
	f.Close() // Windows does not replace a file that is open
	return entries, atomicfile.Write(file, b.Bytes())
}

// AppendHistory adds an input that is sent from a folder to the file, which only its owner may read, unless it seems to
// have a secret.
func AppendHistory(file string, in attach.Input, folder string) error {
	if len(in.Text) > historyWidth || secret.Mask(in.Text) != in.Text {
		return nil
	}
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	f, openErr := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err = cmp.Or(err, openErr); err == nil {
		// In one write, because another process may append too.
		_, err = f.Write(historyLine(Earlier{in.Text, folder, in.Foreign}))
		err = cmp.Or(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot save the input history: %w", err)
	}
	return nil
}

func historyLine(entry Earlier) []byte {
	line, _ := json.Marshal(entry) // cannot fail for strings
	return append(line, '\n')
}
