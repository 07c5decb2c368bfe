package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// planWrite plans a call of write_file.
func (f folder) planWrite(a arguments) (change, error) {
	name, err := f.file(a)
	if err != nil {
		return change{}, err
	}
	content, err := newText(a, "content")
	if err != nil {
		return change{}, err
	}
	if _, err := f.root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return change{name: name, after: content, isNew: true}, nil
	}
	before, err := f.readText(name)
	if lineEnd(before) == "\r\n" { // models write \n
		content = withCRLF(content)
	}
	return change{name: name, before: before, after: content}, err
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
		return "", fmt.Errorf("%s is larger than 10 MB", name)
	}
	return content, nil
}

// planEdit plans a call of edit_file. The old text must be in the file exactly once.
func (f folder) planEdit(a arguments) (change, error) {
	name, err := f.file(a)
	if err != nil {
		return change{}, err
	}
	old, err := a.text("old_text")
	if err != nil {
		return change{}, err
	}
	if old == "" {
		return change{}, errors.New("old_text is empty. Use write_file to replace a whole file")
	}
	replaced, err := newText(a, "new_text")
	if err != nil {
		return change{}, err
	}
	content, err := f.readText(name)
	if err != nil {
		return change{}, err
	}
	// Models write \n.
	if end := lineEnd(content); end == "\r\n" || end == "" && !strings.Contains(content, old) {
		old, replaced = withCRLF(old), withCRLF(replaced)
	}
	switch n := strings.Count(content, old); {
	case n == 0:
		return change{}, fmt.Errorf("old_text is not in %q. %s", name, nearest(content, old))
	case n > 1:
		return change{}, fmt.Errorf("old_text is in %q %d times. Include more of the text around it", name, n)
	}
	return change{name: name, before: content, after: strings.Replace(content, old, replaced, 1)}, nil
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
