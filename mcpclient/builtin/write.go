package builtin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

func (f folder) write(_ context.Context, r mcp.CallToolRequest) (string, error) {
	argument, err := text(r, "path")
	if err != nil {
		return "", err
	}
	content, err := text(r, "content")
	if err != nil {
		return "", err
	}
	name, err := f.name(argument)
	if err != nil {
		return "", err
	}
	if err := f.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return "", explain(path.Dir(name), err)
	}
	if err := f.replace(name, content); err != nil {
		return "", explain(name, err)
	}
	return fmt.Sprintf("Wrote %s to %q.", bytesOf(int64(len(content))), name), nil
}

func (f folder) edit(_ context.Context, r mcp.CallToolRequest) (string, error) {
	argument, err := text(r, "path")
	if err != nil {
		return "", err
	}
	old, err := text(r, "old_text")
	if err != nil {
		return "", err
	}
	replacement, err := text(r, "new_text")
	if err != nil {
		return "", err
	}
	name, err := f.name(argument)
	if err != nil {
		return "", err
	}
	content, err := f.whole(name)
	if err != nil {
		return "", err
	}
	if strings.Contains(content, "\r\n") && !strings.Contains(old, "\r") { // models write \n whatever the file has
		old, replacement = strings.ReplaceAll(old, "\n", "\r\n"), strings.ReplaceAll(replacement, "\n", "\r\n")
	}
	switch n := strings.Count(content, old); {
	case old == "":
		return "", errors.New("old_text is empty; write_file replaces a whole file")
	case n == 0:
		return "", fmt.Errorf("old_text is not in %q; read_file shows what is", name)
	case n > 1:
		return "", fmt.Errorf("old_text is in %q %d times; give more of the text around it", name, n)
	}
	before, after, _ := strings.Cut(content, old)
	if err := f.replace(name, before+replacement+after); err != nil {
		return "", explain(name, err)
	}
	return fmt.Sprintf("Edited %q at line %d.", name, strings.Count(before, "\n")+1), nil
}

// whole reads a file for an edit.
func (f folder) whole(name string) (string, error) {
	file, err := f.open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFileSize+1))
	if err != nil {
		return "", explain(name, err)
	}
	if len(content) > maxFileSize {
		return "", fmt.Errorf("%q is larger than 10 MB, too large to edit", name)
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
