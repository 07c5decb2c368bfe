package provider

import "strings"

// DiffCounts tells how many lines a unified diff adds and removes.
func DiffCounts(diff string) (added, removed int) {
	_, hunks, _ := strings.Cut(diff, "\n@@ ")
	for line := range strings.Lines("@@ " + hunks) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}
