//go:build unix

package screen

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"
)

const (
	// sequenceTime is the maximum time between an escape and the rest of its sequence. Terminals write a sequence at
	// once, and programs such as tmux pass it on in at most two writes. If this is too short, alt+q is read as esc and q.
	sequenceTime = 500 * time.Microsecond
	// slowTime replaces sequenceTime on a line that has split a sequence.
	slowTime = 100 * time.Millisecond
	// silence is how long to wait for the rest of a paste or a response.
	silence = time.Second
)

// escapeKey is the escape key in the kitty keyboard protocol: a sequence that cannot be the beginning of another.
const escapeKey = "\x1b[27u"

// keys reads a terminal and returns only whole characters and escape sequences, however the line splits them. Bubble
// Tea's decoder waits 50 ms for the rest of a sequence and has no setting for that: it delays the escape key, takes a
// late rest as typed text, and never finds the end of a paste whose end marker is late.
//
// A lone escape is the escape key. "ESC [" waits for its end, or for a control, which ends every sequence.
type keys struct {
	source

	mu      sync.Mutex // Bubble Tea may start a reader before it has stopped the last one
	buf     []byte     // bytes that are not decided
	out     []byte     // whole sequences that are not returned yet
	read    time.Time  // when something was last read
	escaped time.Time  // when an escape was taken for the escape key, if nothing was read since
	slow    bool       // the line has split a sequence
	decoder uv.EventDecoder
	paste
}

// source is a file whose next byte can be waited for.
type source interface {
	io.Reader
	more(wait time.Duration) bool // reports whether a byte arrives in time
}

// Read implements io.Reader. It may return 0 bytes. It reads so little at once that the result fits into p: Bubble Tea
// waits until the file is readable before it calls Read again.
func (k *keys) Read(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.out) == 0 {
		if err := k.fill(max(1, len(p)/16)); err != nil && len(k.out) == 0 {
			return 0, err
		}
	}
	n := copy(p, k.out)
	k.out = k.out[n:]
	return n, nil
}

// fill reads at most limit bytes, and moves what is whole to out.
func (k *keys) fill(limit int) error {
	chunk := make([]byte, limit)
	n, err := k.source.Read(chunk)
	now := time.Now()
	apart := now.Sub(k.read) >= keyGap // nothing was read shortly before
	k.read, k.out = now, nil
	if k.resumes(chunk[:n], now) {
		k.slow, k.buf = true, []byte{'\x1b'}
	}
	k.escaped = time.Time{}
	k.buf = append(k.buf, chunk[:n]...)
	for len(k.buf) > 0 && k.step(apart) {
		apart = false
	}
	if k.state == running && (err != nil || !k.more(silence)) {
		k.out = append(k.out, ansi.BracketedPasteEnd...)
		k.state, k.slow = overdue, true
		for len(k.buf) > 0 && k.step(false) {
		}
	}
	return err
}

// resumes reports whether a chunk is the rest of a sequence whose escape was taken for the escape key, and not a typed
// text that begins like one.
func (k *keys) resumes(chunk []byte, now time.Time) bool {
	if len(k.buf) > 0 || len(chunk) < 2 || chunk[0] != '[' || now.Sub(k.escaped) > keyGap {
		return false
	}
	b := append([]byte{'\x1b'}, chunk...)
	n, e := control(b)
	if e != whole {
		return e == partial
	}
	marker := string(b[:n])
	return n == len(b) || b[n] == '\x1b' || marker == ansi.BracketedPasteStart || marker == ansi.BracketedPasteEnd
}

// step moves the first sequence from buf to out. It returns false if that needs more bytes. apart means that nothing
// came shortly before buf.
func (k *keys) step(apart bool) bool {
	n, e := sequence(k.buf)
	if k.state == running {
		n, e = inPaste(k.buf, n, e)
	}
	switch {
	case e == whole:
		k.pass(k.buf[:n], apart && n == len(k.buf))
	case e == junk:
	case k.waits():
		return false
	default:
		n = len(k.buf)
		if n == 1 || k.buf[1] == '\x1b' {
			n, k.escaped = 1, time.Now() // the escape key, maybe before another sequence
		}
		k.key(k.buf[:n])
	}
	k.buf = k.buf[n:]
	return true
}

// waits reports whether the rest of a partial sequence is still to come.
func (k *keys) waits() bool {
	switch {
	case k.state == running, k.buf[0] != '\x1b', len(k.buf) > 1 && k.buf[1] == '[':
		return true
	case len(k.buf) > 2 || k.buf[len(k.buf)-1] != '\x1b':
		return k.more(silence)
	case k.slow:
		return k.more(slowTime)
	}
	return k.more(sequenceTime)
}

// key moves a key or a response to out, in a form that the decoder recognises at once. It drops other sequences.
func (k *keys) key(seq []byte) {
	n, event := k.decoder.Decode(seq)
	switch _, unknown := event.(uv.UnknownEvent); {
	case string(seq) == "\x1b":
		k.out = append(k.out, escapeKey...)
	case seq[0] == '\x1b' && (seq[1] >= utf8.RuneSelf || len(seq) == 2 && strings.IndexByte("O]P_^X", seq[1]) >= 0):
		k.out = append(k.out, withAlt(seq[1:])...)
	case n == len(seq) && !unknown:
		k.out = append(k.out, seq...)
	}
}

// keyboard returns standard input for the chat.
func keyboard() io.Reader { return newKeyboard(os.Stdin) }

// keyboardFile is a terminal that is read through keys. Bubble Tea needs a file to stop reading.
type keyboardFile struct {
	*os.File
	keys *keys
}

func newKeyboard(f *os.File) keyboardFile {
	return keyboardFile{f, &keys{source: tty{f}, paste: paste{limit: longestPaste}}}
}

func (f keyboardFile) Read(p []byte) (int, error) { return f.keys.Read(p) }

// tty is a terminal as a source.
type tty struct{ *os.File }

func (t tty) more(wait time.Duration) bool {
	fd, until := int(t.Fd()), time.Now().Add(wait)
	for {
		var in unix.FdSet
		in.Set(fd)
		left := unix.NsecToTimeval(max(0, time.Until(until)).Nanoseconds())
		ready, err := unix.Select(fd+1, &in, nil, nil, &left)
		if !errors.Is(err, unix.EINTR) { // a signal, such as those of the Go runtime
			return err != nil || ready > 0
		}
	}
}
