package openai

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// TestRefusals reads testdata/refusals.txt.
func TestRefusals(t *testing.T) {
	file, err := os.ReadFile("testdata/refusals.txt")
	must(t, err)
	for _, paragraph := range strings.Split(strings.TrimSpace(string(file)), "\n\n")[1:] {
		lines := strings.Split(paragraph, "\n")
		for i, line := range lines {
			lines[i] = strings.TrimPrefix(line, "-")
		}
		_, what, _ := strings.Cut(lines[0], ": ")
		status, kind, _ := strings.Cut(what, " ")
		code, err := strconv.Atoi(status)
		must(t, err)
		e := refusal(t, code, lines[1])
		if e.Kind.String() != kind || !strings.Contains(e.Text, lines[2]) || !strings.Contains(e.Hint, lines[3]) {
			t.Errorf("%s: kind %s, %q, hint %q", lines[0], e.Kind, e.Text, e.Hint)
		}
	}
}

// refusal returns the error for a response with a status and a body.
func refusal(t *testing.T, status int, body string) *provider.Error {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "https://elsewhere")
		if strings.HasPrefix(body, "{") {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	defer s.Close()
	c := client(t, Options{BaseURL: s.URL, Key: "a-secret-key"})
	c.through(impatient{c.HTTP.Transport})
	_, err := ask(t.Context(), c, withTools())
	var e *provider.Error
	if !errors.As(err, &e) {
		t.Fatalf("%d %s: %v", status, body, err)
	}
	return e
}

func TestSizesOfTooLongRequest(t *testing.T) {
	const body = `{"error":{"code":400,"message":"the request exceeds the available context size",` +
		`"type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}`
	if e := refusal(t, 400, body); e.Tokens != 14429 || e.Window != 8192 {
		t.Errorf("the sizes are %d and %d", e.Tokens, e.Window)
	}
}

func TestRefusalsAreSanitized(t *testing.T) {
	for body, want := range map[string]string{
		"out of \x1b[31mcheese a-secret-key":                                             "out of [31mcheese •••",
		`{"error":{"message":"` + strings.Repeat(`\u001b]0;x\u0007\u202e`, 1000) + `"}}`: "returned an error:",
	} {
		e := refusal(t, 500, body)
		text := fmt.Sprint(e.Detail(), e.Err)
		if strings.ContainsAny(text, "\x1b\x07\u202e\n") || strings.Contains(text, "a-secret-key") || len(text) > 4000 ||
			!strings.Contains(text, want) {
			t.Errorf("%q", text)
		}
	}
}

// impatient sets Retry-After to 0, so that tests do not wait.
type impatient struct{ next http.RoundTripper }

func (i impatient) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := i.next.RoundTrip(r)
	if err == nil {
		resp.Header.Set("Retry-After", "0")
	}
	return resp, err
}

func TestUnreachableServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := listener.Addr().String()
	listener.Close()
	c := client(t, Options{BaseURL: "http://me:hunter22@" + address})
	for _, err := range []error{second(ask(t.Context(), c, question)), second(c.List(t.Context()))} {
		if kindOf(err) != provider.KindUnavailable || !strings.Contains(err.Error(), address) ||
			strings.Contains(fmt.Sprint(err, errors.Unwrap(err)), "hunter22") {
			t.Errorf("kind %d, %v", kindOf(err), err)
		}
	}
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	defer tls.Close()
	tls.Config.ErrorLog = log.New(io.Discard, "", 0) // no handshake errors in the output
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for base, want := range map[string]string{
		"http://no-such-host.invalid": `unknown host "no-such-host.invalid"`,
		tls.URL:                       "its certificate is not trusted",
		strings.Replace(plain.URL, "http", "https", 1):      "server gave HTTP response to HTTPS client",
		"http://" + strings.TrimPrefix(tls.URL, "https://"): "",
	} {
		_, err := ask(t.Context(), client(t, Options{BaseURL: base}), question)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", base, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestCAFile(t *testing.T) {
	s := httptest.NewTLSServer(streams(hello, finished, over))
	defer s.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(file, certificate(s), 0o600))
	got, err := ask(t.Context(), client(t, Options{BaseURL: s.URL, CAFile: file}), question)
	if err != nil || got.Text != "Hello" {
		t.Errorf("%+v, %v", got, err)
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	must(t, os.WriteFile(empty, []byte("no certificate"), 0o600))
	for file, want := range map[string]string{empty: "no certificate in PEM", "nowhere.pem": "cannot read"} {
		if _, err := New(Options{BaseURL: s.URL, CAFile: file}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"http://box:8000":                     "http://box:8000/v1",
		"http://box:8000/":                    "http://box:8000/v1",
		"http://box:8000/v1/":                 "http://box:8000/v1",
		"http://box:8000/v1/chat/completions": "http://box:8000/v1",
		"http://box:8000/v1/models":           "http://box:8000/v1",
		"https://openrouter.ai/api/v1":        "https://openrouter.ai/api/v1",
		"https://example.com/v1beta/openai/":  "https://example.com/v1beta/openai",
		"http://me:secret@box:8000/ray/v1":    "http://me:xxxxx@box:8000/ray/v1",
		" http://[::1]:8000 ":                 "http://[::1]:8000/v1",
		"https://tok!en12345@h.example/v1":    "https://•••@h.example/v1",
		"https://supersecretword@h.example":   "https://•••@h.example/v1",
		" https://supersecretword:@h.example": "https://•••:xxxxx@h.example/v1",
		"https://ada@h.example/v1":            "https://ada@h.example/v1",
	} {
		c, err := New(Options{BaseURL: text})
		if err != nil || c.Address() != want {
			t.Errorf("%q is %v, %v, want %s", text, c, err, want)
		}
	}
	for _, text := range []string{
		"", "box", "ftp://box", "http://", "http://box?x=1", "http://box/#a", "http://b ox", "http://me:secret@box:x",
	} {
		if _, err := New(Options{BaseURL: text}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestKeyAndHeadersInEveryRequest(t *testing.T) {
	seen := make(chan http.Header, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		if strings.HasSuffix(r.URL.Path, "/models") {
			io.WriteString(w, oneModel)
			return
		}
		streams(hello, finished, over)(w, r)
	}))
	defer s.Close()
	for _, test := range []struct {
		o             Options
		authorization string
	}{
		{Options{Key: "a-secret-key", Headers: map[string]string{"x-team": "docs"}}, "Bearer a-secret-key"},
		{Options{Key: "key", Headers: map[string]string{"Authorization": "Basic abc", "x-team": "docs"}}, "Basic abc"},
		{Options{Headers: map[string]string{"x-team": "docs"}}, ""},
	} {
		test.o.BaseURL = s.URL
		c := client(t, test.o)
		must(t, errors.Join(second(ask(t.Context(), c, question)), second(c.List(t.Context()))))
		for range 2 {
			h := <-seen
			if h.Get("Authorization") != test.authorization || h.Get("X-Team") != "docs" || h.Get("User-Agent") != "aloud" {
				t.Errorf("%v", h)
			}
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
