package loop_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// weakMark is the line before the generated part of docs/weak-models.md.
const weakMark = "<!-- From here on: go test ./provider/loop -run TestWeakModels -update -->\n"

// page returns docs/weak-models.md with its generated part updated.
func (w *worth) page(t *testing.T) string {
	t.Helper()
	old, err := os.ReadFile("../../docs/weak-models.md")
	must(t, err)
	written, _, found := strings.Cut(string(old), weakMark)
	if !found {
		t.Fatal("docs/weak-models.md has lost the line before its generated part: " + weakMark)
	}
	var b strings.Builder
	b.WriteString(written + weakMark)
	w.tellWorth(&b)
	w.tellFiles(&b, "The behaviours", w.files)
	w.tellFiles(&b, "What still fails", w.open)
	return b.String()
}

func (w *worth) tellFiles(b *strings.Builder, headline string, files []*weakFile) {
	if len(files) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n| behaviour | what happens | model | needs | report |\n|---|---|---|---|---|\n", headline)
	for _, f := range files {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", f.name, f.about, f.model, w.needs(f), f.link())
	}
}

// needs returns the defences without which a behaviour ends wrong.
func (w *worth) needs(f *weakFile) string {
	var names []string
	for _, d := range weakDefences {
		if slices.Contains(w.failed[d.name], f.name) {
			names = append(names, "`"+d.name+"`")
		}
	}
	return strings.Join(names, ", ")
}

func (w *worth) tellWorth(b *strings.Builder) {
	b.WriteString("\n## What each defence is worth\n\n")
	fmt.Fprintf(b, "All %d behaviours end right with all defences.\n\n", w.right)
	b.WriteString("| defence | what it does | end right without it |\n|---|---|---|\n")
	for _, d := range weakDefences {
		fmt.Fprintf(b, "| `%s` | %s | %d |\n", d.name, d.does, w.right-len(w.failed[d.name]))
	}
}

// link returns a link to the report of the behaviour.
func (f *weakFile) link() string {
	repository, number, _ := strings.Cut(f.seen, "#")
	return fmt.Sprintf("[%s](https://github.com/%s/issues/%s)", f.seen, repository, number)
}
