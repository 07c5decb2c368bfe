package openai

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// shows starts a server that answers requests by path, and others with the status 404.
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

// TestDescribe uses the lists of real servers: vllm-project/vllm#12600, ggml-org/llama.cpp's tools/server/README.md,
// lmstudio.ai/docs, and those of hosted servers.
func TestDescribe(t *testing.T) {
	const llamaList = `{"models":[{"name":"x"}],"object":"list","data":[{"id":"m","created":1,"owned_by":"llamacpp",` +
		`"meta":{"vocab_type":2,"n_ctx_train":131072,"n_params":8030261312,"size":4912898304}}]}`
	const llamaProps = `{"default_generation_settings":{"n_ctx":8192},"modalities":{"vision":true,"audio":false}}`
	const studioList = `{"object":"list","data":[{"id":"m","object":"model","owned_by":"organization_owner"}]}`
	for name, test := range map[string]struct {
		list, detail string
		want         provider.Info
	}{
		"vLLM": {`{"object":"list","data":[{"id":"m","owned_by":"vllm","parent":null,"max_model_len":40960}]}`, "",
			provider.Info{Context: 40960}},
		"llama.cpp": {llamaList, llamaProps, provider.Info{Vision: true, Context: 8192, Size: 4912898304}},
		"llama.cpp without vision": {llamaList, strings.Replace(llamaProps, "true", "false", 1),
			provider.Info{Blind: true, Context: 8192, Size: 4912898304}},
		"llama.cpp without props": {llamaList, "", provider.Info{Size: 4912898304}}, // 131072 is what it was trained for
		"another name for llama.cpp": {`{"data":[{"id":"m","owned_by":"me"}]}`, llamaProps,
			provider.Info{Vision: true, Context: 8192}},
		"Groq": {`{"data":[{"id":"m","owned_by":"Meta","context_window":131072}]}`, "", provider.Info{Context: 131072}},
		"LM Studio": {studioList, `{"data":[{"id":"n","type":"llm"},` +
			`{"id":"m","object":"model","type":"vlm","arch":"qwen2_vl",` +
			`"quantization":"4bit","state":"loaded","max_context_length":32768,"loaded_context_length":4096}]}`,
			provider.Info{Vision: true, Context: 4096}},
		"LM Studio, not loaded": {studioList,
			`{"data":[{"id":"m","type":"llm","state":"not-loaded","max_context_length":32768}]}`,
			provider.Info{}},
		"LM Studio, an older one": {studioList, "", provider.Info{}},
		"Ollama":                  {`{"data":[{"id":"m:latest","owned_by":"library"}]}`, "", provider.Info{}},
		"Together":                {`[{"id":"m","type":"chat","context_length":"8192"}]`, "", provider.Info{Context: 8192}},
		"no list":                 {"", "", provider.Info{}},
		"invalid entries":         {`{"data":[3,null,{"id":"m","max_model_len":{},"capabilities":7}]}`, "", provider.Info{}},
	} {
		answers := map[string]string{}
		if test.list != "" {
			answers["/v1/models"] = test.list
		}
		if test.detail != "" {
			answers["/props"], answers["/api/v0/models"] = test.detail, test.detail
		}
		test.want.Name, test.want.Tools, test.want.Fixed = "m", true, true
		c := shows(t, answers)
		if got, err := c.Describe(t.Context(), "m"); err != nil || got != test.want {
			t.Errorf("%s:\n got %+v, %v\nwant %+v", name, got, err, test.want)
		}
		if program := c.Program("m"); program != "" && !strings.HasPrefix(name, program) {
			t.Errorf("%s is taken for %s", name, program)
		}
	}
}

// TestDetailsAreRequestedOnce checks that they are not requested from hosted servers, nor if the list has the context.
func TestDetailsAreRequestedOnce(t *testing.T) {
	for name, test := range map[string]struct {
		base, list string
		want       []string
	}{
		"local":     {"http://127.0.0.1:8080", `{"data":[{"id":"m"}]}`, []string{"/props"}},
		"llama.cpp": {"http://box.example:8080", `{"data":[{"id":"m","owned_by":"llamacpp"}]}`, []string{"/props"}},
		"LM Studio": {"http://box.example", `{"data":[{"id":"m","owned_by":"organization_owner"}]}`,
			[]string{"/api/v0/models"}},
		"known context": {"http://127.0.0.1:8080", `{"data":[{"id":"m","max_model_len":4096}]}`, nil},
		"hosted":        {"https://api.example", `{"data":[{"id":"m","owned_by":"system"}]}`, nil},
	} {
		c := client(t, Options{BaseURL: test.base})
		var asked []string
		c.through(roundTripper(func(r *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			switch r.URL.Path {
			case "/v1/models":
				io.WriteString(w, test.list)
			case "/props":
				io.WriteString(w, `{"default_generation_settings":{"n_ctx":8192}}`)
			default:
				io.WriteString(w, `{"data":[{"id":"m","loaded_context_length":8192}]}`)
			}
			if r.URL.Path != "/v1/models" {
				asked = append(asked, r.URL.Path)
			}
			return w.Result(), nil
		}))
		for range 2 {
			info, err := c.Describe(t.Context(), "m")
			if want := 8192; err != nil || len(test.want) > 0 && info.Context != want {
				t.Errorf("%s: %+v, %v", name, info, err)
			}
		}
		if !slices.Equal(asked, test.want) {
			t.Errorf("%s: requested %q, want %q", name, asked, test.want)
		}
	}
}

