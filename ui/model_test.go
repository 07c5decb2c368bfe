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

// modelLimit is the largest number of lines that the methods of the model, and the functions that take it, may have
// together. The model only routes; its children do the work.
const modelLimit = 500

func TestModelStaysSmall(t *testing.T) {
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
			if f, ok := d.(*ast.FuncDecl); ok && takesModel(f) {
				lines += set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1
			}
		}
	}
	if lines == 0 || lines > modelLimit {
		t.Errorf("the methods of the model have %d lines, more than %d: move some into a child", lines, modelLimit)
	}
}

// takesModel reports whether the model is the receiver or a parameter of a function.
func takesModel(f *ast.FuncDecl) bool {
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
