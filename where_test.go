package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"testing"
)

// TestWhereThingsAre checks that each place in the table of CONTRIBUTING.md exists, so that the table stays true.
func TestWhereThingsAre(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| .*\\? \\| `([^`]+)` \\| `([^`]+)` \\|$").FindAllStringSubmatch(string(text), -1)
	if len(rows) == 0 {
		t.Fatal("CONTRIBUTING.md has no table of places")
	}
	for _, row := range rows {
		file, name := row[1], row[2]
		code, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		if !declares(code, name) {
			t.Errorf("CONTRIBUTING.md says that %q is in %s, which has no such function", name, file)
		}
	}
}

// declares reports whether a file has a function or method of that name.
func declares(file *ast.File, name string) bool {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == name {
			return true
		}
	}
	return false
}
