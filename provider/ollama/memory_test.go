package ollama

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
)

func TestWhatATokenOfTheContextTakes(t *testing.T) {
	for _, tt := range []struct {
		model, info string
		want        int64
	}{
		{"llama3.1:8b", `{"general.architecture":"llama","llama.block_count":32,"llama.embedding_length":4096,"llama.attention.head_count":32,"llama.attention.head_count_kv":8}`, 128 << 10},
		{"qwen3:8b", `{"general.architecture":"qwen3","qwen3.block_count":36,"qwen3.embedding_length":4096,"qwen3.attention.head_count":32,` +
			`"qwen3.attention.head_count_kv":8,"qwen3.attention.key_length":128,"qwen3.attention.value_length":128}`, 144 << 10},
		{"every head has its own", `{"general.architecture":"llama","llama.block_count":2,"llama.embedding_length":64,"llama.attention.head_count":4}`, 2 * 2 * 4 * 32},
		{"a number for each layer", `{"general.architecture":"a","a.block_count":3,"a.attention.head_count_kv":[],"a.attention.key_length":8,"a.attention.value_length":8}`, 0},
		{"no heads", `{"general.architecture":"a","a.block_count":3,"a.attention.head_count":[],"a.attention.head_count_kv":null}`, 0},
		{"compressed", `{"general.architecture":"deepseek2","deepseek2.block_count":27,"deepseek2.attention.head_count":16,"deepseek2.attention.head_count_kv":16,` +
			`"deepseek2.attention.key_length":192,"deepseek2.attention.value_length":128,"deepseek2.attention.kv_lora_rank":512}`, 0},
		{"a state in most layers", `{"general.architecture":"q","q.block_count":48,"q.attention.head_count":16,"q.attention.head_count_kv":2,"q.embedding_length":2048,"q.ssm.state_size":128}`, 0},
		{"only the nearest tokens", `{"general.architecture":"gemma3","gemma3.block_count":34,"gemma3.attention.head_count":8,"gemma3.attention.head_count_kv":4,` +
			`"gemma3.attention.key_length":256,"gemma3.attention.value_length":256,"gemma3.attention.sliding_window":1024}`, 0},
		{"hostile", `{"general.architecture":"a","a.block_count":1e300,"a.attention.head_count":-1,"a.attention.head_count_kv":"x","a.embedding_length":[1]}`, 0},
		{"nothing", `{}`, 0},
	} {
		t.Run(tt.model, func(t *testing.T) {
			var info map[string]any
			if err := json.Unmarshal([]byte(tt.info), &info); err != nil {
				t.Fatal(err)
			}
			if got := perToken(info); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

// A server on this machine is asked how large the model is; models that run on another server take nothing here.
func TestDescribeTellsWhatTheContextMayTake(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&request)
		host := map[string]string{"far": "https://ollama.com:443"}[request.Model]
		fmt.Fprintf(w, `{"remote_host":%q,"model_info":{"general.architecture":"a","a.block_count":1,"a.attention.head_count":1,"a.embedding_length":64}}`, host)
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"models":[{"name":"m:latest","size":1000},{"name":"m:cloud","size":300},{"name":"far:latest","size":300},{"name":"m:large","size":9000000000000000}]}`)
	})
	c := clientOf(t, mux)
	for name, want := range map[string]struct {
		size  int64
		known bool
	}{"m": {1000, true}, "m:cloud": {300, true}, "far": {0, false}, "m:large": {9000000000000000, false}, "m:gone": {0, false}} {
		info, err := c.Describe(t.Context(), name)
		if err != nil || info.PerToken != 256 || info.Size != want.size || (info.Memory > 0) != want.known {
			t.Errorf("%s is %+v, %v", name, info, err)
		}
	}
}
