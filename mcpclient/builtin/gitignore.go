package builtin

import (
	"bytes"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// What is read of the .gitignore files on the way to one entry. They may come with the files, and each rule is held against each entry.
const (
	maxIgnoreFile  = 64 << 10
	maxIgnoreRules = 1000
)

// ignores is what .gitignore files say, from the top folder down to the one where the search is.
type ignores struct {
	folder folder
	rules  []ignoreRule
}

// ignoreRule is one line of a .gitignore file.
type ignoreRule struct {
	in      string // the folder of the file
	glob    string
	whole   bool // against the path below that folder, not only the last part of it
	folders bool // for folders only
	keep    bool // takes back what rules before it left out
}

// enter adds the rules of a folder, and forgets those of folders that it is not in.
func (i *ignores) enter(name string) {
	i.leave(name)
	file, err := i.folder.open(path.Join(name, ".gitignore"))
	if err != nil {
		return // there is none, most likely
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxIgnoreFile))
	if err != nil {
		return
	}
	for line := range bytes.Lines(content) {
		if rule, ok := parseIgnore(string(line)); ok && len(i.rules) < maxIgnoreRules {
			rule.in = name
			i.rules = append(i.rules, rule)
		}
	}
}

// enterAll enters all folders on the way to name, and that one. A folder named in the call is searched even if it is ignored.
func (i *ignores) enterAll(name string) {
	i.enter(".")
	if name == "." {
		return
	}
	at := "."
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		if i.ignored(at, true) {
			i.rules = nil
		}
		i.enter(at)
	}
}

// leave forgets the rules of folders that name is not in.
func (i *ignores) leave(name string) {
	for len(i.rules) > 0 && !within(name, i.rules[len(i.rules)-1].in) {
		i.rules = i.rules[:len(i.rules)-1]
	}
}

func within(name, dir string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}

// ignored reports whether an entry is left out. The last rule that matches decides.
func (i *ignores) ignored(name string, isFolder bool) bool {
	i.leave(name)
	for _, rule := range slices.Backward(i.rules) {
		if rule.fits(name, isFolder) {
			return !rule.keep
		}
	}
	return false
}

func (r ignoreRule) fits(name string, isFolder bool) bool {
	if r.folders && !isFolder || name == r.in {
		return false
	}
	if r.in != "." {
		name = strings.TrimPrefix(name, r.in+"/")
	}
	if !r.whole {
		name = path.Base(name)
	}
	ok, _ := doublestar.Match(r.glob, name)
	return ok
}

// parseIgnore reads a line as git does. Lines that are empty, comments or no pattern are no rules.
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
		line = before + "/**/*" // what is in the folder, not the folder
	}
	rule.glob = strings.NewReplacer("{", `\{`, "}", `\}`, `\{`, `\{`, `\}`, `\}`).Replace(line) // git knows no choices
	return rule, line != "" && strings.Count(line, "**") <= 4 && doublestar.ValidatePattern(rule.glob)
}
