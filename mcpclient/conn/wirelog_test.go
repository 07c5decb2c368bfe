package conn

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/secret"
)

const password = "hunter22-\"and\"-more"

// logged returns a log that wants to know all, and where it goes.
func logged() (*slog.Logger, *bytes.Buffer) {
	out := &bytes.Buffer{}
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug})), out
}

func TestWithoutALogNothingIsReadAlong(t *testing.T) {
	l := NewLog(slog.New(slog.DiscardHandler), "x", secret.Hider{})
	if l != nil {
		t.Error("without a log that wants to know, the wire is read")
	}
	l.With("more", 1).Line(Sent, []byte("{}")) // goes nowhere
	l.Value(Sent, 1)
}

func TestALongMessageIsCut(t *testing.T) {
	log, out := logged()
	l := NewLog(log, "x", secret.Hide([]string{password}, nil))
	l.Line(Sent, []byte(strings.Repeat("x", loggedBytes-3)+password+strings.Repeat("y", 1<<20)))
	var r struct {
		Message string
		Bytes   int
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Bytes < 1<<20 || len(r.Message) > loggedBytes || strings.Contains(r.Message, "hun") {
		t.Errorf("%d bytes as %d, ending %q: %v", r.Bytes, len(r.Message), r.Message[max(0, len(r.Message)-20):], err)
	}
}

func TestTheTokenOfALoginIsNotLogged(t *testing.T) {
	log, out := logged()
	l := NewLog(log, "x", secret.Hide(nil, func() []string { return []string{"a-token-of-a-login"} }))
	l.Line(Received, []byte(`{"text":"a-token-of-a-login has expired"}`))
	l.Line(Received, []byte(strings.Repeat("x", loggedBytes-3)+"a-token-of-a-login and so on"))
	if text := out.String(); strings.Contains(text, "a-t") || !strings.Contains(text, "has expired") {
		t.Errorf("the log has the token: %.300s … %s", text, text[max(0, len(text)-100):])
	}
}

// TestWhatLooksSecretIsNotLogged has a canary in every shape in which servers and models write secrets that no configuration knows.
func TestWhatLooksSecretIsNotLogged(t *testing.T) {
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
		`{"result":{"content":[{"type":"text","text":"-----BEGIN RSA PRIVATE KEY-----\n` + canary + `\n-----END RSA PRIVATE KEY-----"}]}}`,
		`{"result":{"content":[{"type":"text","text":"postgres://ada:` + canary + `@db.example/notes"}]}}`,
		`{"result":{"content":[{"type":"text","text":"https://api.example/v1?access_token=` + canary + `&x=1"}]}}`,
		`{"method":"notifications/message","params":{"level":"info","data":"TOKEN=` + canary + `"}}`,
	} {
		log, out := logged()
		NewLog(log, "x", secret.Hider{}).Line(Received, []byte(message))
		if text := out.String(); strings.Contains(text, "0123456789abc") || !strings.Contains(text, "wire") {
			t.Errorf("%s\nis logged as\n%s", message, text)
		}
	}
}

func FuzzNoSecretIsLogged(f *testing.F) {
	f.Add("before", "after", 4000)
	f.Add("", `"}`, 4090)
	f.Add(strings.Repeat("h", 100), "hunter", 4096)
	log, _ := logged()
	f.Fuzz(func(t *testing.T, before, after string, fill int) {
		l := NewLog(log, "x", secret.Hide([]string{password}, nil))
		message := strings.Repeat("x", min(max(fill, 0), 10_000)) + before + password + after
		got := l.mask([]byte(message)[:min(len(message), l.Kept())], len(message))
		if strings.Contains(strings.ReplaceAll(message, password, "•••"), password) {
			return // put together by the masking itself
		}
		if strings.Contains(got, password) || len(got) > loggedBytes {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	})
}
