package elicit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/elicit"
)

func TestRootOf(t *testing.T) {
	dir := t.TempDir()
	odd := filepath.Join(dir, "a b#ü%")
	file := filepath.Join(dir, "file")
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := elicit.RootOf(odd)
	if err != nil || !strings.HasPrefix(root.URI, "file:///") || !strings.HasSuffix(root.URI, "/a%20b%23%C3%BC%25") ||
		root.Name != "a b#ü%" || root.Folder != odd {
		t.Errorf("%+v, %v", root, err)
	}
	t.Chdir(odd)
	if here, err := elicit.RootOf("."); err != nil || here.Name != "a b#ü%" {
		t.Errorf("the current folder is %+v, %v", here, err)
	}
	for folder, want := range map[string]string{filepath.Join(dir, "none"): "does not exist", file: "is a file"} {
		if _, err := elicit.RootOf(folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", folder, err, want)
		}
	}
}
