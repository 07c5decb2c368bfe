package ollama

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
)

func TestMemoryPerToken(t *testing.T) {
	for _, tt := range []struct {
		model, info string
		want        int64
	}{
		{"llama3.1:8b", `"block_count":32,"embedding_length":4096,"attention.head_count":32,"attention.head_count_kv":8`,
			128 << 10},
		{"qwen3:8b", `"block_count":36,"embedding_length":4096,"attention.head_count":32,"attention.head_count_kv":8,` +
			`"attention.key_length":128,"attention.value_length":128`, 144 << 10},
		{"no shared heads", `"block_count":2,"embedding_length":64,"attention.head_count":4`, 2 * 2 * 4 * 32},
		{"list of heads", `"block_count":3,"attention.head_count_kv":[],"attention.key_length":8`, 0},
		{"no heads", `"block_count":3,"attention.head_count":[],"attention.head_count_kv":null`, 0},
		{"compressed", `"block_count":27,"attention.head_count":16,"attention.key_length":192,` +
			`"attention.value_length":128,"attention.kv_lora_rank":512`, 0},
		{"fixed state", `"block_count":48,"attention.head_count":16,"embedding_length":2048,"ssm.state_size":128`, 0},
		{"sliding window", `"block_count":34,"attention.head_count":8,"attention.key_length":256,` +
			`"attention.value_length":256,"attention.sliding_window":1024`, 0},
		{"hostile", `"block_count":1e300,"attention.head_count":-1,"attention.head_count_kv":"x","embedding_length":[1]`, 0},
	} {
		t.Run(tt.model, func(t *testing.T) {
			var fields map[string]any
			must(t, json.Unmarshal([]byte("{"+tt.info+"}"), &fields))
			info := map[string]any{"general.architecture": "a"}
			for key, value := range fields {
				info["a."+key] = value
			}
			if got := perToken(info); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
			if want := tt.model == "fixed state" || tt.model == "sliding window"; uncut(info) != want {
				t.Errorf("the cache cannot be cut: %v", uncut(info))
			}
		})
	}
}

// TestMemoryForTheContext checks that remote models use no memory of this machine.
func TestMemoryForTheContext(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&request)
		host := map[string]string{"far": "https://ollama.com:443"}[request.Model]
		fmt.Fprintf(w, `{"remote_host":%q,"model_info":{"general.architecture":"a","a.block_count":1,`+
			`"a.attention.head_count":1,"a.embedding_length":64}}`, host)
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"models":[{"name":"m:latest","size":1000},{"name":"far:latest","size":300},`+
			`{"name":"m:large","size":9000000000000000}]}`)
	})
	c := clientOf(t, mux)
	for name, want := range map[string]struct {
		size  int64
		known bool
	}{"m": {1000, true}, "far": {0, false}, "m:large": {9000000000000000, false}, "m:gone": {0, false}} {
		info, err := c.Describe(t.Context(), name)
		if err != nil || info.PerToken != 256 || info.Size != want.size || (info.Memory > 0) != want.known {
			t.Errorf("%s is %+v, %v", name, info, err)
		}
	}
}
