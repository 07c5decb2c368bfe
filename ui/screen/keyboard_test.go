//go:build unix

package screen

import (
	"os"
	"testing"
)

// Terminals send each key in one write.
func TestEscapeKeyIsNotASequence(t *testing.T) {
	for sent, want := range map[string]string{
		"\x1b":       escapeKey,
		"\x1b[A":     "\x1b[A", // up
		"\x1bq":      "\x1bq",  // alt+q
		"x":          "x",
		"\x1b[200~a": "\x1b[200~a",
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.WriteString(sent); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 64)
		n, err := quickEscape{r}.Read(got)
		if string(got[:n]) != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", sent, got[:n], err, want)
		}
		r.Close()
		w.Close()
	}
}

// The rest of the sequence is waiting.
func TestSplitSequenceIsNotTheEscapeKey(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := w.WriteString("\x1b[A"); err != nil {
		t.Fatal(err)
	}
	first := []byte{0, 0, 0, 0, 0}[:1] // a reader with room for one byte
	if n, _ := (quickEscape{r}).Read(first[:1:1]); n != 1 || first[0] != '\x1b' {
		t.Errorf("got %q", first[:n])
	}
}
