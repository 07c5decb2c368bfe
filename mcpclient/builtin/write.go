package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/sanitize"
)

// planWrite is the change of a call of write_file.
func (f folder) planWrite(_ context.Context, r mcp.CallToolRequest) (change, error) {
	var a struct {
		Path, Content *string
	}
	if err := bind(r, &a); err != nil {
		return change{}, err
	}
	name, err := f.file(a.Path)
	if err != nil {
		return change{}, err
	}
	switch {
	case a.Content == nil:
		return change{}, missing("content")
	case strings.ContainsRune(*a.Content, 0):
		return change{}, errors.New("the content has a NUL character, which text files have not")
	case len(*a.Content) > maxFileSize:
		return change{}, errors.New("the content is larger than 10 MB, too large to write")
	}
	c := change{name: name, after: *a.Content}
	if _, err := f.root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		c.isNew = true
		return c, nil
	}
	c.before, err = f.whole(name)
	if lineEnd(c.before) == "\r\n" && lineEnd(c.after) == "\n" { // models write \n whatever the file has
		c.after = strings.ReplaceAll(c.after, "\n", "\r\n")
	}
	return c, err
}

// maxEdits is how many pieces one call may replace. Each costs a walk through the file.
const maxEdits = 100

// replacement is one piece of text that takes the place of another.
type replacement struct {
	Old *string `json:"old_text"`
	New *string `json:"new_text"`
}

// planEdit is the change of a call of edit_file: all of its edits, one after another, or none.
func (f folder) planEdit(ctx context.Context, r mcp.CallToolRequest) (change, error) {
	var a struct {
		Path  *string
		Edits []replacement
		replacement
	}
	if err := bind(r, &a); err != nil {
		return change{}, err
	}
	edits := a.Edits
	if a.Old != nil || a.New != nil || len(edits) == 0 {
		edits = append([]replacement{a.replacement}, edits...)
	}
	if len(edits) > maxEdits {
		return change{}, fmt.Errorf("these are %d edits; make at most %d in one call", len(edits), maxEdits)
	}
	name, err := f.file(a.Path)
	if err != nil {
		return change{}, err
	}
	c := change{name: name}
	if c.before, err = f.whole(name); err != nil {
		return change{}, err
	}
	c.after = c.before
	for i, e := range edits {
		if err := ctx.Err(); err != nil {
			return change{}, err
		}
		if c.after, err = e.in(c.after, name); err != nil && len(edits) > 1 {
			return change{}, fmt.Errorf("nothing was changed, because of edit %d of %d: %w", i+1, len(edits), err)
		} else if err != nil {
			return change{}, err
		}
		if len(c.after) > maxFileSize {
			return change{}, fmt.Errorf("the edits make %q larger than 10 MB", name)
		}
	}
	return c, nil
}

// in makes the replacement in the content of a file, where the old text must stand exactly once.
func (r replacement) in(content, name string) (string, error) {
	switch {
	case r.Old == nil:
		return "", missing("old_text")
	case r.New == nil:
		return "", missing("new_text")
	case *r.Old == "":
		return "", errors.New("old_text is empty; write_file replaces a whole file")
	case strings.ContainsRune(*r.New, 0):
		return "", errors.New("new_text has a NUL character, which text files have not")
	}
	old, replaced := *r.Old, *r.New
	n := strings.Count(content, old)
	if strings.Contains(content, "\r\n") && !strings.Contains(old, "\r") { // models write \n whatever the file has
		if n == 0 {
			old = strings.ReplaceAll(old, "\n", "\r\n")
			n = strings.Count(content, old)
		}
		if !strings.Contains(replaced, "\r") && (strings.Contains(old, "\r\n") || lineEnd(content) == "\r\n") {
			replaced = strings.ReplaceAll(replaced, "\n", "\r\n")
		}
	}
	switch {
	case n == 0:
		return "", fmt.Errorf("old_text is not in %q; %s", name, spacedLike(content, *r.Old))
	case n > 1:
		return "", fmt.Errorf("old_text is in %q %d times, on lines %s; give more of the text around it", name, n, linesOf(content, old))
	}
	return strings.Replace(content, old, replaced, 1), nil
}

// linesOf lists on which lines a text begins: "3, 17, 40 and more".
func linesOf(content, text string) string {
	var found []string
	line := 1
	for {
		before, after, ok := strings.Cut(content, text)
		if !ok {
			return strings.Join(found, ", ")
		}
		if len(found) == 5 {
			return strings.Join(found, ", ") + " and more"
		}
		line += strings.Count(before, "\n")
		found = append(found, fmt.Sprint(line))
		line += strings.Count(text, "\n")
		content = after
	}
}

// spacedLike shows the lines that differ from the text in white space only, or says how to find what the file has.
func spacedLike(content, text string) string {
	const mostLines = 50 // of a text that is looked for
	wanted := words(strings.Trim(text, "\r\n"))
	if len(wanted) <= mostLines {
		have, lines := words(content), strings.Split(content, "\n")
		for i := range len(have) - len(wanted) + 1 {
			if end := i + len(wanted); slices.Equal(have[i:end], wanted) {
				there := strings.ToValidUTF8(strings.Join(lines[i:end], "\n"), "\ufffd")
				return fmt.Sprintf("only white space differs in line %d:\n%s", i+1, sanitize.Clip(there, 2000))
			}
		}
	}
	return "read_file shows what is"
}

// words returns the lines of a text, their words with single blanks between.
func words(text string) []string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return lines
}
