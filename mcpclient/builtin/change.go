package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/aloudchat/aloud/atomicfile"
	"github.com/aloudchat/aloud/quantity"
)

// change is a planned change of a file.
type change struct {
	name          string
	before, after string
	isNew         bool
}

// planner plans the change of a call, without making it.
type planner func(a arguments) (change, error)

// Preview returns the change that a call would make as a unified diff, or "" for no change. It returns an error if
// the call would fail. The diff contains untrusted text, which must be sanitized before it is printed.
func (f folder) Preview(_ context.Context, tool string, given json.RawMessage) (string, error) {
	plan, ok := map[string]planner{"write_file": f.planWrite, "edit_file": f.planEdit}[tool]
	if !ok {
		return "", nil
	}
	c, err := plan(parse(given))
	if err != nil {
		return "", err
	}
	return c.diff(), nil
}

// apply returns a handler that makes the planned change.
func (f folder) apply(plan planner) handler {
	return func(ctx context.Context, a arguments) (string, error) {
		c, err := plan(a)
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
		if err := atomicfile.WriteIn(f.root, c.name, []byte(c.after), 0o644); err != nil {
			return "", explain(c.name, err)
		}
		if c.isNew {
			return fmt.Sprintf("Created %q (%s).", c.name, quantity.Bytes(int64(len(c.after)))), nil
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
	return udiff.Unified(old, oneLine(c.name), before, after)
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
