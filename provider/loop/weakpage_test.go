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
	tellFiles(&b, "The behaviours", w.files)
	tellFiles(&b, "What still fails", w.open)
	return b.String()
}

func tellFiles(b *strings.Builder, headline string, files []*weakFile) {
	if len(files) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n| behaviour | what happens | model | report |\n|---|---|---|---|\n", headline)
	for _, f := range files {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.name, f.about, f.model, f.link())
	}
}

func (w *worth) tellWorth(b *strings.Builder) {
	all := len(w.files)
	b.WriteString("\n## What each defence is worth\n\n")
	fmt.Fprintf(b, "| without | passes of %d | what it does | fails without it |\n", all)
	b.WriteString("|---|---|---|---|\n")
	fmt.Fprintf(b, "| nothing | %d | | |\n", w.right)
	for _, d := range weakDefences {
		names := slices.Sorted(slices.Values(w.failed[d.name]))
		fmt.Fprintf(b, "| `%s` | %d | %s | %s |\n", d.name, w.right-len(names), d.does, strings.Join(names, ", "))
	}
}

// link returns a link to the report of the behaviour.
func (f *weakFile) link() string {
	repository, number, _ := strings.Cut(f.seen, "#")
	return fmt.Sprintf("[%s](https://github.com/%s/issues/%s)", f.seen, repository, number)
}
