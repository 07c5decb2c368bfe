package secret_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/secret"
)

func TestLooks(t *testing.T) {
	for _, test := range []struct{ name, value string }{
		{"GITHUB_TOKEN", "ghp_abcdefABCDEF0123456789"},
		{"", "ghp_abcdefABCDEF0123456789"},
		{"", "sk-proj-abcdefghijkl0123"},
		{"NOTION_API_KEY", "<YOUR_KEY>"},
		{"DB_PASSWORD", "letmein"},
		{"DATABASE_URL", "postgres://me:letmein@db.example/notes"},
		{"--api-key", "plainword"},
		{"Cookie", "session=1"},
		{"AUTH", "user42:pass"},
		{"", "https://x.example/mcp?api_key=abc123"},
		{"", "https://ghp_abcdefABCDEF0123456789@git.example/notes"},
		{"", `{"url":"https://x.example","api_key":"abc123"}`},
		{"--config", `{"headers":{"X-Api-Key":"abc123"}}`},
		{"", "host=db.example password=letmein"},
		{"", "Server=db.example;Password=letmein;AccountKey=abc123=="},
		{"", "-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----"},
		{"private_key", "plainword"},
		{"HEADER", "X-Api-Key: abc123"},
		{"encryptionKey", "plainword"},
		{"DB_PASSWORD", "$ecret1!"},
		{"", `{"password":"$ecret1!"}`},
		{"", "me:letmein@tcp(db:3306)/notes"},
		{"", `{"password":"p#letmein"}`},
		{"", "https://h.example/s/9f8e7d6c5b4a39281706/mcp?x=1"},
	} {
		if !secret.Looks(test.name, test.value) {
			t.Errorf("%s = %q does not look secret", test.name, test.value)
		}
	}
	for _, test := range []struct{ name, value string }{
		{"GITHUB_TOKEN", "${GITHUB_TOKEN}"},
		{"MAX_TOKENS", "100000"},
		{"GOOGLE_APPLICATION_CREDENTIALS", "/home/me/keys/google.json"},
		{"AUTH_TYPE", "oauth"},
		{"AUTH_URL", "https://auth.example.com/realms/x"},
		{"MODE", "read-only"},
		{"TOKEN", "true"},
		{"", "@modelcontextprotocol/server-filesystem@2026.8.31"},
		{"", "/home/me/notes-2026-11-21-and-more-of-them"},
		{"PROJECT", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"},
		{"", "https://example.com/mcp?version=2025-11-25"},
		{"", "ghcr.io/github/github-mcp-server"},
		{"KEYBOARD", "german"},
		{"", "ssh://git@github.com/me/notes"},
		{"", "https://me@example.com/mcp"},
		{"", "TOKEN=$GITHUB_TOKEN npx server"},
		{"", `{"token":"${GITHUB_TOKEN}"}`},
		{"", `{"max_tokens":"100000","progressToken":"call-1"}`},
		{"", "secret_santa_list_of_names"},
		{"", "sk-learn-estimators"},
		{"", "Basic instructions"},
		{"", "https://h.example/s/${TOKEN_OF_OURS_2026}/mcp"},
		{"", "see /home/me/https://2026-11-21-and-more-of-it"},
	} {
		if secret.Looks(test.name, test.value) {
			t.Errorf("%s = %q looks secret", test.name, test.value)
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
	for text, want := range map[string]string{
		`{"access_token":"abc","x":1}`:                          `{"access_token":"•••","x":1}`,
		`{"text":"{\"password\":\"abc\",\"user\":7}"}`:          `{"text":"{\"password\":\"•••\",\"user\":7}"}`,
		`{"progressToken":"call-1"}`:                            `{"progressToken":"call-1"}`,
		`{"maxTokens":100,"secret":"unfinished`:                 `{"maxTokens":100,"secret":"•••`,
		`Authorization: Bearer abc.def-123`:                     `Authorization: Bearer •••`,
		`https://host/mcp?api_key=abc&x=1`:                      `https://host/mcp?api_key=•••&x=1`,
		`{"name":"Basic instructions"}`:                         `{"name":"Basic instructions"}`,
		`{"text":"export API_KEY=abc\nmax_tokens=100"}`:         `{"text":"export API_KEY=•••\nmax_tokens=100"}`,
		`{"text":"API_KEY=\"abc\" and api_key = 'def'"}`:        `{"text":"API_KEY=\"•••\" and api_key = '•••'"}`,
		`{"text":"-----BEGIN EC PRIVATE KEY-----\nMII\n-----"}`: `{"text":"-----BEGIN EC PRIVATE KEY-----•••-----"}`,
		`{"text":"it is ghp_abcdefABCDEF0123456789."}`:          `{"text":"it is •••"}`,
		`{"text":"or sk-proj-abcdefghijkl0123?"}`:               `{"text":"or •••?"}`,
		`{"dsn":"postgres://me:letmein@db/notes"}`:              `{"dsn":"postgres://me:•••@db/notes"}`,
		`{"url":"https://hf_12345@h/mcp"}`:                      `{"url":"https://•••@h/mcp"}`,
		`{"url":"ssh://git@h/mcp"}`:                             `{"url":"ssh://git@h/mcp"}`,
		`X-Api-Key: abc`:                                        `X-Api-Key: •••`,
		`{"password":"let me in, now","x":1}`:                   `{"password":"•••","x":1}`,
		`{"password": "a\"b;c#d","x":1}`:                        `{"password": "•••","x":1}`,
		`{"text":"{\"password\": \"let me, in\"}"}`:             `{"text":"{\"password\": \"•••\"}"}`,
		`{"password":"p#letmein"}`:                              `{"password":"•••"}`,
		`{"password":"$2b$10$abc"}`:                             `{"password":"•••"}`,
		`{"nextPageToken":"eyJ","tokens":"1234567890"}`:         `{"nextPageToken":"eyJ","tokens":"1234567890"}`,
		`me:letmein@tcp(db:3306)/notes`:                         `me:•••@tcp(db:3306)/notes`,
		"db:\n  API_KEY: abc\n  password: 'def'\n  key: of it":  "db:\n  API_KEY: •••\n  password: '•••'\n  key: of it",
		`nothing of the kind`:                                   `nothing of the kind`,
	} {
		if got := secret.Mask(text); got != want {
			t.Errorf("%s\nbecomes %s\nwant %s", text, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"DB_PASSWORD", "swordfish", "swordfish"},
		{"OPAQUE", "9f8e7d6c", "9f8e7d6c"},
		{"NODE_ENV", "production", ""},
		{"PIN_TOKEN", "abc", ""},
		{"HOME", "/home/me", ""},
		{"BASE", "https://example.com/wiki", ""},
		{"Authorization", "Bearer letmein", "Bearer letmein letmein"},
		{"", "", ""},
		{"", "localhost:11434", ""},
		{"HOOK", "https://example.com/x/T0123", "https://example.com/x/T0123"},
		{"", "http://me:horse%20staple@box", "horse%20staple horse staple"},
		{"", "https://hf_12345@example.com/v1", "hf_12345"},
		{"", "https://supersecretword@h/v1", "supersecretword"},
		{"", "https://supersecretword:@h/v1", "supersecretword"},
		{"", "https://me@example.com/v1", ""},
		{"", "https://h/s/0123456789abcdef0123/x", "0123456789abcdef0123"},
		{"", "https://h?token=abc%20123&view=day", "abc%20123 abc 123 abc+123"},
		{"", "https://h/mcp?sig=a1b2c3d4&view=day#x9y8z7", "a1b2c3d4 x9y8z7"},
		{"", "https://h/s/0123456789abc.def0123=/x", "0123456789abc.def0123="},
		{"", "https://h?token=hf_abcdefABCDEF+rest", "hf_abcdefABCDEF rest hf_abcdefABCDEF+rest hf_abcdefABCDEF"},
	} {
		if got := strings.Join(secret.LongestFirst(secret.Of(test.name, test.value)), " "); got != test.want {
			t.Errorf("%s=%q: got %q, want %q", test.name, test.value, got, test.want)
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
