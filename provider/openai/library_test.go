package openai

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// shows is a server that answers GET requests by path, and 404 to all others.
func shows(t *testing.T, answers map[string]string) *Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			body = `{"detail":"Not Found"}`
		}
		io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return client(t, Options{BaseURL: s.URL})
}

// TestWhatServersTellOfTheirModels takes the lists as the servers send them: vllm-project/vllm#12600,
// ggml-org/llama.cpp's tools/server/README.md, lmstudio.ai/docs/developer/rest/endpoints, ray-project/ray's
// python/ray/llm, and the public lists of hosted ones.
func TestWhatServersTellOfTheirModels(t *testing.T) {
	for name, test := range map[string]struct {
		answers map[string]string
		model   string
		want    provider.Info
	}{
		"vLLM": {map[string]string{"/v1/models": `{"object":"list","data":[{"id":"Qwen/Qwen3-8B","object":"model","created":1,"owned_by":"vllm","root":"Qwen/Qwen3-8B","parent":null,"max_model_len":40960,"permission":[]}]}`},
			"Qwen/Qwen3-8B", provider.Info{Tools: true, Context: 40960}},
		"llama.cpp": {map[string]string{
			"/v1/models": `{"models":[{"name":"x"}],"object":"list","data":[{"id":"qwen.gguf","object":"model","created":1,"owned_by":"llamacpp","meta":{"vocab_type":2,"n_ctx_train":131072,"n_embd":4096,"n_params":8030261312,"size":4912898304}}]}`,
			"/props":     `{"default_generation_settings":{"n_ctx":8192},"total_slots":1,"modalities":{"vision":true,"audio":false}}`,
		}, "qwen.gguf", provider.Info{Tools: true, Vision: true, Context: 8192, Size: 4912898304}},
		"llama.cpp that shows nothing": {map[string]string{
			"/v1/models": `{"data":[{"id":"qwen.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}`,
		}, "qwen.gguf", provider.Info{Tools: true, Context: 131072}},
		"LM Studio": {map[string]string{
			"/v1/models": `{"data":[{"id":"qwen2-vl-7b","object":"model","owned_by":"organization_owner"}],"object":"list"}`,
		}, "qwen2-vl-7b", provider.Info{Tools: true}},
		"Ollama": {map[string]string{"/v1/models": `{"object":"list","data":[{"id":"qwen3:latest","object":"model","created":1,"owned_by":"library"}]}`},
			"qwen3", provider.Info{Tools: true}},
		"Together, a bare list": {map[string]string{"/v1/models": `[{"id":"a","type":"chat","context_length":"8192"}]`}, "a", provider.Info{Tools: true, Context: 8192}},
		"a name that is not listed": {map[string]string{"/v1/models": `{"data":[{"id":"models/gemini"}]}`, "/v1/models/gemini": `{"id":"models/gemini"}`},
			"gemini", provider.Info{Tools: true}},
		"no list at all": {map[string]string{}, "a", provider.Info{Tools: true}},
		"nonsense":       {map[string]string{"/v1/models": `{"data":[3,null,{"id":"a","max_model_len":{},"capabilities":7,"aliases":null}]}`}, "a", provider.Info{Tools: true}},
	} {
		test.want.Name, test.want.Fixed = test.model, true
		c := shows(t, test.answers)
		if got, err := c.Describe(t.Context(), test.model); err != nil || got != test.want {
			t.Errorf("%s:\n got %+v, %v\nwant %+v", name, got, err, test.want)
		}
		if program := c.Program(test.model); program != "" && !strings.HasPrefix(name, program) {
			t.Errorf("%s is taken for %s", name, program)
		}
	}
}

func TestAModelThatIsNotThere(t *testing.T) {
	c := shows(t, map[string]string{"/v1/models": `{"data":[{"id":"a"},{"id":"b\u001b[31m"},{"id":"text-embedding-3"}]}`})
	_, err := c.Describe(t.Context(), "c")
	var e *provider.Error
	if kindOf(err) != provider.KindMissing || !strings.Contains(err.Error(), `has no model "c"`) {
		t.Fatalf("%v", err)
	}
	if errors.As(err, &e) && e.Hint != "its models: a, b[31m" {
		t.Errorf("%q", e.Hint)
	}
	// The one used last is not here: the first that is, is taken.
	if info, err := provider.Choose(t.Context(), c, "", "qwen3:8b"); err != nil || info.Name != "a" {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := provider.Choose(t.Context(), c, "qwen3:8b", ""); kindOf(err) != provider.KindMissing {
		t.Errorf("%v", err)
	}
}

func TestListLeavesOutWhatCannotChat(t *testing.T) {
	c := shows(t, map[string]string{"/v1/models": `{"data":[{"id":"nomic-embed-text"},{"id":"a"},{"id":"b","type":"embeddings"}]}`})
	models, err := c.List(t.Context())
	if err != nil || len(models) != 1 || models[0].Name != "a" {
		t.Errorf("%+v, %v", models, err)
	}
	for body, want := range map[string]string{
		`{"data":[]}`: "has no model",
		`{"error":"Unexpected endpoint or method. (GET /v1/models)"}`: "cannot parse",
		`"x"`:     "cannot parse",
		`<html>`:  "web page",
		`{"data"`: "lost the connection",
	} {
		if _, err := shows(t, map[string]string{"/v1/models": body}).List(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", body, err)
		}
	}
	if _, err := shows(t, nil).List(t.Context()); err == nil || !strings.Contains(err.Error(), "no list of models (404 Not Found)") {
		t.Errorf("%v", err)
	}
}
