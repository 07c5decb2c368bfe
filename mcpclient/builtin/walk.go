package builtin

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// walk iterates over the files of a folder that are worth searching.
type walk struct {
	folder folder
	most   int    // maximum of entries to look at
	shown  bool   // skip hidden entries
	secret bool   // do not skip secret entries
	real   string // full path of the first folder with links resolved, "" if it has none

	seen     int
	skipped  int // files and folders that could not be read
	rules    map[string][]ignoreRule
	allRules int
}

// unsearched are large folders of other programs, which rarely have files that the user looks for.
var unsearched = []string{".git", ".hg", ".svn", "node_modules", "__pycache__"}

// below iterates over the entries below start, breadth first. It skips ignored and secret entries, but never start
// itself.
func (w *walk) below(ctx context.Context, start string) iter.Seq2[string, fs.DirEntry] {
	return func(yield func(string, fs.DirEntry) bool) {
		for folders := []string{start}; len(folders) > 0; folders = folders[1:] {
			entries, err := w.folder.entries(folders[0])
			if err != nil {
				w.skipped++
			}
			for _, entry := range entries {
				name := path.Join(folders[0], entry.Name())
				if w.seen++; w.seen > w.most || ctx.Err() != nil {
					return
				}
				isFolder := entry.IsDir()
				if isFolder && slices.Contains(unsearched, entry.Name()) || w.shown && entry.Name()[0] == '.' ||
					w.isIgnored(name, isFolder) || !w.secret && w.folder.isSecretPath(w.full(start, name)) {
					continue
				}
				if !yield(name, entry) {
					return
				}
				if isFolder {
					folders = append(folders, name)
				}
			}
		}
	}
}

// full returns the full path of an entry, with links in the path of the first folder resolved.
func (w *walk) full(start, name string) string {
	if w.real == "" {
		return w.folder.full(name)
	}
	below, _ := filepath.Rel(filepath.FromSlash(start), filepath.FromSlash(name))
	return filepath.Join(w.real, below)
}

// Limits for .gitignore files, which may be hostile. Each rule is matched with each entry below it.
const (
	maxIgnoreFile  = 64 << 10
	maxIgnoreRules = 1000
)

// ignoreRule is one line of a .gitignore file.
type ignoreRule struct {
	glob    string
	whole   bool // matches the path below the .gitignore file, not only its last part
	folders bool // matches folders only
	keep    bool // "!": undoes earlier rules
}

// isIgnored reports whether .gitignore files ignore an entry. The last matching rule of the nearest file decides.
func (w *walk) isIgnored(name string, isFolder bool) bool {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		below := strings.TrimPrefix(name, dir+"/")
		for _, rule := range slices.Backward(w.rulesOf(dir)) {
			if rule.fits(below, isFolder) {
				return !rule.keep
			}
		}
		if dir == "." {
			return false
		}
	}
}

// rulesOf returns the rules of a folder, and caches them.
func (w *walk) rulesOf(dir string) []ignoreRule {
	rules, known := w.rules[dir]
	if known {
		return rules
	}
	if file, err := w.folder.open(path.Join(dir, ".gitignore")); err == nil {
		defer file.Close()
		content, _ := io.ReadAll(io.LimitReader(file, maxIgnoreFile))
		for line := range bytes.Lines(content) {
			if rule, ok := parseIgnore(string(line)); ok && w.allRules < maxIgnoreRules {
				rules = append(rules, rule)
				w.allRules++
			}
		}
	}
	w.rules[dir] = rules
	return rules
}

func (r ignoreRule) fits(name string, isFolder bool) bool {
	if !r.whole {
		name = path.Base(name)
	}
	ok, _ := doublestar.Match(r.glob, name)
	return ok && (isFolder || !r.folders)
}

// parseIgnore parses a line of a .gitignore file. ok is false for empty lines, comments and invalid patterns.
func parseIgnore(line string) (rule ignoreRule, ok bool) {
	line = strings.TrimRight(line, "\r\n")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return rule, false
	}
	line, rule.keep = strings.CutPrefix(line, "!")
	line, rule.folders = strings.CutSuffix(line, "/")
	rule.whole = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if before, ok := strings.CutSuffix(line, "/**"); ok {
		line = before + "/**/*" // the content of the folder, not the folder
	}
	rule.glob = strings.NewReplacer("{", `\{`, "}", `\}`, `\{`, `\{`, `\}`, `\}`).Replace(line) // no choices in git
	return rule, line != "" && strings.Count(line, "**") <= 4 && doublestar.ValidatePattern(rule.glob)
}
