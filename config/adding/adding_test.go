package adding_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/config/adding"
	"github.com/aloudchat/aloud/config/importing"
)

func TestOfSeveralSecretsTheFirstIsNamedByItsName(t *testing.T) {
	line := adding.Line{Words: []string{"x", "x"}, Dash: 1, Env: []string{"Z_TOKEN=letmein-1", "A_TOKEN=letmein-2", "M_TOKEN=letmein-3"}}
	for range 20 { // as often as the order of a map would show
		if _, err := line.Entry(); err == nil || !strings.Contains(err.Error(), "the value of A_TOKEN looks like a secret") {
			t.Fatalf("got %v", err)
		}
	}
}

func TestANameWithASecretInItIsNotRepeated(t *testing.T) {
	const token = "ghp_abcdefABCDEF0123456789"
	for _, line := range []adding.Line{
		{Words: []string{"x", "x"}, Dash: 1, Env: []string{token + " x=1"}},
		{Words: []string{"x", "https://x.example/mcp"}, Dash: -1, Headers: []string{"Authorization Bearer " + token + ": 1"}},
		{Words: []string{"x " + token, "x"}, Dash: 1},
	} {
		if _, err := line.Entry(); err == nil || strings.Contains(err.Error()+hintOf(err), token) {
			t.Errorf("%+v: got %v", line, err)
		}
	}
}

// FuzzLine reads any line: it becomes an entry without secrets in it, or an error with a hint.
func FuzzLine(f *testing.F) {
	f.Add("x\nnpx\n-y\nserver", 1, "A=b", "TOKEN", "", "")
	f.Add("x\nhttps://x.example/mcp", -1, "", "", "X: ${Y}", "TOKEN")
	f.Add("https://mcp.x.example", -1, "", "", "", "")
	f.Add("x\nlocalhost:1/mcp\nmore", 2, "=", "$A", ":", "%A%")
	f.Add("x", -1, "", "", "", "")
	f.Add("", 0, "", "", "", "")
	f.Fuzz(func(t *testing.T, words string, dash int, env, variable, header, bearer string) {
		startup := time.Second
		line := adding.Line{Dash: dash, BearerEnv: bearer, Startup: &startup, Env: list(env), EnvVars: list(variable), Headers: list(header)}
		if words != "" {
			line.Words = strings.Split(words, "\n")
		}
		adding.Hint(line.Words)
		entry, err := line.Entry()
		switch {
		case err != nil && (err.Error() == "" || hintOf(err) == ""):
			t.Errorf("%+v: the error %q has the hint %q", line, err, hintOf(err))
		case err == nil && (entry.Name == "" || (entry.Command == "") == (entry.URL == "")):
			t.Errorf("%+v became %+v", line, entry)
		case err == nil && importing.SecretArguments(entry.Args):
			t.Errorf("%+v became %+v, with a secret in it", line, entry)
		}
	})
}

func list(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

func hintOf(err error) string {
	var m interface{ Hint() string }
	if !errors.As(err, &m) {
		return ""
	}
	return m.Hint()
}
