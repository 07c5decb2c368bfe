package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// planWrite is the planner of write_file.
func planWrite(a arguments, s snapshot) (after string, err error) {
	after, err = newText(a, "content")
	if lineEnd(s.text) == "\r\n" { // models write \n
		after = withCRLF(after)
	}
	const mark = "\ufeff" // the byte order mark, which models leave out
	if strings.HasPrefix(s.text, mark) && !strings.HasPrefix(after, mark) {
		after = mark + after
	}
	return after, err
}

// newText returns an argument with text to write.
func newText(a arguments, name string) (string, error) {
	content, err := a.text(name)
	switch {
	case err != nil:
		return "", err
	case strings.ContainsRune(content, 0):
		return "", fmt.Errorf("%s has a NUL character", name)
	case len(content) > maxFileSize:
		return "", fmt.Errorf("%s has %d bytes, more than %d", name, len(content), maxFileSize)
	}
	return content, nil
}

// planEdit is the planner of edit_file. The old text must be in the file exactly once.
func planEdit(a arguments, s snapshot) (after string, err error) {
	if !s.exists {
		return "", explain(s.name, fs.ErrNotExist)
	}
	old, err := a.text("old_text")
	if err != nil {
		return "", err
	}
	if old == "" {
		return "", errors.New("old_text is empty. Use write_file to replace a whole file")
	}
	replaced, err := newText(a, "new_text")
	if err != nil {
		return "", err
	}
	// Models write \n.
	if end := lineEnd(s.text); end == "\r\n" || end == "" && !strings.Contains(s.text, old) {
		old, replaced = withCRLF(old), withCRLF(replaced)
	}
	switch n := strings.Count(s.text, old); {
	case n == 0:
		return "", fmt.Errorf("old_text is not in %q. %s", s.name, nearest(s.text, old))
	case n > 1:
		return "", fmt.Errorf("old_text is in %q %d times. Include more of the text around it", s.name, n)
	}
	return strings.Replace(s.text, old, replaced, 1), nil
}

// withCRLF converts line endings to \r\n.
func withCRLF(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// nearest returns a hint with the lines of the file that start like text.
func nearest(content, text string) string {
	words := func(line string) string { return strings.Join(strings.Fields(line), " ") }
	wanted, have := strings.Split(strings.TrimSpace(text), "\n"), strings.Split(content, "\n")
	for i, line := range have {
		if words(line) == words(wanted[0]) && words(line) != "" {
			there := strings.ToValidUTF8(strings.Join(have[i:min(i+len(wanted), len(have))], "\n"), "\ufffd")
			return fmt.Sprintf("From line %d on, the file has:\n%s", i+1, sanitize.Clip(there, 2000))
		}
	}
	return "Read it with read_file"
}
