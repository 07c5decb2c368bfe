package importing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/others"
)

// FuzzWhatIsMovedIsHidden holds two rules together: what is too secret to stand in the file is hidden wherever it would be shown, should it stand there
// all the same. Only what is very short is not: masking it everywhere would destroy text. | parts words.
func FuzzWhatIsMovedIsHidden(f *testing.F) {
	for _, words := range []string{
		"--token|ghp_abcdefABCDEF0123456789", "--token=letmein|--verbose", "--api-key|plainword|--x", "-c|API_KEY=abcdef exec npx srv --fast",
		"-e|PASSWORD=two words", "--header|Authorization: Bearer abcdefg", "--header|Authorization:Bearer abcdefg", "Cookie: session", "Cookie:session",
		"postgres://me:letmein@h/x", "https://ghp_abcdefABCDEF0123456789@github.example/x.git", `{"host":"h","apiKey":"plainword"}`,
		`--json|{"auth": {"password": "let\"mein"}}`, "host=db.example user=me password=letmein", "me:letmein@tcp(db.example:3306)/x",
		"a1B2c3D4e5F6g7H8i9J0k1L2", "--id=a1B2c3D4e5F6g7H8i9J0k1L2", "BSAabcdefABCDEFghi", "https://h.example/BSAabcdefABCDEFghi", "--key|Basic letmein1",
		"/mcp?token=letmein", "--auth|two words of 7", "X-Api-Key: /etc/passwd", "authorization:Basic /abc+def", "https://h.example/mcp#token=letmein",
		"-----BEGIN PRIVATE KEY-----MIIEvQ-----END PRIVATE KEY-----", "--token|x=abcdef ghijkl",
		"https://h.example/token=00000A", "--token|aGVsbG93b3JsZA==", "--password|x=letmein", "--password|x: letmein",
	} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "$") || strings.ToValidUTF8(line, "") != line {
			return // variables have a test of their own, and nobody reads what is no text
		}
		words := strings.Split(line, "|")
		hidden(t, config.Entry{Name: "x", Command: "x", Args: words}, func(m *mover) {
			var texts []others.Text
			for _, word := range words {
				texts = append(texts, others.Lit(word))
			}
			m.arguments(texts)
		})
		if strings.TrimSpace(line) != "" {
			hidden(t, config.Entry{Name: "x", Command: line}, func(m *mover) { m.value(others.Lit(line), "", "value") })
		}
		for _, name := range []string{"GITHUB_TOKEN", "SETTINGS"} {
			hidden(t, config.Entry{Name: "x", Command: "x", Env: map[string]string{name: line}}, func(m *mover) { m.value(others.Lit(line), name, "value") })
		}
		for _, name := range []string{"Authorization", "X-Team"} {
			hidden(t, config.Entry{Name: "x", URL: "https://h.example", Headers: map[string]string{name: line}}, func(m *mover) { m.header(others.Lit(line), name) })
		}
		if strings.HasPrefix(line, "https://h.example/") {
			hidden(t, config.Entry{Name: "x", URL: line}, func(m *mover) { m.value(others.Lit(line), "", "value") })
		}
	})
}

// hidden checks that the configuration with this entry hides all that look moves out of it.
func hidden(t *testing.T, e config.Entry, look func(*mover)) {
	t.Helper()
	const shortest = 6 // of what is hidden
	nothing := func(string) (string, bool) { return "", false }
	v := newVariables(&config.Config{}, nothing, nil)
	look(&mover{variables: &v, server: "x"})
	if len(v.moved) == 0 {
		return
	}
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(e.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.LoadOptions{Path: path, Env: nothing})
	if err != nil {
		return // nothing of it is shown
	}
	for _, value := range v.moved {
		if len(value) >= shortest && strings.Contains(cfg.Mask("<"+value+">"), "<"+value+">") {
			t.Errorf("%q is moved out of this, and shown from there:\n%s", value, e)
		}
	}
}
