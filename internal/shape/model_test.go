package shape

import (
	"go/ast"
	"slices"
	"testing"
)

// modelLimit is the largest number of lines that the methods of the model of ui, and the functions that take it, may
// have together. The model only routes; its children do the work.
const modelLimit = 500

func TestModelStaysSmall(t *testing.T) {
	lines := 0
	for _, file := range packages(t)["ui"] {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && takesModel(f) {
				lines += positions.Position(f.End()).Line - positions.Position(f.Pos()).Line + 1
			}
		}
	}
	if lines == 0 || lines > modelLimit {
		t.Errorf("the methods of the model have %d lines, more than %d: move some into a child", lines, modelLimit)
	}
}

// takesModel reports whether a function is a method of the model or has it as a parameter.
func takesModel(f *ast.FuncDecl) bool {
	params := f.Type.Params.List
	if f.Recv != nil {
		params = slices.Concat(f.Recv.List, params)
	}
	return slices.ContainsFunc(params, func(param *ast.Field) bool {
		star, isPointer := param.Type.(*ast.StarExpr)
		if !isPointer {
			return false
		}
		name, isName := star.X.(*ast.Ident)
		return isName && name.Name == "model"
	})
}
