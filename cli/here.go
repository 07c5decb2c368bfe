package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/ui"
)

// here describes the current folder for the welcome. What cannot be read is left out.
func (c *chatParts) here() ui.Here {
	folder, err := os.Getwd()
	if err != nil {
		return ui.Here{}
	}
	h := ui.Here{Folder: shortPath(folder), Branch: branchOf(folder), Files: textFiles(folder)}
	if c.Sessions != nil {
		h.Earlier, _ = c.Sessions.Latest()
	}
	return h
}

// branchOf returns the branch of the Git repository around a folder, or "". It reads the file HEAD, because a program
// would take longer and may not be installed.
func branchOf(folder string) string {
	for {
		git := filepath.Join(folder, ".git")
		if link, err := os.ReadFile(git); err == nil { // in a linked worktree or a submodule
			git = strings.TrimSpace(strings.TrimPrefix(string(link), "gitdir:"))
			if !filepath.IsAbs(git) {
				git = filepath.Join(folder, git)
			}
		}
		if head, err := os.ReadFile(filepath.Join(git, "HEAD")); err == nil {
			if branch, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/"); ok {
				return branch
			}
			return ""
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return ""
		}
		folder = parent
	}
}

// textFiles returns two files in a folder that questions may be about.
func textFiles(folder string) []string {
	const most = 1000 // files to look at
	dir, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(most) // what could be read
	names = slices.DeleteFunc(names, func(name string) bool { return filepath.Ext(name) != ".md" || name[0] == '.' })
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(readmeLast(a)-readmeLast(b), cmp.Compare(a, b)) })
	return names[:min(len(names), 2)]
}

// readmeLast sorts the README, which is about the project rather than yours, after other files.
func readmeLast(name string) int {
	if strings.EqualFold(name, "README.md") {
		return 1
	}
	return 0
}
