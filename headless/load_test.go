package headless_test

import (
	"cmp"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/ollama"
)

// unloaded is an Ollama server whose model is not in memory. It answers with what it returns for the path of the
// request. An empty body of the request that loads the model means that it never loads.
type unloaded map[string]string

func (u unloaded) RoundTrip(r *http.Request) (*http.Response, error) {
	body := cmp.Or(u[r.URL.Path], `{}`)
	switch {
	case r.URL.Path == "/api/show":
		body = `{"capabilities":["completion"],"model_info":{"general.architecture":"llama","llama.context_length":8192}}`
	case r.URL.Path == "/api/generate" && u[r.URL.Path] == "":
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader(body)),
		Request: r}, nil
}

// askUnloaded asks the model of a server.
func askUnloaded(t *testing.T, server unloaded, format headless.Format) (code int, stdout, stderr string) {
	t.Helper()
	client, err := ollama.NewOver(server, "http://127.0.0.1:11434")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	o := headless.Options{Parts: parts(loop.Chat{Model: client, Name: "m"}), Format: format, Stdout: &out, Stderr: &errs}
	code = headless.Answer(t.Context(), o, "hi")
	return code, out.String(), errs.String()
}

func TestLoadingIsShown(t *testing.T) {
	server := unloaded{"/api/ps": `{"models":[]}`, "/api/generate": `{"done":true,"done_reason":"load"}`,
		"/api/chat": `{"message":{"content":"Hello."},"done":true,"done_reason":"stop"}`}
	synctest.Test(t, func(t *testing.T) {
		code, out, _ := askUnloaded(t, server, headless.FormatStreamJSON)
		const want = `{"type":"status","phase":"loading","text":"Loading m…","step_ms":0,"turn_ms":0,"paused":true,`
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("left with %d, and no %s in\n%s", code, want, out)
		}
		if code, _, errs := askUnloaded(t, server, headless.FormatText); code != 0 ||
			!strings.Contains(errs, "Loading m…\n") {
			t.Errorf("left with %d and\n%s", code, errs)
		}
	})
}

func TestModelNeverLoads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		code, got, errs := askUnloaded(t, unloaded{}, headless.FormatJSON)
		if took := time.Since(began); code != 3 || took < 10*time.Minute || took > 11*time.Minute {
			t.Errorf("it left with %d after %v", code, took)
		}
		if !strings.Contains(got, `"reason":"error"`) ||
			!strings.Contains(got, `model \"m\" did not load within 10m00s`) || !strings.Contains(got, "; restart") {
			t.Errorf("it says\n%s%s", got, errs)
		}
	})
}
