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

// change is a planned change of a file.
type change struct {
	name          string
	before, after string
	isNew         bool
}

// planner plans the change of a call, without making it.
type planner func(r mcp.CallToolRequest) (change, error)

// Preview returns the change that a call would make as a unified diff, or "" for no change. It returns an error if
// the call would fail. The diff contains untrusted text, which must be sanitized before it is printed.
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

// call returns a request. It ignores arguments that are not an object.
func call(tool string, arguments json.RawMessage) mcp.CallToolRequest {
	var given map[string]any
	_ = json.Unmarshal(arguments, &given)
	return mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: given}}
}

// apply returns a handler that makes the planned change.
func (f folder) apply(plan planner) handler {
	return func(ctx context.Context, r mcp.CallToolRequest) (string, error) {
		c, err := plan(r)
		if err != nil {
			return "", err
		}
		if c.before == c.after && !c.isNew {
			return fmt.Sprintf("%q already has this content.", c.name), nil
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
		if c.isNew {
			return fmt.Sprintf("Created %q (%s).", c.name, bytesOf(int64(len(c.after)))), nil
		}
		return fmt.Sprintf("Changed %q.", c.name), nil
	}
}

// diff returns the change as a unified diff. It shows line endings only if they change.
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
	if err != nil {
		return after // never happens, but must not hide the change
	}
	return diff
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
	if info, err := f.root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return "", notRegular(name, info.Mode())
	}
	content, kind, err := f.readAll(name)
	switch {
	case err != nil:
		return "", err
	case len(content) > 0 && !isUTF8(kind):
		return "", fmt.Errorf("%q is not UTF-8 text (%s) and cannot be changed", name, kind)
	case bytes.ContainsRune(content, 0):
		return "", fmt.Errorf("%q is binary and cannot be changed", name)
	}
	return string(content), nil
}

// replace writes a file atomically.
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
		err = errors.Join(err, file.Chmod(mode)) // undo the umask, which is for new files
	}
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return err
	}
	return f.root.Rename(draft, name)
}
