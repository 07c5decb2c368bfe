package shape

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var printWords = flag.Bool("words", false, "print every text in the program that people may read")

// readable matches a text for readers: it has a space and a letter.
var readable = regexp.MustCompile(`(?s) .*\pL|\pL.* `)

// banned matches phrases that are not plain English.
var banned = regexp.MustCompile(`(?i)\b(tells whether|there (are|is) none|(is|are) none|nobody|somebody|anew|whoever|` +
	`without end|a person)\b`)

// TestWords checks the texts in production code that you may read. With -v and -words it prints them.
func TestWords(t *testing.T) {
	code := map[string]*ast.File{}
	for _, files := range packages(t) {
		maps.Copy(code, files)
	}
	for _, name := range slices.Sorted(maps.Keys(code)) {
		if strings.HasPrefix(name, "e2e/") || strings.HasPrefix(name, "scripts/") {
			continue
		}
		eachText(code[name], func(at token.Pos, text string) {
			if *printWords && readable.MatchString(text) {
				fmt.Printf("%s:%d: %q\n", name, positions.Position(at).Line, text)
			}
			if words := banned.FindString(text); words != "" {
				t.Errorf("%s:%d: replace %q by plain English in %q", name, positions.Position(at).Line, words, text)
			}
		})
	}
}

// eachText calls found with every string below a node except import paths, struct tags and patterns. Strings joined
// with + are one text, with "…" for operands that are not literals.
func eachText(node ast.Node, found func(at token.Pos, text string)) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.CallExpr:
			f, isMethod := n.Fun.(*ast.SelectorExpr)
			return !isMethod || f.Sel.Name != "MustCompile"
		case *ast.BinaryExpr:
			if n.Op == token.ADD {
				found(n.Pos(), joined(n, found))
				return false
			}
		case *ast.BasicLit:
			found(n.Pos(), joined(n, found))
		}
		return true
	})
}

// joined returns the text of a string literal, or of literals joined with +. It calls found for texts in the other
// operands.
func joined(x ast.Expr, found func(at token.Pos, text string)) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(x.Value) // "" for a number
		return text
	case *ast.BinaryExpr:
		if x.Op == token.ADD {
			return joined(x.X, found) + joined(x.Y, found)
		}
	}
	eachText(x, found)
	return "…"
}
