package secret_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/secret"
)

func TestWhatIsHiddenOfACommandLine(t *testing.T) {
	for line, want := range map[string][]string{
		"--token|letmein":                       {"letmein"},
		"--token=letmein|--verbose":             {"letmein"},
		"-e|API_KEY=letmein":                    {"letmein"},
		"--header|Authorization: Basic letmein": {"Authorization: Basic letmein", "Basic letmein", "letmein"},
		"Cookie:session":                        {"session"},
		"a1B2c3D4e5F6g7H8i9J0k1L2":              {"a1B2c3D4e5F6g7H8i9J0k1L2"},
		"--id=a1B2c3D4e5F6g7H8i9J0k1L2":         {"a1B2c3D4e5F6g7H8i9J0k1L2"},
		"postgres://me:letmein@h/x":             {"letmein"},
		"-y|@scope/server@1.2.3|/home/ada":      nil,
		"--port|16379|--name|two words":         nil,
		"keycloak:26.0.1|localhost:16379":       nil,
		"--token|aGVsbG93b3JsZA==":              {"aGVsbG93b3JsZA=="},
		"--password|x=letmein":                  {"x=letmein"},
		"--api-key|letmein=|--port=16379":       {"letmein="},
		"--no-password|--port=16379":            nil,
		"--branch|release-2025-11-21-hotfix-2":  nil,
		"--author=Ada Lovelace":                 {"Ada Lovelace"},
		"--keywords=golang testing":             {"golang testing"},
		"--auth=Bearer letmein":                 {"Bearer letmein", "letmein"},
		"--header=Cookie: letmein":              {"Cookie: letmein", "letmein"},
		"x-2025-11-21-10-30-v2-snapshot":        nil,
		"backup-2025-11-21-10-30-00":            nil,
		"HOSTNAME=ip-10-0-12-34-eu-west-1-node": nil,
		"https://h.example/mcp?key=let%20mein":  {"let%20mein", "let mein"},
		"--url=https://h.example?auth=letmein":  {"letmein"},
		"https://h.example/a-repository?day=21": nil,
	} {
		if got := secret.LongestFirst(secret.OfArguments(strings.Split(line, "|"))); !slices.Equal(got, want) {
			t.Errorf("of %s\nare %q\nnot %q", line, got, want)
		}
	}
}

// FuzzWhatShouldMoveIsMasked holds the questions together: what should be in a variable may be a secret, and is masked whatever it is called.
func FuzzWhatShouldMoveIsMasked(f *testing.F) {
	f.Add("", "BSAabcdefABCDEFghi")
	f.Add("", "/mcp?token=letmein")
	f.Add("X", "https://h.example/token=letmein")
	f.Add("GITHUB_TOKEN", "plainword")
	f.Fuzz(func(t *testing.T, name, value string) {
		if secret.Looks(name, value) && !secret.MayBe(name, value) {
			t.Errorf("%q = %q should be in a variable, and is not masked", name, value)
		}
		if hidden := secret.Hide(secret.OfValue(name, value), nil); secret.Looks(name, value) && !strings.Contains(hidden.Text(value), secret.Mark) {
			t.Errorf("%q = %q should be in a variable, and is shown as %q", name, value, hidden.Text(value))
		}
	})
}
