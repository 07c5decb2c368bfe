package ollama

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

func TestEndlessResponse(t *testing.T) {
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for r := strings.NewReader(strings.Repeat(" ", 1<<20)); ; r.Reset(strings.Repeat(" ", 1<<20)) {
			if _, err := io.Copy(w, r); err != nil {
				return
			}
		}
	}))
	if _, err := c.List(t.Context()); err == nil || !strings.Contains(err.Error(), "a response larger than") {
		t.Errorf("%v", err)
	}
}

// TestNestedError would take hours without a limit on the depth.
func TestNestedError(t *testing.T) {
	deep := strings.Repeat("[", 5000) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("]", 5000)
	c := serve(t, streams(`{"error":`+deep+"}\n"))
	if _, err := ask(t.Context(), c, question); err == nil || len(err.Error()) > 1000 {
		t.Errorf("%.100v", err)
	}
}

func TestTokenInAddressIsHidden(t *testing.T) {
	for host, want := range map[string]string{
		"http://hf_secret@127.0.0.1:1":   "http://•••@127.0.0.1:1",
		"http://secret@127.0.0.1:1":      "http://•••@127.0.0.1:1",
		"http://me:secret@127.0.0.1:1":   "http://me:xxxxx@127.0.0.1:1",
		"http://127.0.0.1:1/of/somebody": "http://127.0.0.1:1/of/somebody",
	} {
		c, err := New(host)
		must(t, err)
		_, err = c.Version(t.Context())
		if c.Address() != want || err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s is %s: %v", host, c.Address(), err)
		}
	}
	for _, status := range []int{200, 401, 404, 500} { // the server echoes it
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, `{"error":"model hf_secret not found, error parsing tool call","signin_url":"http://hf_secret@x"}`)
		}))
		defer s.Close()
		c, err := New(strings.Replace(s.URL, "://", "://hf_secret@", 1))
		must(t, err)
		_, err = ask(t.Context(), c, question)
		var e *provider.Error
		if !errors.As(err, &e) || strings.Contains(e.Text+e.Hint+fmt.Sprint(e.Err), "hf_secret") {
			t.Errorf("%d: %+v", status, e)
		}
	}
}

func TestImplausibleCountsAreZero(t *testing.T) {
	for _, count := range []string{"9223372036854775807", "-5", `"x"`, "{}", "1.5"} {
		c := serve(t, streams(lineHello+`{"done":true,"prompt_eval_count":`+count+`,"load_duration":`+count+
			`,"eval_count":10,"eval_duration":3000000}`+"\n"))
		got, err := ask(t.Context(), c, question)
		if err != nil || len(got) != 2 {
			t.Fatalf("%v, %v", got, err)
		}
		if u := got[1].Usage; u.PromptTokens != 0 || u.Load != 0 || u.AnswerTokens != 10 || u.Answer.Milliseconds() != 3 {
			t.Errorf("%s: %+v", count, u)
		}
	}
}