// TestDetailsThatMayChangeAreRequestedAgain describes a model twice.
func TestDetailsThatMayChangeAreRequestedAgain(t *testing.T) {
	const llama = `{"data":[{"id":"m","owned_by":"llamacpp"}]}`
	const studio = `{"data":[{"id":"m","owned_by":"organization_owner"}]}`
	const small, large = `{"default_generation_settings":{"n_ctx":4096}}`, `{"default_generation_settings":{"n_ctx":8192}}`
	for name, test := range map[string]struct {
		list          string
		status        int // of the first details
		first, second string
		refused       bool // a prompt in between
		want          int  // the context in the end
	}{
		"llama.cpp loads the model": {llama, 503, `{"error":{"code":503,"message":"Loading model"}}`, large, false, 8192},
		"llama.cpp fails":           {llama, 500, `{}`, large, false, 8192},
		"llama.cpp without details": {llama, 404, `{}`, large, false, 0},
		"recent details":            {llama, 200, small, large, false, 4096},
		"a refused prompt":          {llama, 200, small, large, true, 8192},
		"LM Studio loads the model": {studio, 200, `{"data":[{"id":"m","state":"not-loaded","max_context_length":32768}]}`,
			`{"data":[{"id":"m","state":"loaded","loaded_context_length":8192}]}`, false, 8192},
	} {
		c := client(t, Options{BaseURL: "http://127.0.0.1:8080"})
		isFirst := true
		c.through(roundTripper(func(r *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			w.Header().Set("Content-Type", "application/json")
			switch {
			case r.URL.Path == "/v1/models":
				io.WriteString(w, test.list)
			case r.URL.Path == "/v1/chat/completions":
				w.WriteHeader(400)
				io.WriteString(w, `{"error":"Cannot truncate prompt with n_keep (5028) >= n_ctx (4096)"}`)
			case isFirst:
				isFirst = false
				w.WriteHeader(test.status)
				io.WriteString(w, test.first)
			default:
				io.WriteString(w, test.second)
			}
			return w.Result(), nil
		}))
		first, err := c.Describe(t.Context(), "m")
		if test.refused {
			if _, err := ask(t.Context(), c, question); kindOf(err) != provider.KindTooLong {
				t.Errorf("%s: %v", name, err)
			}
		}
		second, again := c.Describe(t.Context(), "m")
		if err != nil || again != nil || second.Context != test.want {
			t.Errorf("%s: first %+v, %v, then %+v, %v", name, first, err, second, again)
		}
	}
}

func TestMissingModel(t *testing.T) {
	c := shows(t, map[string]string{"/v1/models": `{"data":[{"id":"a"},{"id":"b\u001b[31m"},{"id":"text-embedding-3"}]}`})
	_, err := c.Describe(t.Context(), "c")
	var e *provider.Error
	if kindOf(err) != provider.KindMissing || !strings.Contains(err.Error(), `has no model "c"`) {
		t.Fatalf("%v", err)
	}
	if errors.As(err, &e) && e.Hint != "its models: a, b[31m" {
		t.Errorf("%q", e.Hint)
	}
	// Without the last model, Choose takes the first one.
	if info, err := provider.Choose(t.Context(), c, "", "qwen3:8b"); err != nil || info.Name != "a" {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := provider.Choose(t.Context(), c, "qwen3:8b", ""); kindOf(err) != provider.KindMissing {
		t.Errorf("%v", err)
	}
}

func TestListOfChatModels(t *testing.T) {
	const list = `{"data":[{"id":"nomic-embed-text"},{"id":"a"},{"id":"b","type":"embeddings"}]}`
	c := shows(t, map[string]string{"/v1/models": list})
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
		_, err := shows(t, map[string]string{"/v1/models": body}).List(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", body, err)
		}
	}
	_, err = shows(t, nil).List(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no list of models (404 Not Found)") {
		t.Error(err)
	}
}
