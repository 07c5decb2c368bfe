package eval

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider"
)

var update = flag.Bool("update", false, "write the tables of testdata")

// asked has the answers of a perfect, a careless and a hopeless model, with and without the defences.
func asked(t *testing.T) (columns []Column) {
	t.Helper()
	questions, err := Questions()
	if err != nil {
		t.Fatal(err)
	}
	book := playbook(t)
	results, err := Open("", "http://127.0.0.1:11434")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hopeless:1b", "perfect:70b", "careless:8b"} {
		m := map[string]player{
			"perfect:70b": perfect(questions, book), "careless:8b": careless(questions, book),
			"hopeless:1b": hopeless(questions, book),
		}[name]
		for _, defences := range []bool{true, false} {
			r := runner(m, defences)
			r.Chat.Name = name
			for _, q := range questions {
				a, err := r.Ask(t.Context(), q)
				if err != nil {
					t.Fatal(q.Name, err)
				}
				if err := results.Keep(a); err != nil {
					t.Fatal(err)
				}
			}
			c := results.ColumnOf(name, defences, questions)
			c.Advise(provider.Info{Name: name}, 40960, false)
			columns = append(columns, c)
		}
	}
	Rank(columns)
	return columns
}

func TestTableTellsModelsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		columns := asked(t)
		for name, got := range map[string]string{
			"table100.txt": Table(columns, 100), "table80.txt": Table(columns, 80), "table40.txt": Table(columns, 40),
			"table.md": Markdown(columns), "suggest.toml": columns[0].Suggest,
		} {
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs. After a look at it, run the test with -update. Got:\n%s", name, got)
			}
		}
	})
}

func TestWideTitlesStayInTheirColumn(t *testing.T) {
	c := Column{Model: "m", Score: Score{1, 2}, Kinds: []KindScore{
		{Title: "時間\x1b[31m", Score: Score{1, 1}}, {Title: strings.Repeat("wide ", 20), Score: Score{0, 1}},
	}}
	for line := range strings.Lines(Table([]Column{c}, 80)) {
		line = strings.TrimSuffix(line, "\n")
		if n := ansi.StringWidthWc(line); line != "" && n != widestTitle+5 || strings.Contains(line, "\x1b") {
			t.Errorf("%q has %d cells", line, n)
		}
	}
}
