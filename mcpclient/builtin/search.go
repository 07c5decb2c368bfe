package builtin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Limits of a search. The result mentions those that it reached.
const (
	maxMatches  = 100
	maxSearched = 100_000 // entries
	maxFileSize = 10 << 20
	maxLine     = 256 << 10 // a slow match cannot be cancelled
	maxLineTold = 200       // bytes of a line in the result
	maxChoices  = 4         // {a,b} in a glob, every combination of which is tried
	searchTime  = 20 * time.Second
)

func (f folder) search(ctx context.Context, a arguments) (string, error) {
	start, err := f.optional(a)
	if err != nil {
		return "", err
	}
	info, err := f.root.Stat(start)
	if err != nil {
		return "", explain(start, err)
	}
	real := resolve(f.full(start))
	s := search{walk: walk{folder: f, most: maxSearched, real: real, rules: map[string][]ignoreRule{}}, start: start}
	if s.glob, err = a.optional("glob"); err != nil {
		return "", err
	}
	if s.text, err = a.optional("text"); err != nil {
		return "", err
	}
	if s.glob == "" && s.text == "" {
		return "", errors.New(`"glob" and "text" are both missing`)
	}
	if !doublestar.ValidatePattern(s.glob) {
		return "", fmt.Errorf("%q is not a glob. Use one like *.md or src/**/*.go", sanitize.Clip(s.glob, 200))
	}
	if strings.Count(s.glob, "{") > maxChoices {
		return "", fmt.Errorf("%q has more than %d choices like {a,b}", sanitize.Clip(s.glob, 200), maxChoices)
	}
	if s.find, err = pattern(s.text, fmt.Sprint(a.values["regexp"]) == "true"); err != nil {
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
	} else if !f.isSecretPath(real) {
		s.visit(limit, start, fs.FileInfoToDirEntry(info))
	}
	return s.result(limit.Err() != nil), ctx.Err()
}

// pattern compiles the text or regular expression to find. Without capitals it ignores case.
func pattern(text string, isRegexp bool) (*regexp.Regexp, error) {
	expression := text
	if !isRegexp {
		expression = regexp.QuoteMeta(text)
	}
	if strings.ToLower(text) == text {
		expression = "(?i)" + expression
	}
	find, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("%q is not a regular expression: %w", sanitize.Clip(text, 200), err)
	}
	return find, nil
}

// search is the state of a search.
type search struct {
	walk
	start string
	glob  string // "" for all names
	text  string // "" for names only
	find  *regexp.Regexp

	found []string
}

func (s *search) visit(ctx context.Context, name string, entry fs.DirEntry) {
	switch {
	case !s.matches(name):
	case s.text == "" && entry.IsDir():
		s.found = append(s.found, oneLine(name)+"/")
	case s.text == "":
		s.found = append(s.found, oneLine(name))
	case entry.Type().IsRegular():
		s.searchFile(ctx, name, entry)
	}
}

// matches reports whether the glob matches the name, or its last part if the glob has no slash.
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

// searchFile searches a file.
func (s *search) searchFile(ctx context.Context, name string, entry fs.DirEntry) {
	info, err := entry.Info()
	if err != nil || info.Size() > maxFileSize {
		s.skipped++
		return
	}
	in, err := s.folder.openText(name)
	if err != nil {
		s.skipped++
		return
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for number := 1; len(s.found) < maxMatches && ctx.Err() == nil && lines.Scan(); number++ {
		if at := s.find.FindStringIndex(lines.Text()); at != nil {
			s.found = append(s.found, fmt.Sprintf("%s:%d: %s", oneLine(name), number, around(lines.Text(), at[0])))
		}
	}
	if lines.Err() != nil {
		s.skipped++
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

// result returns the matches, and notes on what was not searched.
func (s *search) result(late bool) string {
	told := s.found
	if len(told) == 0 {
		told = append(told, "[Nothing found. Ignored files (.gitignore) and files that usually hold secrets were skipped.]")
	}
	if len(s.found) >= maxMatches || s.seen > maxSearched || late {
		told = append(told, fmt.Sprintf("[Stopped after %d matches in %d entries. Narrow the search.]", len(s.found), s.seen))
	}
	if s.skipped > 0 {
		const why = "no access, not text, larger than 10 MB, or lines over 256 kB"
		told = append(told, fmt.Sprintf("[%d not searched: %s.]", s.skipped, why))
	}
	return strings.Join(told, "\n")
}
