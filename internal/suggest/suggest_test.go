package suggest_test

import (
	"testing"

	"github.com/aloudchat/aloud/internal/suggest"
)

func TestNearest(t *testing.T) {
	words := []string{"model", "host", "iterations"}
	for word, want := range map[string]string{
		"itterations": "iterations", "Hst": "host", "model": "model", "moodle": "model", "höst": "host",
		"provider": "", "": "", "iter": "",
	} {
		if got := suggest.Nearest(word, words); got != want {
			t.Errorf("Nearest(%q) is %q, want %q", word, got, want)
		}
	}
	if got := suggest.Nearest("x", nil); got != "" {
		t.Errorf("without words it is %q", got)
	}
}
