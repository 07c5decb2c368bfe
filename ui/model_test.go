package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// mostOfTheModel is how many lines the methods of the model may have together: it routes and joins, and its children know how to do their work.
// Whoever needs more has probably found a child.
const mostOfTheModel = 500

func TestTheModelOnlyRoutes(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	set, lines := token.NewFileSet(), 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, f.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && ofTheModel(f) {
				lines += set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1
			}
		}
	}
	if lines == 0 || lines > mostOfTheModel {
		t.Errorf("the methods of the model have %d lines, of %d: give some of what they know to a child", lines, mostOfTheModel)
	}
}

func ofTheModel(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return false
	}
	of, ok := f.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	name, ok := of.X.(*ast.Ident)
	return ok && name.Name == "model"
}
