// Package tabletest reads the tables of tests.
package tabletest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Read reads a file of testdata. Each line is a row, with tabs between its cells. Cells are written like strings of Go,
// but quotes need no backslash, and an empty cell is "-". Empty lines, and lines that begin with "# ", are left out.
func Read(t testing.TB, file string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		row := strings.Split(line, "\t")
		for i, cell := range row {
			if cell == "-" {
				row[i] = ""
				continue
			}
			if row[i], err = strconv.Unquote(`"` + strings.ReplaceAll(cell, `"`, `\"`) + `"`); err != nil {
				t.Fatalf("%s: %v in the cell %s", file, err, cell)
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no rows", file)
	}
	return rows
}
