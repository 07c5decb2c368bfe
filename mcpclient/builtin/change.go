package builtin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
)

// A call can carry what its preview was based on, so that it makes the change that was shown, or none.
const (
	// BasisKey is the member of _meta of a tools/call request with the basis that Preview returned. If the file differs
	// from it, the call changes nothing and fails. A call without a basis changes the file as it is.
	BasisKey = "aloud/basis"
	// ChangedKey is the member of _meta that is true in the result of a call that failed because of its basis.
	ChangedKey = "aloud/changed"
)

// changed is the error for a file that differs from the basis of a call.
type changed struct{ name string }

func (c changed) Error() string {
	return fmt.Sprintf("%q has changed since this change was shown, so nothing was written", sanitize.Clip(c.name, 200))
}

// snapshot is a file at one moment.
type snapshot struct {
	name   string
	place  string // full path with links resolved
	exists bool
	mode   fs.FileMode
	text   string
	err    error // why it cannot be changed
}

// snapshot reads a file to change. Its text is empty if the file does not exist.
func (f folder) snapshot(name string) snapshot {
	s := snapshot{name: name, place: resolve(f.full(name))}
	info, err := f.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		s.err = explain(name, err)
	case !info.Mode().IsRegular():
		s.err = notRegular(name, info.Mode())
	default:
		s.exists, s.mode = true, info.Mode()
		if s.text, s.err = f.readText(name); s.err == nil {
			s.err = f.isWritable(name)
		}
	}
	return s
}

func (f folder) isWritable(name string) error {
	file, err := atomicfile.OpenWritable(f.root, name)
	if err != nil {
		return fmt.Errorf("%q cannot be changed: %w", name, atomicfile.Cause(err))
	}
	return file.Close()
}

// basis returns a name for everything that a change of the file depends on. It differs if a folder on the way to the
// file became a link to another one.
func (s snapshot) basis() string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %v %v\n%s", s.place, s.exists, s.err, s.text)
	return hex.EncodeToString(hash.Sum(nil))
}

// planner returns the text that a file would have after a call.
type planner func(a arguments, s snapshot) (after string, err error)

// Preview returns the change that a call would make as a unified diff, or "" for no change, and its basis for BasisKey,
// or "" if the tool changes no files. It returns an error if the call would fail, also with a basis. The diff contains
// untrusted text, which must be sanitized before it is printed.
func (f folder) Preview(_ context.Context, tool string, given json.RawMessage) (diff, basis string, err error) {
	plan, ok := map[string]planner{"write_file": planWrite, "edit_file": planEdit}[tool]
	if !ok {
		return "", "", nil
	}
	a := parse(given)
	name, err := f.file(a)
	if err != nil {
		return "", "", err
	}
	s := f.snapshot(name)
	after, err := s.plan(plan, a)
	if err != nil {
		return "", s.basis(), err
	}
	return s.diff(after), s.basis(), nil
}

// plan returns the text after a call.
func (s snapshot) plan(plan planner, a arguments) (after string, err error) {
	if s.err != nil {
		return "", s.err
	}
	return plan(a, s)
}

// maxPlans is how often a change is planned if other programs, which do not use our locks, write to the file meanwhile.
const maxPlans = 10

// apply returns a handler that makes the planned change.
func (f folder) apply(plan planner) handler {
	return func(ctx context.Context, a arguments) (string, error) {
		name, err := f.file(a)
		if err != nil {
			return "", err
		}
		f.sweep(ctx)
		unlock, err := f.lock(ctx, name)
		if err != nil {
			return "", err
		}
		defer unlock()
		for range maxPlans {
			answer, err := f.change(ctx, name, plan, a)
			if a.basis != "" || !errors.As(err, new(changed)) {
				return answer, err
			}
		}
		return "", fmt.Errorf("other programs keep changing %q. Try again later", sanitize.Clip(name, 200))
	}
}

// change plans and makes a change. It returns changed if the file differs from the basis of the call, or changes
// meanwhile.
func (f folder) change(ctx context.Context, name string, plan planner, a arguments) (string, error) {
	s := f.snapshot(name)
	if a.basis != "" && a.basis != s.basis() {
		return "", changed{name}
	}
	after, err := s.plan(plan, a)
	switch {
	case err != nil:
		return "", err
	case after == s.text && s.exists:
		return fmt.Sprintf("%q already has this content.", name), nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	if err := f.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return "", explain(path.Dir(name), err)
	}
	unchanged := func() error {
		if f.snapshot(name).basis() != s.basis() {
			return changed{name}
		}
		return nil
	}
	if err := atomicfile.WriteIn(f.root, name, []byte(after), 0o644, unchanged); err != nil {
		return "", explain(name, err)
	}
	if !s.exists {
		return fmt.Sprintf("Created %q (%s).", name, quantity.Bytes(int64(len(after)))), nil
	}
	answer := fmt.Sprintf("Changed %q.", name)
	if now, err := f.root.Lstat(name); err == nil && now.Mode() != s.mode { // such as set-user-ID of another user's file
		answer += fmt.Sprintf(" Its permissions were %v and are now %v.", s.mode, now.Mode())
	}
	return answer, nil
}

// diff returns the change to another text as a unified diff. It shows \r\n unless all lines have it before and after.
func (s snapshot) diff(after string) string {
	before := s.text
	if lineEnd(before) == "\r\n" && lineEnd(after) == "\r\n" {
		before, after = strings.ReplaceAll(before, "\r\n", "\n"), strings.ReplaceAll(after, "\r\n", "\n")
	}
	old := oneLine(s.name)
	if !s.exists {
		old = "/dev/null"
	}
	return udiff.Unified(old, oneLine(s.name), before, after)
}

// lineEnd returns the line ending of text, or "" if it has both kinds.
func lineEnd(text string) string {
	switch all, dos := strings.Count(text, "\n"), strings.Count(text, "\r\n"); dos {
	case 0:
		return "\n"
	case all:
		return "\r\n"
	default:
		return ""
	}
}

// readText reads a text file to change.
func (f folder) readText(name string) (string, error) {
	content, kind, err := f.readAll(name)
	switch {
	case err != nil:
		return "", err
	case !isUTF8(kind):
		return "", fmt.Errorf("%q is not UTF-8 text (%s) and cannot be changed", name, kind)
	}
	return string(content), nil
}
