package ollama

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// TestErrors reads testdata/errors.txt.
func TestErrors(t *testing.T) {
	file, err := os.ReadFile("testdata/errors.txt")
	must(t, err)
	types := map[string]string{"json": "application/json", "ndjson": "application/x-ndjson", "html": "text/html"}
	for _, paragraph := range strings.Split(strings.TrimSpace(string(file)), "\n\n")[1:] {
		lines := strings.Split(strings.ReplaceAll(paragraph, "HELLO", strings.TrimSpace(lineHello)+"\r"), "\n")
		for i, line := range lines {
			lines[i] = strings.ReplaceAll(strings.TrimPrefix(line, "-"), "\r", "\n")
		}
		name, rest, _ := strings.Cut(lines[0], ": ")
		var status, contentType, kind string
		if _, err := fmt.Sscan(rest, &status, &contentType, &kind); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		code, _ := strconv.Atoi(status)
		responses := []http.HandlerFunc{answers(code, types[contentType], lines[1])}
		if status == "anywhere" {
			responses = []http.HandlerFunc{answers(500, types[contentType], lines[1]), streams(lineHello + lines[1] + "\n")}
		}
		for _, response := range responses {
			e := errorOf(t, response)
			if e.Kind.String() != kind || !strings.Contains(e.Text, lines[2]) || !strings.Contains(e.Hint, lines[3]) {
				t.Errorf("%s: kind %s, %q, hint %q", name, e.Kind, e.Text, e.Hint)
			}
			if strings.ContainsAny(e.Text+e.Hint, "\n\x1b\a") || e.Hint == "" || strings.Contains(e.Text, "xxx") {
				t.Errorf("%s: %q, hint %q", name, e.Text, e.Hint)
			}
		}
	}
}

func TestSizesOfTooLongRequest(t *testing.T) {
	const body = `{"error":"request (5132 tokens) exceeds the available context size (4096 tokens), try increasing it"}`
	if e := errorOf(t, answers(400, "application/json", body)); e.Tokens != 5132 || e.Window != 4096 {
		t.Errorf("the sizes are %d and %d", e.Tokens, e.Window)
	}
}

// errorOf returns the error of a chat with the given response.
func errorOf(t *testing.T, response http.HandlerFunc) *provider.Error {
	t.Helper()
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "https://elsewhere/")
		response(w, r)
	})
	_, err := ask(t.Context(), c, question)
	var e *provider.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	return e
}

func TestBrokenStreams(t *testing.T) {
	for body, want := range map[string]provider.Kind{
		"":                        provider.KindBroken,
		lineHello + lineDone[:60]: provider.KindBroken,
		`{"message":{"content":"` + strings.Repeat("x", provider.MaxLine) + `"}}`: provider.KindTooLarge,
	} {
		if e := errorOf(t, streams(body)); e.Kind != want || e.Hint == "" {
			t.Errorf("%.100s: %+v", body, e)
		}
	}
}

// TestRefusedRequest checks that an error about aloud's request is not treated as one about the model's call.
func TestRefusedRequest(t *testing.T) {
	const body = `{"error":"invalid character 'x' looking for beginning of value"}`
	if e := errorOf(t, answers(400, "application/json", body)); e.Kind != provider.KindFailed {
		t.Errorf("got %+v", e)
	}
}
