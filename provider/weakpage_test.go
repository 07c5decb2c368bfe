package provider_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// weakMark is where the written part of docs/weak-models.md ends and the generated one begins.
const weakMark = "<!-- From here on: go test ./provider -run TestWeakModels -update -->\n"

// weakKinds are the kinds of behaviours, by the first word of a file's name, with their headlines.
var weakKinds = []struct{ words, headline string }{
	{"printed", "A call is written as text"},
	{"lookalike", "Text that looks like a call and is none"},
	{"think thinks", "Thinking in the wrong place, and without end"},
	{"name", "The name of a tool is not right"},
	{"arguments", "The arguments are not right"},
	{"repeats loops errors", "The same again and again"},
	{"empty", "Nothing arrives"},
	{"server stalls model", "The server or the model cannot"},
	{"window", "More than the context holds"},
	{"hostile", "What a tool found is hostile"},
}

// page is docs/weak-models.md with its generated part written anew.
func (w *worth) page(t *testing.T) string {
	t.Helper()
	old, err := os.ReadFile("../docs/weak-models.md")
	if err != nil {
		t.Fatal(err)
	}
	written, _, found := strings.Cut(string(old), weakMark)
	if !found {
		t.Fatal("docs/weak-models.md has lost the line before its generated part: " + weakMark)
	}
	var b strings.Builder
	b.WriteString(written + weakMark)
	w.tellWorth(&b)
	told := 0
	for _, kind := range weakKinds {
		of := slices.DeleteFunc(slices.Clone(w.files), func(f *weakFile) bool {
			word, _, _ := strings.Cut(f.name, "-")
			return !slices.Contains(strings.Fields(kind.words), word)
		})
		tellFiles(&b, kind.headline, of)
		told += len(of)
	}
	tellFiles(&b, "What still goes wrong", w.open)
	if told != len(w.files) {
		t.Errorf("%d of %d behaviours have a kind: name the files by one of weakKinds", told, len(w.files))
	}
	return b.String()
}

func tellFiles(b *strings.Builder, headline string, files []*weakFile) {
	if len(files) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n| behaviour | what happens | model | seen |\n|---|---|---|---|\n", headline)
	for _, f := range files {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.name, f.about, f.model, f.link())
	}
}

func (w *worth) tellWorth(b *strings.Builder) {
	all := len(w.files)
	fmt.Fprintf(b, "\n## What each defence is worth\n\n| without | right of %d | what it does | ends wrong without it |\n|---|---|---|---|\n", all)
	fmt.Fprintf(b, "| nothing | %d | | |\n", w.right)
	for _, d := range weakDefences {
		names := slices.Sorted(slices.Values(w.failed[d.name]))
		fmt.Fprintf(b, "| `%s` | %d | %s | %s |\n", d.name, w.right-len(names), d.does, strings.Join(names, ", "))
	}
}

// link is the thread in which the behaviour was seen.
func (f *weakFile) link() string {
	repository, number, _ := strings.Cut(f.seen, "#")
	return fmt.Sprintf("[%s](https://github.com/%s/issues/%s)", f.seen, repository, number)
}
