package fuzzy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestFindOrder(t *testing.T) {
	for _, test := range []struct {
		name, pattern string
		rows, want    []string
	}{
		{"no pattern keeps the order", " ", []string{"b", "a"}, []string{"b", "a"}},
		{"a beginning comes before a word before letters", "mod", []string{"my old dog", "a mode", "amod", "model"},
			[]string{"model", "a mode", "amod", "my old dog"}},
		{"a shorter name comes first", "read", []string{"read_files", "read"}, []string{"read", "read_files"}},
		{"words match in any order", "go main", []string{"main.go", "main.c"}, []string{"main.go"}},
		{"case does not matter", "READ", []string{"Read File", "x"}, []string{"Read File"}},
		{"part of a camel-case name", "file", []string{"profiles", "readFile"}, []string{"readFile", "profiles"}},
		{"no row", "zz", []string{"zoo"}, nil},
		{"letters of other scripts", "мир", []string{"Привет, Мир"}, []string{"Привет, Мир"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, m := range Find(test.pattern, len(test.rows), func(i int) string { return test.rows[i] }, nil) {
				got = append(got, test.rows[m.Index])
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTheRestMatchesOnlyWholeWords(t *testing.T) {
	rest := func(int) string { return "for code and tools" }
	name := func(int) string { return "qwen3:8b" }
	for pattern, want := range map[string]int{"tools": 1, "qw tools": 1, "tls": 0, "qw tls": 0} {
		if got := Find(pattern, 1, name, rest); len(got) != want {
			t.Errorf("%q: got %v, want %d rows", pattern, got, want)
		}
	}
}

func TestLettersMarksWhatMatched(t *testing.T) {
	for _, test := range []struct{ pattern, name, want string }{
		{"read", "Read File", "[Read] File"},
		{"rf", "Read File", "[R]ead [F]ile"},
		{"file re", "Read File", "[Re]ad [File]"},
		{"мир", "Привет, Мир", "Привет, [Мир]"},
		{"read read", "read", "[read]"},
	} {
		found := Find(test.pattern, 1, func(int) string { return test.name }, nil)
		if len(found) != 1 {
			t.Fatalf("%q does not match %q", test.pattern, test.name)
		}
		var got strings.Builder
		at := 0
		for _, r := range found[0].Letters(test.name) {
			got.WriteString(test.name[at:r[0]] + "[" + test.name[r[0]:r[1]] + "]")
			at = r[1]
		}
		if got.WriteString(test.name[at:]); got.String() != test.want {
			t.Errorf("%q: got %s, want %s", test.pattern, &got, test.want)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("rf", "Read File")
	f.Add("é", "e\xcc\x81\xff")
	f.Add("k", "\u212a")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		for _, m := range Find(pattern, 1, func(int) string { return name }, func(int) string { return name }) {
			at := 0
			for _, r := range m.Letters(name) {
				if r[0] < at || r[1] <= r[0] || r[1] > len(name) {
					t.Fatalf("pattern %q, name %q: range %v after %d", pattern, name, r, at)
				}
				at = r[1]
			}
		}
	})
}

func BenchmarkFindIn100000Files(b *testing.B) {
	names := make([]string, 100_000)
	for i := range names {
		names[i] = fmt.Sprintf("internal/package%d/file_%d_test.go", i%100, i)
	}
	for b.Loop() {
		Find("pkfile7", len(names), func(i int) string { return names[i] }, nil)
	}
}
