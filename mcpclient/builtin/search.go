package builtin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/mark3labs/mcp-go/mcp"
)

// What one search looks at, and how much it tells, at most. It says so when that was not all.
const (
	maxMatches  = 100
	maxSearched = 100_000  // entries
	maxFileSize = 10 << 20 // of a file that is looked into
	maxLineTold = 200      // bytes
	maxChoices  = 4        // {a,b} in a glob: matching tries every combination of them
)

// unsearched are folders that other programs fill: what they hold is rarely what is looked for, and there is much of it.
func unsearched(name string) bool {
	return slices.Contains([]string{".git", ".hg", ".svn", "node_modules", "__pycache__"}, name)
}

func (f folder) search(ctx context.Context, r mcp.CallToolRequest) (string, error) {
	start, err := f.name(r.GetString("path", ""))
	if err != nil {
		return "", err
	}
	s := search{folder: f, start: start, glob: r.GetString("glob", ""), text: r.GetString("text", "")}
	if s.glob == "" && s.text == "" {
		return "", errors.New(`give a "glob", a "text" or both`)
	}
	if !doublestar.ValidatePattern(s.glob) {
		return "", fmt.Errorf("%q is no glob; write it like *.md or src/**/*.go", shorten(s.glob, 200))
	}
	if strings.Count(s.glob, "{") > maxChoices {
		return "", fmt.Errorf("%q has more than %d choices like {a,b}; search more than once", shorten(s.glob, 200), maxChoices)
	}
	s.anyCase = strings.ToLower(s.text) == s.text
	err = fs.WalkDir(f.root.FS(), start, func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return s.unreadable(name, entry, err)
		}
		return s.visit(name, entry)
	})
	if err != nil {
		return "", explain(start, err)
	}
	return s.String(), nil
}

// search is one walk through the folder.
type search struct {
	folder  folder
	start   string
	glob    string // "": every name
	text    string // "": names only
	anyCase bool

	found    []string
	searched int
	skipped  int  // files too big or closed to us
	stopped  bool // at a limit
}

func (s *search) unreadable(name string, entry fs.DirEntry, err error) error {
	if name == s.start {
		return err
	}
	s.skipped++
	if entry != nil && entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func (s *search) visit(name string, entry fs.DirEntry) error {
	if entry.IsDir() && name != s.start && unsearched(entry.Name()) {
		return fs.SkipDir
	}
	if s.searched++; s.searched > maxSearched {
		s.stopped = true
		return fs.SkipAll
	}
	if name == "." || !s.matches(name) {
		return nil
	}
	switch {
	case s.text == "" && entry.IsDir():
		s.found = append(s.found, oneLine(name)+"/")
	case s.text == "":
		s.found = append(s.found, oneLine(name))
	case entry.Type().IsRegular():
		s.look(name, entry)
	}
	if len(s.found) >= maxMatches {
		s.stopped = true
		return fs.SkipAll
	}
	return nil
}

// matches holds the glob against the last part of the name, or against all of it when it has folders itself.
func (s *search) matches(name string) bool {
	switch {
	case s.glob == "":
		return true
	case !strings.Contains(s.glob, "/"):
		name = path.Base(name)
	case s.start != ".":
		if ok, _ := doublestar.Match(s.glob, strings.TrimPrefix(name, s.start+"/")); ok {
			return true
		}
	}
	ok, _ := doublestar.Match(strings.TrimPrefix(s.glob, "./"), name)
	return ok
}

// look finds the text in one file.
func (s *search) look(name string, entry fs.DirEntry) {
	info, err := entry.Info()
	if err != nil || info.Size() > maxFileSize {
		s.skipped++
		return
	}
	file, err := s.folder.open(name)
	if err != nil {
		s.skipped++
		return
	}
	defer file.Close()
	in := bufio.NewReader(file)
	if head, _ := in.Peek(512); !strings.HasPrefix(contentType(head), "text/") {
		return
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxFileSize+1)
	for number := 1; lines.Scan() && len(s.found) < maxMatches; number++ {
		if at := s.index(lines.Text()); at >= 0 {
			s.found = append(s.found, fmt.Sprintf("%s:%d: %s", oneLine(name), number, around(lines.Text(), at)))
		}
	}
}

func (s *search) index(line string) int {
	if s.anyCase {
		line = strings.ToLower(line)
	}
	return strings.Index(line, s.text)
}

// around is the part of a long line that has what was found.
func around(line string, at int) string {
	line = strings.TrimRight(line, "\r")
	if len(line) > maxLineTold {
		from := max(0, min(at-maxLineTold/4, len(line)-maxLineTold))
		line = line[from:min(from+maxLineTold, len(line))]
	}
	return strings.TrimSpace(strings.ToValidUTF8(line, ""))
}

func (s *search) String() string {
	found := strings.Join(s.found, "\n")
	if found == "" {
		found = "[Nothing found.]"
	}
	if s.stopped {
		found += fmt.Sprintf("\n[Stopped after %d matches in %d entries: there may be more. Narrow the search.]", len(s.found), s.searched)
	}
	if s.skipped > 0 {
		found += fmt.Sprintf("\n[%d could not be read or are larger than 10 MB.]", s.skipped)
	}
	return found
}
