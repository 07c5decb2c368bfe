package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// mostOfTheModel is how many lines the methods of the model, and the functions that take it, may have together: it
// routes and joins, and its children know how to do their work. If you need more you have probably found a child.
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

// ofTheModel reports whether a function has the whole model: as its receiver or as a parameter.
func ofTheModel(f *ast.FuncDecl) bool {
	fields := f.Type.Params.List
	if f.Recv != nil {
		fields = append(f.Recv.List[:1:1], fields...)
	}
	return slices.ContainsFunc(fields, func(field *ast.Field) bool {
		of, ok := field.Type.(*ast.StarExpr)
		if !ok {
			return false
		}
		name, ok := of.X.(*ast.Ident)
		return ok && name.Name == "model"
	})
}
