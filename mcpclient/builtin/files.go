package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/atomicfile"
	"github.com/aloudchat/aloud/sanitize"
)

// serve returns the files server. Paths with "..", full paths and links cannot leave the folder.
func (f folder) serve(write bool) *server.MCPServer {
	hooks := new(server.Hooks)
	s := newServer("files", "Files", server.WithHooks(hooks), server.WithResourceCapabilities(false, false))
	f.addResources(s, hooks)
	readOnly := hints{readOnly: true, idempotent: true}
	name := mcp.WithString("path", mcp.Required())

	addTool(s, newTool("read_file", "Read File", "Read a text file. Long files are read in parts.", readOnly, name,
		mcp.WithNumber("offset", mcp.Description("first line, from 1")),
		mcp.WithNumber("limit", mcp.Description("number of lines"))), f.read)
	addTool(s, newTool("list_directory", "List Directory", "List a folder.", readOnly,
		mcp.WithString("path", mcp.Description("default: the served folder"))), f.list)
	addTool(s, newTool("search_files", "Search Files", "Find files by name, or lines by text. Skips ignored files.",
		readOnly, mcp.WithString("glob", mcp.Description("such as *.md or src/**/*.go")),
		mcp.WithString("text", mcp.Description("text to find; case-sensitive if it has capitals")),
		mcp.WithBoolean("regexp", mcp.Description("text is a regular expression")),
		mcp.WithString("path", mcp.Description("folder to search"))), f.search)
	if !write {
		return s
	}
	addTool(s, newTool("write_file", "Write File", "Create a file, or replace its whole content.",
		hints{destructive: true, idempotent: true}, name, mcp.WithString("content", mcp.Required())), f.apply(f.planWrite))
	addTool(s, newTool("edit_file", "Edit File", "Replace a piece of a text file.", hints{destructive: true}, name,
		mcp.WithString("old_text", mcp.Required(), mcp.Description("exact text that occurs once in the file")),
		mcp.WithString("new_text", mcp.Required())), f.apply(f.planEdit))
	return s
}

// folder is the served folder.
type folder struct {
	root  *os.Root
	own   []string // paths of aloud's own files, from realPaths
	asked bool     // Options.Asks
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
func (f folder) file(r mcp.CallToolRequest) (string, error) {
	argument, err := text(r, "path")
	if err != nil {
		return "", err
	}
	name, err := f.name(argument)
	if err == nil && !f.asked && f.holdsSecrets(name) {
		err = refusal(name)
	}
	return name, err
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
	if err != nil {
		return nil, "", explain(name, err)
	}
	if len(content) > maxFileSize {
		return nil, "", fmt.Errorf("%q is larger than 10 MB", sanitize.Clip(name, 200))
	}
	return content, contentType(content), nil
}

// isUTF8 reports whether a content type is text, but not UTF-16.
func isUTF8(kind string) bool {
	return strings.HasPrefix(kind, "text/") && !strings.Contains(kind, "utf-16")
}

// list shows a folder, one line per entry.
func (f folder) list(ctx context.Context, r mcp.CallToolRequest) (string, error) {
	const most = 500
	name, err := f.name(r.GetString("path", ""))
	if err != nil {
		return "", err
	}
	entries, err := f.entries(name)
	if err != nil {
		return "", explain(name, err)
	}
	var b strings.Builder
	for i, entry := range entries {
		if i == most {
			fmt.Fprintf(&b, "[%d more. Use search_files to find them by name]\n", len(entries)-most)
			break
		}
		b.WriteString(describe(entry) + "\n")
	}
	if b.Len() == 0 {
		return "[The folder is empty.]", ctx.Err()
	}
	return b.String(), ctx.Err()
}

// entries returns up to maxSearched entries of a folder, sorted by name. Unlike fs.ReadDir, it does not block on pipes.
func (f folder) entries(name string) ([]fs.DirEntry, error) {
	file, err := f.root.OpenFile(name, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	entries, err := file.ReadDir(maxSearched)
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
	return name + " (" + bytesOf(info.Size()) + ")"
}

// oneLine quotes a name if it has control characters.
func oneLine(name string) string {
	if sanitize.Line(name) == name {
		return name
	}
	return strconv.Quote(name)
}

func bytesOf(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// contentType guesses the content type from the start of a file or page.
func contentType(head []byte) string { return http.DetectContentType(head) }

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

// explain returns an error about a file in one sentence.
func explain(name string, err error) error {
	name = sanitize.Clip(name, 200)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%q does not exist. Use list_directory to see what exists", name)
	case strings.Contains(err.Error(), "path escapes"): // os.Root has no error value for it
		return outside(name)
	case errors.As(err, new(*fs.PathError)):
		return fmt.Errorf("cannot use %q: %w", name, atomicfile.Cause(err))
	}
	return err
}
