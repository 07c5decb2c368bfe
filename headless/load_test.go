package headless_test

import (
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

// neverLoads is an Ollama server that responds to every request except the one that loads a model.
type neverLoads struct{}

func (neverLoads) RoundTrip(r *http.Request) (*http.Response, error) {
	body := `{}`
	switch r.URL.Path {
	case "/api/show":
		body = `{"capabilities":["completion"],"model_info":{"general.architecture":"llama","llama.context_length":8192}}`
	case "/api/generate":
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader(body)),
		Request: r}, nil
}

func TestModelNeverLoads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, err := ollama.NewOver(neverLoads{}, "http://127.0.0.1:11434")
		if err != nil {
			t.Fatal(err)
		}
		var out, errs strings.Builder
		o := headless.Options{Parts: parts(loop.Chat{Model: client, Name: "m"}), Format: headless.FormatJSON, Stdout: &out,
			Stderr: &errs}
		began := time.Now()
		code := headless.Answer(t.Context(), o, "hi")
		if took := time.Since(began); code != 3 || took < 10*time.Minute || took > 11*time.Minute {
			t.Errorf("it left with %d after %v", code, took)
		}
		if got := out.String(); !strings.Contains(got, `"reason":"error"`) ||
			!strings.Contains(got, `model \"m\" did not load within 10m00s`) || !strings.Contains(got, "; restart") {
			t.Errorf("it says\n%s%s", got, &errs)
		}
	})
}
