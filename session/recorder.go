package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// Used is the model and the provider of the last turn of a conversation; "" if unknown.
type Used struct{ Model, Provider string }

// Recorder writes a session. It is safe for concurrent use. A nil *Recorder records nothing.
type Recorder struct {
	path, id string
	provider string   // that answers now
	before   Used     // by the resumed session
	skipped  int      // invalid lines of the resumed session
	branches []Branch // of the resumed session, in order
	number   int      // of the branch that it was in

	mu          sync.Mutex
	file        *os.File     // locked, nil until the first record
	first       []record     // to write before the next record
	buf         bytes.Buffer // lines to write
	line        *json.Encoder
	used        Used             // as recorded last
	hasMessages bool             // the current turn has a message
	forked      bool             // the file has branches
	mends       map[int][]record // to write after the line that switches to a branch
	stopped     bool             // after an error or Close
}

// recorder returns a recorder for a session that has recorded used.
func (s *Store) recorder(id string, used Used, first ...record) *Recorder {
	r := &Recorder{path: s.path(id), id: id, provider: s.provider, used: used, first: first}
	r.line = json.NewEncoder(&r.buf)
	r.line.SetEscapeHTML(false)
	return r
}

// orNone returns r, or for nil a recorder that records nothing.
func (r *Recorder) orNone() *Recorder {
	if r == nil {
		return &Recorder{stopped: true}
	}
	return r
}

// Branches returns the branches of the resumed session in the order in which they began, and the number of the one that
// it was in. A new session has none.
func (r *Recorder) Branches() (all []Branch, number int) {
	r = r.orNone()
	return r.branches, r.number
}

// Turns returns the finished turns of the branch that the resumed session was in, in order.
func (r *Recorder) Turns() []Turn {
	for _, b := range r.orNone().branches {
		if b.Number == r.number {
			return b.Turns
		}
	}
	return nil
}

// Before returns what the resumed session used last.
func (r *Recorder) Before() Used { return r.orNone().before }

// ID returns the id of the session, or "" for nil.
func (r *Recorder) ID() string { return r.orNone().id }

// Skipped returns the number of invalid lines in the resumed session.
func (r *Recorder) Skipped() int { return r.orNone().skipped }

// Saved reports whether the session has a file.
func (r *Recorder) Saved() bool {
	r = r.orNone()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.file != nil
}

// Record appends an event to the session. After the first error it records nothing and returns nil. Only the end of a
// turn waits for the disk.
func (r *Recorder) Record(ev event.Event) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch ev := ev.(type) {
	case event.Began:
		r.first = append(r.first, record{Type: typeModel, Model: ev.Model})
	case event.Text:
		return r.append(false, record{Type: typeText, Delta: ev.Delta})
	case event.Thinking:
		return r.append(false, record{Type: typeThinking, Delta: ev.Delta})
	case event.Withdrawn:
		return r.append(false, record{Type: typeWithdrawn})
	case event.Appended:
		for _, m := range ev.Messages {
			r.hasMessages = r.hasMessages || m.Role != provider.RoleSummary
		}
		return r.append(false, messageRecords(ev.Messages)...)
	case event.ToolCalled:
		return r.append(false, record{Type: typeTool, Call: &ev.Call})
	case event.ToolFinished:
		return r.append(false, record{Type: typeTool, Call: &ev.Call})
	case event.Ended:
		defer func() { r.hasMessages = false }()
		if !r.hasMessages && r.file == nil {
			return nil
		}
		if !r.hasMessages {
			return r.append(true, record{Type: typeEnd}) // compacting is not a turn
		}
		return r.append(true, record{Type: typeModel, Model: ev.Result.Model},
			record{Type: typeEnd, End: endOf(ev.Result)})
	}
	return nil
}

// Rewind records that the conversation now consists of its first n messages.
func (r *Recorder) Rewind(n int) error {
	r = r.orNone()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return nil
	}
	return r.append(false, record{Type: typeRewind, Keep: &n})
}

// Close releases the session to other processes. It may be called more than once. Later records are ignored.
func (r *Recorder) Close() error {
	r = r.orNone()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// append writes the records at once. After an error it writes nothing more, because the file may end with an incomplete
// line.
func (r *Recorder) append(flush bool, records ...record) error {
	if r.stopped || len(records) == 0 {
		return nil
	}
	err := r.write(records)
	if err == nil && flush {
		err = r.file.Sync()
	}
	if err != nil {
		r.stopped = true
		return fmt.Errorf(
			"this conversation is no longer saved: cannot write %q: %w. Free some space, or set XDG_STATE_HOME",
			r.path, atomicfile.Cause(err))
	}
	return nil
}

func (r *Recorder) write(records []record) error {
	if r.file == nil {
		if err := r.create(); err != nil {
			return err
		}
	}
	if err := r.encode(append(r.first, records...)); err != nil {
		return err
	}
	r.first = nil
	// Escape control characters, so that the file is safe to show in a terminal.
	_, err := r.file.Write(sanitize.JSON(r.buf.Bytes()))
	r.buf.Reset()
	return err
}

func (r *Recorder) encode(records []record) error {
	now := time.Now().UTC().Truncate(time.Millisecond)
	for i := range records {
		rec := &records[i]
		if rec.Type == typeModel {
			now := Used{Model: rec.Model, Provider: cmp.Or(r.provider, r.used.Provider)}
			if now == r.used {
				continue
			}
			if now.Provider != r.used.Provider {
				rec.Provider = now.Provider
			}
			r.used = now
		}
		rec.Time = now
		if err := r.line.Encode(rec); err != nil {
			return err
		}
	}
	return nil
}

func (r *Recorder) create() error {
	if err := os.MkdirAll(filepath.Dir(r.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(r.path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	r.file = f
	if err := lock(f); errors.Is(err, ErrInUse) {
		return err
	}
	return nil
}

// openLocked opens a file to append to it. It does without a lock if the file system has none.
func openLocked(path, id string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("conversation %q is read-only. Read it with: aloud sessions show %s", id, id)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open conversation %q: %w", id, atomicfile.Cause(err))
	}
	if err := lock(f); errors.Is(err, ErrInUse) {
		f.Close()
		return nil, fmt.Errorf("cannot write conversation %q: %w", id, err)
	}
	return f, nil
}
