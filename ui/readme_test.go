package ui

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestReadme checks that the README has the commands and keys of /help.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, c := range commands() {
		name := strings.ReplaceAll(c.typed(), "|", `\|`)
		rows = append(rows, fmt.Sprintf("| `%s` | %s |\n", name, c.help))
	}
	for _, b := range bindings {
		keys := "`" + strings.Join(b.defaults(), "`, `") + "`"
		rows = append(rows, fmt.Sprintf("| %s | %s | `%s` |\n", keys, b.help, b.action))
	}
	for _, want := range rows {
		if !strings.Contains(string(readme), want) {
			t.Errorf("README.md does not have the row\n%s", want)
		}
	}
}
