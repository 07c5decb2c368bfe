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
	rows := keys
	for _, c := range commands() {
		name := strings.TrimSpace("/" + c.name + " " + strings.ReplaceAll(c.args, "|", `\|`))
		rows = append(rows, [2]string{name, c.help})
	}
	for _, row := range rows {
		if want := fmt.Sprintf("| `%s` | %s |\n", row[0], row[1]); !strings.Contains(string(readme), want) {
			t.Errorf("README.md does not have the row\n%s", want)
		}
	}
}
