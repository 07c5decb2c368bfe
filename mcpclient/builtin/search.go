package builtin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/sanitize"
)

// Limits of one search. It says so when it reached one.
const (
	maxMatches  = 100
	maxSearched = 100_000  // entries
	maxFileSize = 10 << 20 // of a file that is looked into
	maxLineTold = 200      // bytes
	maxChoices  = 4        // {a,b} in a glob: matching tries every combination of them
	searchTime  = 20 * time.Second
)

func (f folder) search(ctx context.Context, r mcp.CallToolRequest) (string, error) {
	start, err := f.name(r.GetString("path", ""))
	if err != nil {
		return "", err
	}
	info, err := f.root.Stat(start)
	if err != nil {
		return "", explain(start, err)
	}
	real, err := filepath.EvalSymlinks(f.full(start))
	if err != nil {
		return "", explain(start, err)
	}
	s := search{walk: walk{folder: f, most: maxSearched, real: real}, start: start, glob: r.GetString("glob", ""), text: r.GetString("text", "")}
	if s.glob == "" && s.text == "" {
		return "", errors.New(`give a "glob", a "text" or both`)
	}
	if !doublestar.ValidatePattern(s.glob) {
		return "", fmt.Errorf("%q is no glob; write it like *.md or src/**/*.go", sanitize.Clip(s.glob, 200))
	}
	if strings.Count(s.glob, "{") > maxChoices {
		return "", fmt.Errorf("%q has more than %d choices like {a,b}; search more than once", sanitize.Clip(s.glob, 200), maxChoices)
	}
	s.isRegexp = r.GetBool("regexp", false)
	if s.find, err = newFinder(s.text, s.isRegexp); err != nil {
		return "", err
	}
	limit, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	if info.IsDir() {
		for name, entry := range s.below(limit, start) {
			if s.visit(limit, name, entry); len(s.found) >= maxMatches {
				break
			}
		}
	} else if f.isSecretPath(real) {
		s.secrets++
	} else {
		s.visit(limit, start, fs.FileInfoToDirEntry(info))
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return s.told(limit.Err() != nil), nil
}

// longest is how much of a line a regular expression is matched with: that may take long and cannot be stopped.
const longest = 64 << 10

// newFinder returns a function that finds the text, or regular expression, in a line: its index, or -1. A text without
// capitals matches any case.
func newFinder(text string, isRegexp bool) (func(line string) int, error) {
	anyCase := strings.ToLower(text) == text
	switch {
	case isRegexp:
		flags := ""
		if anyCase {
			flags = "(?i)"
		}
		pattern, err := regexp.Compile(flags + text)
		if err != nil {
			return nil, fmt.Errorf("%q is no regular expression: %w", sanitize.Clip(text, 200), err)
		}
		return func(line string) int { return append(pattern.FindStringIndex(line), -1)[0] }, nil
	case anyCase:
		return func(line string) int { return strings.Index(strings.ToLower(line), text) }, nil
	default:
		return func(line string) int { return strings.Index(line, text) }, nil
	}
}

// search is one walk through the folder.
type search struct {
	walk
	start    string
	glob     string // "": every name
	text     string // "": names only
	find     func(line string) int
	isRegexp bool

	found   []string
	cut     bool // a line was longer than is matched
	skipped int  // files too big or closed to us
}

func (s *search) visit(ctx context.Context, name string, entry fs.DirEntry) {
	switch {
	case !s.matches(name):
	case s.text == "" && entry.IsDir():
		s.found = append(s.found, oneLine(name)+"/")
	case s.text == "":
		s.found = append(s.found, oneLine(name))
	case entry.Type().IsRegular():
		s.look(ctx, name, entry)
	}
}

// matches matches the glob with the last part of the name, or with all of it if the glob has folders.
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
func (s *search) look(ctx context.Context, name string, entry fs.DirEntry) {
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
	for number := 1; len(s.found) < maxMatches && ctx.Err() == nil && lines.Scan(); number++ {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if s.isRegexp && len(line) > longest {
			line, s.cut = line[:longest], true
		}
		if at := s.find(line); at >= 0 {
			s.found = append(s.found, fmt.Sprintf("%s:%d: %s", oneLine(name), number, around(line, at)))
		}
	}
}

// around returns the part of a long line around a match.
func around(line string, at int) string {
	if len(line) > maxLineTold {
		from := max(0, min(at-maxLineTold/4, len(line)-maxLineTold))
		line = line[from:min(from+maxLineTold, len(line))]
	}
	return strings.TrimSpace(strings.ToValidUTF8(line, ""))
}

// told are the matches, and what the search left out.
func (s *search) told(late bool) string {
	told, hidden := s.found, ""
	add := func(format string, values ...any) { told = append(told, fmt.Sprintf("["+format+"]", values...)) }
	switch {
	case s.secrets > 0:
		hidden = fmt.Sprintf("%d left out that usually hold secrets; list_directory shows them.", s.secrets)
	case s.ignored && len(told) == 0:
		hidden = "What .gitignore names was left out; list_directory shows it."
	}
	if len(told) == 0 {
		hidden = strings.TrimSpace("Nothing found. " + hidden)
	}
	if hidden != "" {
		add("%s", hidden)
	}
	if s.cut {
		add("Of longer lines only the first %d kB were matched.", longest>>10)
	}
	if len(s.found) >= maxMatches || s.seen > maxSearched || late {
		add("Stopped after %d matches in %d entries: there may be more. Narrow the search.", len(s.found), s.seen)
	}
	if skipped := s.skipped + s.unread; skipped > 0 {
		add("%d could not be read or are larger than 10 MB.", skipped)
	}
	return strings.Join(told, "\n")
}
