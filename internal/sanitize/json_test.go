package sanitize_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/aloudchat/aloud/internal/sanitize"
)

func TestJSONKeepsTheValueAndNothingATerminalObeys(t *testing.T) {
	for _, s := range []string{
		"plain", "Grüße 你好 👩‍👩‍👧", "\x1b[2J\x07", "\u009b31m", "\u202eevil", "tag \U000e0041", "\x7f", "line\nline",
	} {
		encoded, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		safe := sanitize.JSON(encoded)
		mustBeText(t, string(safe))
		var back string
		if err := json.Unmarshal(safe, &back); err != nil || back != s {
			t.Errorf("JSON(%q) = %q, which reads as %q, %v", encoded, safe, back, err)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, attack := range attacks(f) {
		f.Add([]byte(attack))
		f.Add([]byte("{\r\n\"a\": \"" + attack + "\"}\r\n"))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		safe := sanitize.JSON(b)
		mustBeText(t, string(safe))
		var before, after any
		if json.Unmarshal(b, &before) == nil {
			if err := json.Unmarshal(safe, &after); err != nil || !reflect.DeepEqual(before, after) {
				t.Errorf("%q became %q: %v", b, safe, err)
			}
		}
	})
}
