//go:build unix

package screen

import (
	"bytes"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

const (
	// keyGap is the minimum time between a key and the text of a paste that has no end.
	keyGap = 500 * time.Millisecond
	// longestPaste is the maximum size of a paste, in bytes.
	longestPaste = 8 << 20
	// pasteCut is the end of a longer one.
	pasteCut = "\n[The rest of this paste is missing: it is longer than 8 MB.]\n"
)

const backspace = 0x7f

// paste is the progress of a paste. If its end does not come, its text is shown after a silence. What follows is text
// as well, so that its line breaks send nothing, until the end, ctrl+c, or an enter that is apart from other input.
type paste struct {
	limit int // maximum size, in bytes
	state pasteState
	size  int // so far
}

type pasteState int

const (
	idle    pasteState = iota
	running            // its text is being read
	overdue            // its text is shown, without an end
)

// inPaste corrects the length of the first sequence of a text: only "ESC [" begins one there.
func inPaste(b []byte, n int, e extent) (int, extent) {
	if b[0] != '\x1b' || len(b) == 1 {
		return n, e
	}
	if n, e = control(b); e == junk || n > longestSequence {
		return 1, junk
	}
	return n, e
}

// pass moves a whole sequence to out, as a key or as text. apart means that nothing was read shortly before it or
// together with it.
func (k *keys) pass(seq []byte, apart bool) {
	if seq[0] >= ' ' && seq[0] != backspace && seq[0] != '\x1b' {
		k.text(seq)
		return
	}
	_, event := k.decoder.Decode(seq)
	switch {
	case event == uv.Event(uv.PasteStartEvent{}):
		k.begin()
	case event == uv.Event(uv.PasteEndEvent{}):
		k.end()
	case k.state == idle:
		k.key(seq)
	case k.ends(event, apart, len(seq) == len(k.buf)):
		k.end()
		k.key(seq)
	case k.state == running && seq[0] == '\x1b': // colours in a text
	case k.state == overdue && (seq[0] == '\x1b' || seq[0] == backspace || apart && !k.more(keyGap)):
		k.key(seq)
	default:
		k.text(seq)
	}
}

// ends reports whether a key ends a paste without end: ctrl+c that nothing follows, or enter that is apart.
func (k *keys) ends(event uv.Event, apart, last bool) bool {
	key, _ := event.(uv.KeyPressEvent)
	switch key.String() {
	case "ctrl+c":
		return last && !k.more(keyGap)
	case "enter":
		return apart && !k.more(keyGap)
	}
	return false
}

func (k *keys) begin() {
	if k.state != running {
		k.state, k.size = running, 0
		k.out = append(k.out, ansi.BracketedPasteStart...)
	}
}

func (k *keys) end() {
	if k.state == running {
		k.out = append(k.out, ansi.BracketedPasteEnd...)
	}
	k.state = idle
}

// text moves a character to out. In a paste that is overdue, it is a paste of its own.
func (k *keys) text(c []byte) {
	switch k.state {
	case idle:
		k.out = append(k.out, c...)
	case running:
		before := k.size
		k.size += len(c)
		switch {
		case k.size <= k.limit:
			k.out = append(k.out, c...)
		case before <= k.limit:
			k.out = append(k.out, pasteCut...)
		}
	case overdue:
		begun, ok := bytes.CutSuffix(k.out, []byte(ansi.BracketedPasteEnd))
		if !ok {
			begun = append(begun, ansi.BracketedPasteStart...)
		}
		k.out = append(append(begun, c...), ansi.BracketedPasteEnd...)
	}
}
