package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRootsOf(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	notes := filepath.Join(home, "notes")
	if err := os.MkdirAll(filepath.Join(notes, "~"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(notes, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(notes)
	for _, c := range []struct{ folders, want string }{
		{"", "notes"}, // the current one
		{". ~/notes/ ../notes", "notes"},
		{"~ .", "home notes"},
		{"./~", "~"},
		{"none", `folder "none" does not exist`},
		{". file", `"file" is a file`},
		{"~/none", fmt.Sprintf("folder %q does not exist", filepath.Join(home, "none"))},
	} {
		roots, err := rootsOf(strings.Fields(c.folders))
		var names []string
		for _, r := range roots {
			names = append(names, strings.Replace(r.Name, filepath.Base(home), "home", 1))
		}
		got := strings.Join(names, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) || err == nil && got != c.want {
			t.Errorf("--root %s gives %s, want %s", c.folders, got, c.want)
		}
	}
}
