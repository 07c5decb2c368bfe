package ui

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// modelLimit is the largest number of lines that the methods of the model, and the functions that take it, may have
// together. The model only routes; its children do the work.
const modelLimit = 500

func TestModelStaysSmall(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	takesModel := regexp.MustCompile(`(?m)^func (?:\w+)?\([^)\n]*\*model\b(?:.*\}$|(?s:.*?)\n\}$)`)
	lines := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, function := range takesModel.FindAllString(string(text), -1) {
			lines += strings.Count(function, "\n") + 1
		}
	}
	if lines == 0 || lines > modelLimit {
		t.Errorf("the methods of the model have %d lines, more than %d: move some into a child", lines, modelLimit)
	}
}
