package link

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/secret"
)

func TestALogLineHasNoPartOfASecret(t *testing.T) {
	hidden := secret.Hide([]string{"open-sesame-open"}, nil)
	for at := range 40 {
		words := strings.Repeat("x", longestLine-at) + "open-sesame-open"
		for _, data := range []any{words + " and more of it", map[string]any{"x": words}} {
			line, ok := logLine(map[string]any{"level": "warning", "logger": words[longestLine-50:], "data": data}, hidden)
			if !ok || strings.Contains(line, "xo") || !strings.HasPrefix(line, "warning xxx") || len(line) > longestLine+100 {
				t.Fatalf("%d before the end: %q", at, line)
			}
		}
	}
}
