package builtin

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/mark3labs/mcp-go/mcp"
)

// change is what a call is about to make of one file.
type change struct {
	name          string
	before, after string
	isNew         bool
}

// planner reads the file that a call is about and says what would become of it, without touching it.
type planner func(r mcp.CallToolRequest) (change, error)

// Preview says what a call would change, as a unified diff of the file as it is now; nothing is touched. It is "" for
// calls that change nothing. The error says why the call would fail. The diff has the text of files in it and must pass
// sanitize on its way to a terminal.
func (f folder) Preview(_ context.Context, tool string, arguments json.RawMessage) (string, error) {
	plan, ok := map[string]planner{"write_file": f.planWrite, "edit_file": f.planEdit}[tool]
	if !ok {
		return "", nil
	}
	c, err := plan(call(tool, arguments))
	if err != nil {
		return "", err
	}
	return c.diff(), nil
}

// call is a call as a server gets it. Arguments that are no object become none.
func call(tool string, arguments json.RawMessage) mcp.CallToolRequest {
	var given map[string]any
	_ = json.Unmarshal(arguments, &given)
	return mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: given}}
}

// apply returns the handler that makes the planned change and says what it did.
func (f folder) apply(plan planner) handler {
	return func(ctx context.Context, r mcp.CallToolRequest) (string, error) {
		c, err := plan(r)
		if err != nil {
			return "", err
		}
		if c.before == c.after && !c.isNew {
			return fmt.Sprintf("%q has this content already.", c.name), nil
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if err := f.root.MkdirAll(path.Dir(c.name), 0o755); err != nil {
			return "", explain(path.Dir(c.name), err)
		}
		if err := f.replace(c.name, c.after); err != nil {
			return "", explain(c.name, err)
		}
		return c.String(), nil
	}
}

// String says what was done.
func (c change) String() string {
	if c.isNew {
		return fmt.Sprintf("Wrote %q, a new file of %s.", c.name, bytesOf(int64(len(c.after))))
	}
	return fmt.Sprintf("Changed %q.", c.name)
}

// diff is the change as people read it. Line ends are shown only where they differ.
func (c change) diff() string {
	before, after := c.before, c.after
	if lineEnd(before) == lineEnd(after) || c.isNew {
		before, after = strings.ReplaceAll(before, "\r\n", "\n"), strings.ReplaceAll(after, "\r\n", "\n")
	}
	old := oneLine(c.name)
	if c.isNew {
		old = "/dev/null"
	}
	diff, err := udiff.ToUnified(old, oneLine(c.name), before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil { // its own edits do not fit: cannot be, and must not hide the change
		return after
	}
	return diff
}

// lineEnd is what ends the lines of a text: "\r\n" when all do, "\n" when none does so, "" for both kinds.
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

// whole reads a text file that is to be changed.
func (f folder) whole(name string) (string, error) {
	if info, err := f.root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return "", notRegular(name, info.Mode())
	}
	content, kind, err := f.readAll(name)
	switch {
	case err != nil:
		return "", err
	case len(content) > 0 && !isUTF8(kind):
		return "", fmt.Errorf("%q is no text in UTF-8 (%s), and only that is changed", name, kind)
	case bytes.ContainsRune(content, 0):
		return "", fmt.Errorf("%q is binary, and only text is changed", name)
	}
	return string(content), nil
}

// replace gives a file its new content at once: whatever happens, it is the old or the new, never a half.
func (f folder) replace(name, content string) (err error) {
	mode := fs.FileMode(0o644)
	info, err := f.root.Lstat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return notRegular(name, info.Mode())
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	draft := path.Join(path.Dir(name), ".aloud-"+rand.Text())
	file, err := f.root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.root.Remove(draft))
		}
	}()
	_, err = file.WriteString(content)
	if info != nil {
		err = errors.Join(err, file.Chmod(mode)) // the umask is for new files
	}
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return err
	}
	return f.root.Rename(draft, name)
}
