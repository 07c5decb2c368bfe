package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// TestBranchOfLinkedFolder checks folders whose .git is a file, as in a linked worktree or a submodule.
func TestBranchOfLinkedFolder(t *testing.T) {
	repo := t.TempDir()
	for file, text := range map[string]string{
		".git/HEAD":                 "ref: refs/heads/main\n",
		".git/worktrees/fix/HEAD":   "ref: refs/heads/fix\n",
		".git/modules/lib/HEAD":     "ref: refs/heads/lib/two\n",
		"fix/.git":                  "gitdir: " + filepath.Join(repo, ".git/worktrees/fix") + "\n",
		"lib/.git":                  "gitdir: ../.git/modules/lib\n",
		"detached/.git/HEAD":        "0f38de98\n",
		"fix/deep/inside/notes.txt": "",
	} {
		file = filepath.Join(repo, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string]string{
		".": "main", "fix": "fix", "fix/deep/inside": "fix", "lib": "lib/two", "detached": "",
	} {
		if got := branchOf(filepath.Join(repo, folder)); got != want {
			t.Errorf("the branch of %s is %q, want %q", folder, got, want)
		}
	}
}
