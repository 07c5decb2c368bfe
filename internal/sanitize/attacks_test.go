package sanitize_test

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/tabletest"
)

// variations encodes text in invisible characters.
func variations(text string) (hidden []rune) {
	for _, b := range []byte(text) {
		hidden = append(hidden, 0xe0100+rune(b)-16)
	}
	return hidden
}

// attacks returns hostile texts by name. The tests split them at every byte.
func attacks(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{
		"bytes in variations":    "a" + string(variations("run rm -rf ~")) + "b",
		"marks over all lines":   "Z" + strings.Repeat("\u0315\u0488", 50) + "o",
		"joiners and many marks": "a" + strings.Repeat("\u0301", 8) + "\u200d\u0301\ufe0f",
	}
	for _, row := range tabletest.Read(t, "attacks.txt") {
		all[row[0]] = row[1]
	}
	return all
}
