package shape

import (
	"go/ast"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	mdLink    = regexp.MustCompile(`\]\(([^)\s#]*)(?:#([^)\s]+))?\)`)
	mdHeading = regexp.MustCompile("(?m)^#+ (.*)$")
	notAnchor = regexp.MustCompile("[^a-z0-9 _-]")
)

// TestDocsLinks checks that links between documents lead to existing files and headings.
func TestDocsLinks(t *testing.T) {
	texts := documents(t)
	for file, text := range texts {
		for _, link := range mdLink.FindAllStringSubmatch(text, -1) {
			target, anchor := path.Join(path.Dir(file), link[1]), link[2]
			if link[1] == "" {
				target = file
			}
			if strings.Contains(link[1], "://") {
				continue
			}
			if _, err := fs.Stat(tree, target); err != nil {
				t.Errorf("%s: broken link: %v", file, err)
			} else if anchor != "" && !slices.Contains(anchors(texts[target]), anchor) {
				t.Errorf("%s: %s has no heading #%s", file, target, anchor)
			}
		}
	}
}

// anchors returns the names by which GitHub links to the headings of a document.
func anchors(text string) (all []string) {
	for _, heading := range mdHeading.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ReplaceAll(notAnchor.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-"))
	}
	return all
}

// TestWhereThingsAre checks that the Go files named in the documents exist, and declare what the documents claim:
// "`judge` in `provider/loop/loop.go`", or "| `provider/loop/loop.go` | `judge` |" in a table.
func TestWhereThingsAre(t *testing.T) {
	for document, text := range documents(t) {
		for _, found := range regexp.MustCompile("`([a-z0-9_/*]+\\.go)`").FindAllStringSubmatch(text, -1) {
			if files, err := fs.Glob(tree, found[1]); err != nil || len(files) == 0 {
				t.Errorf("%s names %s, which does not exist", document, found[1])
			}
		}
		for _, row := range regexp.MustCompile("`([\\w/]+\\.go)` \\| `(\\w+)`").FindAllStringSubmatch(text, -1) {
			declares(t, document, row[1], row[2])
		}
		for _, words := range regexp.MustCompile("`(\\w+)`\\s+in\\s+`([\\w/]+\\.go)`").FindAllStringSubmatch(text, -1) {
			declares(t, document, words[2], words[1])
		}
	}
}

// TestDocsPackages checks that docs/architecture.md has every package, and each below those it may import.
func TestDocsPackages(t *testing.T) {
	text := documents(t)["docs/architecture.md"]
	_, table, _ := strings.Cut(text, "## Packages")
	for name, imports := range mayImport {
		if name == "." || strings.HasPrefix(name, "e2e") || strings.HasPrefix(name, "scripts/") {
			continue
		}
		row := strings.Index(table, "`"+name+"`")
		if row < 0 {
			t.Errorf("the table of packages does not have %s", name)
		}
		for _, imported := range imports {
			if row < strings.Index(table, "`"+imported+"`") {
				t.Errorf("the table of packages has %s above %s, which it may import", name, imported)
			}
		}
	}
}

// declares checks that a file has a function, method or type of that name.
func declares(t *testing.T, document, file, name string) {
	t.Helper()
	code, err := parse(file)
	if err != nil {
		t.Error(err)
		return
	}
	found := false
	for _, d := range code.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			found = found || d.Name.Name == name
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				spec, isType := spec.(*ast.TypeSpec)
				found = found || isType && spec.Name.Name == name
			}
		}
	}
	if !found {
		t.Errorf("%s says that %q is in %s, which does not declare it", document, name, file)
	}
}
