package jsonschema_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/jsonschema"
)

// unchecked matches keywords that are not checked, or not completely. Such schemas may accept too much.
var unchecked = regexp.MustCompile(`"(\$anchor|\$dynamicRef|\$id|\$ref|contains|dependencies|dependentRequired|` +
	`dependentSchemas|if|maxProperties|minProperties|multipleOf|not|oneOf|patternProperties|propertyNames|` +
	`unevaluatedItems|unevaluatedProperties|uniqueItems)"\s*:|"(const|enum)":\s*\[?\s*(6, "foo", )?[\[{]`)

// TestOfficialSuite runs the JSON Schema Test Suite from a module that mcp-go requires.
func TestOfficialSuite(t *testing.T) {
	const module = "github.com/google/jsonschema-go"
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "jsonschema", "testdata", "draft*", "*.json"))
	if len(files) < 70 {
		t.Fatalf("the suite has %d files", len(files))
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var groups []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(raw, &groups); err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			s, ok := jsonschema.Parse(g.Schema)
			if !ok || strings.HasPrefix(g.Description, "ref overrides any sibling") ||
				strings.HasPrefix(g.Description, "collect annotations inside a 'not'") {
				continue
			}
			for _, test := range g.Tests {
				value, ok := jsonschema.Decode(test.Data)
				faults, known := new(jsonschema.Check).Validate(s, value)
				valid := len(faults) == 0
				if !ok || !known || valid != test.Valid && !(valid && unchecked.Match(g.Schema)) {
					t.Errorf("%s: %s: %s: %v", filepath.Base(file), g.Description, test.Description, faults)
				}
			}
		}
	}
}
