package secret_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/internal/tabletest"
)

func TestLooks(t *testing.T) {
	for _, row := range tabletest.Read(t, "looks.txt") {
		if want := row[0] == "yes"; secret.Looks(row[1], row[2]) != want {
			t.Errorf("%s = %q looks secret: %v", row[1], row[2], !want)
		}
	}
}

func TestNoName(t *testing.T) {
	for word, want := range map[string]bool{
		"ghp_abcdefABCDEF0123456789": true,
		"a1B2c3D4e5F6g7H8i9J0k1L2":   true,
		"GITHUB_PERSONAL_TOKEN_2":    false,
		"someVariableOfMine":         false,
	} {
		if got := secret.LooksLikeValue(word); got != want {
			t.Errorf("%q: %v", word, got)
		}
	}
}

func TestMask(t *testing.T) {
	for _, row := range tabletest.Read(t, "mask.txt") {
		text, want := row[0], row[1]
		if got := secret.Mask(text); got != want {
			t.Errorf("%s\nbecomes %s\nwant %s", text, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	for _, row := range tabletest.Read(t, "of.txt") {
		if got := strings.Join(secret.LongestFirst(secret.Of(row[0], row[1])), " "); got != row[2] {
			t.Errorf("%s=%q: got %q, want %q", row[0], row[1], got, row[2])
		}
	}
}

func TestOfArguments(t *testing.T) {
	for line, want := range map[string][]string{
		"--token|letmein":                       {"letmein"},
		"--token|-letmein9letmein":              {"-letmein9letmein"},
		"--token|-v":                            nil,
		"--encryptionKey|letmein":               {"letmein"},
		"--dsn=me:letmein@tcp(db)/x":            {"letmein"},
		"--token=letmein|--verbose":             {"letmein"},
		"-e|API_KEY=letmein":                    {"letmein"},
		"--header|Authorization: Basic letmein": {"Basic letmein", "letmein"},
		"Cookie:session":                        {"session"},
		"postgres://me:letmein@h/x":             {"letmein"},
		"-y|@scope/server@1.2.3|/home/ada":      nil,
		"--port|16379|--name|two words":         nil,
		"keycloak:26.0.1|localhost:16379":       nil,
		"--token|aGVsbG93b3JsZA==":              {"aGVsbG93b3JsZA=="},
		"--password|x=letmein":                  {"x=letmein"},
		"--api-key|letmein=|--port=16379":       {"letmein="},
		"--no-password|--port=16379":            nil,
		"--branch|release-2025-11-21-hotfix-2":  nil,
		"--header=Cookie: letmein":              {"letmein"},
		"HOSTNAME=ip-10-0-12-34-eu-west-1-node": nil,
		"https://h.example/mcp?key=let%20mein":  {"let%20mein", "let mein"},
		"--url=https://h.example?auth=letmein":  {"letmein"},
		"https://h.example/a-repository?day=21": nil,
	} {
		if got := secret.LongestFirst(secret.OfArguments(strings.Split(line, "|"))); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

func TestHider(t *testing.T) {
	now := []string{"first-token"}
	h := secret.Hide([]string{`pass"word`, "pass", ""}, func() []string { return now })
	for text, want := range map[string]string{
		`pass"word, pass and first-token`: "•••, ••• and •••",
		"later-token":                     "later-token",
	} {
		if got := h.Text(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	if got := h.JSON(json.RawMessage(`{"x":"pass\"word"}`)); string(got) != `{"x":"•••"}` {
		t.Errorf("got %s", got)
	}
	now = []string{"later-token"}
	if got := h.Texts([]string{"later-token", "first-token"}); !slices.Equal(got, []string{"•••", "first-token"}) {
		t.Errorf("got %q", got)
	}
	plain := errors.New("no")
	if got := h.Error(plain); !errors.Is(got, plain) || got.Error() != plain.Error() {
		t.Errorf("an error without a secret becomes %v", got)
	}
	masked := errors.New("pass")
	if got := h.Error(masked); got.Error() != "•••" || !errors.Is(got, masked) || errors.Unwrap(got) != nil {
		t.Errorf("the error is %v", got)
	}
	var none secret.Hider
	if !none.IsEmpty() || none.Text("pass") != "pass" || none.Error(nil) != nil {
		t.Error("the zero Hider hides something")
	}
}

func TestBeginning(t *testing.T) {
	h := secret.Hide([]string{"pass-word"}, func() []string { return []string{"token"} })
	for text, want := range map[string]string{
		"pass-word":                        "•••",
		"0123456789 pass-word":             "0123456789…",
		"012345 pass-word and more of it":  "012345 •…",
		"0 token, pass-word, and so it is": "0 •••, …",
		"01234567890123456789é":            "0123456789…",
		"012345678é of what is no secret":  "012345678…",
	} {
		if got := h.Beginning(text, 10); got != want {
			t.Errorf("%q begins with %q, want %q", text, got, want)
		}
	}
	if got := (secret.Hider{}).Beginning("0123456789", 4); got != "0123…" {
		t.Errorf("without secrets it begins with %q", got)
	}
}

func TestHiderJSON(t *testing.T) {
	for _, h := range []secret.Hider{
		secret.Hide([]string{"48151623", "tok-Abcdefgh1", "grün&gelb"}, nil),
		secret.Hide([]string{"48151623"}, func() []string { return []string{"tok-Abcdefgh1", "grün&gelb"} }),
	} {
		for raw, want := range map[string]string{
			`{"account":48151623,"token":"tok-Abcdefgh1"}`:   `{"account":"•••","token":"•••"}`,
			`[-48151623.50, 7, true, null, "a\n"]`:           `["-•••.50", 7, true, null, "a\n"]`,
			`{"tok-Abcdefgh1" : {"a\"b":"x tok-Abcdefgh1"}}`: `{"•••" : {"a\"b":"x •••"}}`,
			`["\u0074ok-Abcdefgh1","gr\u00fcn\u0026gelb"]`:   `["•••","•••"]`,
			`{"text":"{\"token\":\"tok-Abcdefgh1\"}"}`:       `{"text":"{\"token\":\"•••\"}"}`,
			`{"token":"tok-Abcdefgh1"`:                       `"{\"token\":\"•••\""`,
			`{"a"`:                                           `{"a"`,
			`48151623`:                                       `"•••"`,
			``:                                               ``,
		} {
			given := json.RawMessage(raw)
			if got := h.JSON(given); string(got) != want || string(given) != raw {
				t.Errorf("%s becomes %s", raw, got)
			}
		}
	}
}

func FuzzHiderJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\\\"1234561",-123456e7]}`))
	h, escape := secret.Hide([]string{"123456"}, nil), regexp.MustCompile(`\\u[0-9a-f]{4}`)
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := h.JSON(raw)
		text := escape.ReplaceAllString(string(got), " ") // digits of an escape do not count
		if json.Valid(raw) && !json.Valid(got) || strings.Contains(text, "123456") {
			t.Errorf("%q becomes %q", raw, got)
		}
	})
}

// FuzzTexts checks that Mask changes only secrets, and that Of returns whole secrets.
func FuzzTexts(f *testing.F) {
	f.Add("", `{"token":"abcdef"} https://me:pw@h/?key=1 API_KEY=x Bearer abcdef -----BEGIN PRIVATE KEY-----x`)
	f.Add("TOKEN", "a://b:@c?d&e=://")
	f.Add("", "BSAabcdefABCDEFghi")
	f.Add("X", "https://h.example/token=letmein")
	f.Add("GITHUB_TOKEN", "plainword")
	f.Fuzz(func(t *testing.T, name, text string) {
		at := 0
		for between := range strings.SplitSeq(secret.Mask(text), secret.Mark) {
			n := strings.Index(text[at:], between)
			if n < 0 {
				t.Fatalf("%q is not in %q", between, text)
			}
			at += n + len(between)
		}
		hidden := secret.Hide(secret.Of(name, text), nil).Text(text)
		if secret.IsWhole(name, text) && strings.Contains(hidden, text) {
			t.Errorf("%q = %q is shown as %q", name, text, hidden)
		}
	})
}
