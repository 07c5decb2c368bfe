package builtin

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
)

// Folder is the working folder, with the files that you attach. It also reads files outside of it: the caller must ask
// you first.
type Folder struct{ folder }

// OpenFolder returns the folder o.Dir. The other options are those of the files server.
func OpenFolder(o Options) (Folder, error) {
	s, err := files(o)
	if err != nil {
		return Folder{}, err
	}
	return Folder{s.folder}, nil
}

// Close closes the folder, which Windows does not remove or rename while it is open.
func (f Folder) Close() error { return f.root.Close() }

// Names iterates over the names of files and folders, whose names end with a slash, the top of the folder first. It
// leaves out those that .gitignore files ignore, those that cannot be typed and, unless hidden, those that begin with a
// dot or usually hold secrets.
func (f Folder) Names(ctx context.Context, hidden bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		const most = 2 * maxSearched // entries
		w := walk{folder: f.folder, most: most, shown: !hidden, secret: hidden, rules: map[string][]ignoreRule{}}
		for name, entry := range w.below(ctx, ".") {
			if entry.IsDir() {
				name += "/"
			}
			if sanitize.Text(name) == name && !strings.ContainsAny(name, "\"\t\n") && !yield(name) {
				return
			}
		}
	}
}

// Has reports whether the address of a resource is that of a file in the folder.
func (f Folder) Has(uri string) bool { return strings.HasPrefix(uri, f.uri(".")+"/") }

// Locate returns the full path of a file or folder with links resolved, and why to ask before it is read, such as
// "usually holds secrets", or "". ok is false if there is none.
func (f Folder) Locate(name string) (real, why string, ok bool) {
	full := f.full(name)
	if rest, inHome := strings.CutPrefix(name, "~/"); inHome {
		home, _ := os.UserHomeDir()
		full = filepath.Join(home, rest)
	} else if filepath.IsAbs(name) {
		full = filepath.Clean(name)
	}
	if strings.HasPrefix(filepath.ToSlash(full), "//") { // on another machine, which would get your password's hash
		return "", "", false
	}
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		return "", "", false
	}
	root := resolve(f.root.Name())
	below, err := filepath.Rel(root, real)
	typed, _ := filepath.Rel(f.root.Name(), full)
	switch {
	case f.isSecret(full):
		why = "usually holds secrets"
	case err != nil || !filepath.IsLocal(below):
		why = "is outside the current folder"
	case !strings.EqualFold(below, typed): // some file systems ignore case
		why = "is behind a link"
	}
	return real, why, true
}

// Read returns the lines of a text file from one to another, the list of a folder, or, without lines, an image of any
// kind. until may be 0 for the end. real is a path from Locate: if it leads to another file by now, Read returns an
// error.
func (f Folder) Read(ctx context.Context, real string, from, until int) (text string, image []byte, err error) {
	name := sanitize.Clip(filepath.Base(real), 200)
	if is, err := os.Lstat(real); err == nil && is.Mode().Type()&^(fs.ModeDir|fs.ModeSymlink) != 0 {
		return "", nil, notRegular(name, is.Mode()) // opening some devices changes them
	}
	file, err := os.OpenFile(real, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return "", nil, fmt.Errorf("cannot read %q: %w", name, atomicfile.Cause(err))
	}
	defer file.Close()
	info, err := file.Stat()
	now, _ := filepath.EvalSymlinks(real)
	at, _ := os.Lstat(real)
	switch {
	case err != nil || now != real || !os.SameFile(info, at):
		return "", nil, fmt.Errorf("%q was replaced meanwhile. Send the message again", name)
	case info.IsDir():
		entries, err := sortedEntries(file)
		return listed(entries, "Attach the folders in it to see them"), nil, err
	case !info.Mode().IsRegular():
		return "", nil, notRegular(name, info.Mode())
	}
	start := bufio.NewReaderSize(file, maxText)
	if head, _ := start.Peek(maxText); from == 0 && strings.HasPrefix(contentType(head), "image/") {
		image, err = io.ReadAll(io.LimitReader(start, maxFileSize+1))
		return "", image, err
	}
	_, err = file.Seek(0, io.SeekStart)
	in, textErr := decoded(file, name)
	if err = cmp.Or(err, textErr); err != nil {
		return "", nil, err
	}
	if text, err = cutLines(ctx, in.Reader, from, until); err != nil {
		return "", nil, fmt.Errorf("%q %w", name, err)
	}
	return strings.ToValidUTF8(cmp.Or(text, "[The file is empty.]"), "\ufffd"), nil, nil
}

// cutLines returns lines of a text. An error continues a sentence about the file.
func cutLines(ctx context.Context, in io.Reader, from, until int) (string, error) {
	var text strings.Builder
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxFileSize)
	for line := 1; (until == 0 || line <= until) && ctx.Err() == nil && lines.Scan(); line++ {
		if line >= from {
			text.Write(append(lines.Bytes(), '\n'))
		}
		if text.Len() > maxFileSize {
			return "", fmt.Errorf("has more than %s. Attach some of its lines", quantity.Bytes(maxFileSize))
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return "", fmt.Errorf("has a line of more than %s", quantity.Bytes(maxFileSize))
	}
	if text.Len() == 0 && from > 1 {
		return "", fmt.Errorf("has no line %d", from)
	}
	return text.String(), cmp.Or(ctx.Err(), lines.Err())
}
