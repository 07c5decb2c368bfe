package conn

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/secret"
)

const password = "hunter22-\"and\"-more"

// logged returns a logger at debug level, and its output.
func logged() (*slog.Logger, *bytes.Buffer) {
	out := &bytes.Buffer{}
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug})), out
}

func TestNoLogBelowDebugLevel(t *testing.T) {
	l := newWireLog(slog.New(slog.DiscardHandler), "x", secret.Hider{})
	if l != nil {
		t.Error("there is a log")
	}
	l.message(sent, 1) // goes nowhere
	l.failed(io.EOF)
}

func TestLongMessageIsCut(t *testing.T) {
	log, out := logged()
	l := newWireLog(log, "x", secret.Hide([]string{password}, func() []string { return []string{"a-token-of-a-login"} }))
	for _, secret := range []string{password, "a-token-of-a-login"} {
		out.Reset()
		l.message(sent, strings.Repeat("x", loggedBytes-3)+secret+strings.Repeat("y", 1<<20))
		var r struct {
			Message string
			Bytes   int
		}
		if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Bytes < 1<<20 || len(r.Message) > loggedBytes ||
			strings.Contains(r.Message, "hun") || strings.Contains(r.Message, "a-t") {
			t.Errorf("%d bytes as %d, ending %q: %v", r.Bytes, len(r.Message), r.Message[max(0, len(r.Message)-20):], err)
		}
	}
}

// TestLogMasksSecrets logs unknown secrets in the usual formats.
func TestLogMasksSecrets(t *testing.T) {
	const canary = "CaNaRy0123456789abcDEF"
	for _, message := range []string{
		`{"params":{"arguments":{"api_key":"` + canary + `"}}}`,
		`{"params":{"arguments":{"password":"` + canary + `","text":"a"}}}`,
		`{"params":{"arguments":{"private_key":"-----BEGIN PRIVATE KEY-----\n` + canary + `\n-----END PRIVATE KEY-----\n"}}}`,
		`{"params":{"arguments":{"headers":{"Authorization":"Bearer ` + canary + `"}}}}`,
		`{"result":{"content":[{"type":"text","text":"export API_KEY=` + canary + `\nexport LANG=C"}]}}`,
		`{"result":{"content":[{"type":"text","text":"API_KEY: ` + canary + `"}]}}`,
		`{"result":{"content":[{"type":"text","text":"{\"client_secret\":\"` + canary + `\"}"}]}}`,
		`{"result":{"content":[{"type":"text","text":"Authorization: Bearer ` + canary + `"}]}}`,
		`{"result":{"content":[{"type":"text","text":"log in with ghp_` + canary + `, or not"}]}}`,
		`{"result":{"content":[{"type":"text","text":"log in with sk-` + canary + `"}]}}`,
		`{"result":{"content":[{"type":"text","text":"-----BEGIN RSA PRIVATE KEY-----\n` + canary +
			`\n-----END RSA PRIVATE KEY-----"}]}}`,
		`{"result":{"content":[{"type":"text","text":"postgres://ada:` + canary + `@db.example/notes"}]}}`,
		`{"result":{"content":[{"type":"text","text":"https://api.example/v1?access_token=` + canary + `&x=1"}]}}`,
		`{"method":"notifications/message","params":{"level":"info","data":"TOKEN=` + canary + `"}}`,
	} {
		log, out := logged()
		newWireLog(log, "x", secret.Hider{}).message(received, json.RawMessage(message))
		if text := out.String(); strings.Contains(text, "0123456789abc") || !strings.Contains(text, "wire") {
			t.Errorf("%s\nis logged as\n%s", message, text)
		}
	}
}

func FuzzLogMasksSecrets(f *testing.F) {
	f.Add("before", "after", 4000)
	f.Add("", `"}`, 4090)
	f.Add(strings.Repeat("h", 100), "hunter", 4096)
	log, _ := logged()
	f.Fuzz(func(t *testing.T, before, after string, fill int) {
		l := newWireLog(log, "x", secret.Hide([]string{password}, nil))
		message := strings.Repeat("x", min(max(fill, 0), 10_000)) + before + password + after
		got := l.hidden(message)
		if strings.Contains(strings.ReplaceAll(message, password, "•••"), password) {
			return // created by the masking itself
		}
		if strings.Contains(got, password) || len(got) > loggedBytes {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	})
}
