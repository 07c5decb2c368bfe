package endpoint

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestErrorText(t *testing.T) {
	for body, want := range map[string]string{
		`{"error": "no model"}`:                                    "no model",
		`{"error": {"message": " no model ", "type": "x"}}`:        "no model",
		`{"error": {"message": {"detail": "no model"}}}`:           "no model",
		`{"errors": [{"msg": "no model"}, {"msg": "no key"}]}`:     "no model",
		`{"detail": [{"loc": ["body"], "msg": "field required"}]}`: "field required",
		`{"message": "no model", "status": 404}`:                   "no model",
		`{"error": {}, "error_message": "no model"}`:               "no model",
		`{"error": [[[[[[["too deep"]]]]]]]}`:                      "",
		`{"error": 404}`:                                           "",
		`{"choices": []}`:                                          "",
		`["no model"]`:                                             "",
		`<html>`:                                                   "",
		``:                                                         "",
	} {
		if got := ErrorText([]byte(body)); got != want {
			t.Errorf("in %s there is %q, want %q", body, got, want)
		}
	}
}

// FuzzLine checks that any error text becomes one safe line of limited length.
func FuzzLine(f *testing.F) {
	f.Add("no\nmodel \x1b[2J")
	f.Add(strings.Repeat("é", 400))
	f.Add(strings.Repeat("x", 1199) + "é")
	f.Fuzz(func(t *testing.T, words string) {
		line := errorLine(words)
		if strings.ContainsAny(line, "\n\r\x1b") || !utf8.ValidString(line) || utf8.RuneCountInString(line) > 301 {
			t.Errorf("%q is shown as %q", words, line)
		}
		ErrorText([]byte(words))
	})
}
