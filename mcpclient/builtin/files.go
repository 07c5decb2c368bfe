package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
)

// files returns a server for a folder. Paths with "..", full paths and links cannot leave it.
func files(o Options) (*Server, error) {
	full, err := filepath.Abs(o.Dir) // so that calls can use full paths
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(full)
	if err != nil {
		return nil, fmt.Errorf("cannot open folder %q: %w", full, atomicfile.Cause(err))
	}
	f := folder{root, realPaths(o.Own), o.Asks, new(sync.Once)}
	answers := map[string]handler{"read_file": f.read, "list_directory": f.list, "search_files": f.search}
	if o.Write {
		answers["write_file"], answers["edit_file"] = f.apply(planWrite), f.apply(planEdit)
	}
	return &Server{name: "files", answers: answers, folder: f}, nil
}

// draftAge is the age from which a draft is certainly left over. Writing one takes moments.
const draftAge = time.Hour

// folder is the served folder.
type folder struct {
	root  *os.Root
	own   []string // paths of aloud's own files, from realPaths
	asked bool     // Options.Asks
	swept *sync.Once
}

// sweep removes drafts of killed processes at the first change. Until then, a server touches nothing.
func (f folder) sweep(ctx context.Context) {
	f.swept.Do(func() { atomicfile.Sweep(ctx, f.root, time.Now().Add(-draftAge), maxSeen) })
}

// full returns the full path of a name.
func (f folder) full(name string) string {
	return filepath.Join(f.root.Name(), filepath.FromSlash(name))
}

// name returns a path argument relative to the folder.
func (f folder) name(argument string) (string, error) {
	name := strings.TrimSpace(argument)
	if name == "" {
		return ".", nil
	}
	if filepath.IsAbs(name) {
		within, err := filepath.Rel(f.root.Name(), name)
		if err != nil {
			return "", outside(name)
		}
		name = within
	}
	name = path.Clean(filepath.ToSlash(name))
	if strings.ContainsRune(name, 0) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", outside(argument)
	}
	return name, nil
}

// file returns the required path argument of a call.
func (f folder) file(a arguments) (string, error) {
	argument, err := a.text("path")
	if err != nil {
		return "", err
	}
	name, err := f.name(argument)
	if err == nil && !f.asked && f.holdsSecrets(name) {
		err = unasked(name)
	}
	return name, err
}

// unasked is the error for a file that usually holds secrets where the user cannot be asked.
func unasked(name string) error {
	return fmt.Errorf("%q usually holds secrets, and the user cannot be asked here. Use another file, or another "+
		"program for this one", sanitize.Clip(name, 200))
}

// optional returns the path argument of a call that need not have one.
func (f folder) optional(a arguments) (string, error) {
	argument, err := a.optional("path")
	if err != nil {
		return "", err
	}
	return f.name(argument)
}

// open opens a regular file for reading. It does not block on pipes.
func (f folder) open(name string) (*os.File, error) {
	file, err := f.root.OpenFile(name, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, explain(name, err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(name, info.Mode())
	}
	if err != nil {
		file.Close()
		return nil, explain(name, err)
	}
	return file, nil
}

// readAll returns the content of a file and its content type.
func (f folder) readAll(name string) (content []byte, kind string, err error) {
	file, err := f.open(name)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	content, err = io.ReadAll(io.LimitReader(file, maxFileSize+1))
	if len(content) > maxFileSize {
		size := int64(len(content)) // it may grow meanwhile
		if info, err := file.Stat(); err == nil {
			size = max(size, info.Size())
		}
		return nil, "", fmt.Errorf("%q has %d bytes, more than %d", sanitize.Clip(name, 200), size, maxFileSize)
	}
	return content, contentType(content), explain(name, err)
}

// list shows a folder, one line per entry.
func (f folder) list(ctx context.Context, a arguments) (string, error) {
	name, err := f.optional(a)
	if err != nil {
		return "", err
	}
	entries, err := f.entries(name)
	if err != nil {
		return "", explain(name, err)
	}
	return listed(entries, "Use search_files to find them by name"), ctx.Err()
}

// listed returns the lines of a list of entries, and what to do if there are too many of them.
func listed(entries []fs.DirEntry, rest string) string {
	const most = 500
	var b strings.Builder
	for i, entry := range entries {
		if i == most {
			fmt.Fprintf(&b, "[%d more. %s]\n", len(entries)-most, rest)
			break
		}
		b.WriteString(describe(entry) + "\n")
	}
	return cmp.Or(b.String(), "[The folder is empty.]")
}

// entries returns up to maxSearched entries of a folder, sorted by name. Unlike fs.ReadDir, it does not block on pipes.
func (f folder) entries(name string) ([]fs.DirEntry, error) {
	file, err := f.root.OpenFile(name, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return sortedEntries(file)
}

func sortedEntries(dir *os.File) ([]fs.DirEntry, error) {
	entries, err := dir.ReadDir(maxSearched)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// describe returns the line for an entry: "docs/", "go.mod (1.2 kB)", "current (link)".
func describe(entry fs.DirEntry) string {
	name := oneLine(entry.Name())
	switch mode := entry.Type(); {
	case mode.IsDir():
		return name + "/"
	case mode&fs.ModeSymlink != 0:
		return name + " (link)"
	case !mode.IsRegular():
		return name + " (not a regular file)"
	}
	info, err := entry.Info()
	if err != nil {
		return name
	}
	return name + " (" + quantity.Bytes(info.Size()) + ")"
}

// oneLine quotes a name if it has control characters.
func oneLine(name string) string {
	if sanitize.Line(name) == name {
		return name
	}
	return strconv.Quote(name)
}

func outside(name string) error {
	return fmt.Errorf("%q is outside the served folder. Use a path relative to it", sanitize.Clip(name, 200))
}

func notRegular(name string, mode fs.FileMode) error {
	switch {
	case mode.IsDir():
		return fmt.Errorf("%q is a folder. Use list_directory", name)
	case mode&fs.ModeSymlink != 0:
		return fmt.Errorf("%q is a link. Change the file that it points to", name)
	}
	return fmt.Errorf("%q is not a regular file", name)
}

// explain returns an error about a file in one sentence, nil for nil.
func explain(name string, err error) error {
	name = sanitize.Clip(name, 200)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%q does not exist. Use list_directory to see what exists", name)
	case !errors.As(err, new(*fs.PathError)):
		return err
	case strings.Contains(err.Error(), "path escapes"): // os.Root has no error value for it
		return outside(name)
	}
	return fmt.Errorf("cannot use %q: %w", name, atomicfile.Cause(err))
}
