// Package shape has the tests of how the repository is arranged: which package imports which, the words of its texts,
// and the links and names in its documents.
package shape

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// root is the top folder of the repository.
const root = "../.."

// tree has the files of the repository.
var tree = os.DirFS(root)

// positions has the positions of the files that packages parses.
var positions = token.NewFileSet()

// packages parses the files of every package that are not tests, for all systems, by folder and name.
func packages(t *testing.T) map[string]map[string]*ast.File {
	t.Helper()
	all := map[string]map[string]*ast.File{}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || len(name) > 1 && strings.HasPrefix(entry.Name(), ".")) {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parse(name)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if all[dir] == nil {
			all[dir] = map[string]*ast.File{}
		}
		all[dir][name] = file
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if all["."] == nil {
		t.Fatalf("%q is not the top of the repository: it has no Go files", root)
	}
	return all
}

// parse parses a Go file.
func parse(name string) (*ast.File, error) {
	code, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	return parser.ParseFile(positions, name, code, parser.SkipObjectResolution|parser.ParseComments)
}

// documents returns the text of all Markdown files, by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		files, _ := fs.Glob(tree, pattern) // only a bad pattern is an error
		if len(files) == 0 {
			t.Fatalf("%q has no %s", root, pattern)
		}
		for _, file := range files {
			text, err := fs.ReadFile(tree, file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = string(text)
		}
	}
	return texts
}
