package sanitize_test

import (
	"encoding/json"
	"testing"

	"github.com/aloudchat/aloud/sanitize"
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
