package ollama

import (
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/pace"
)

const shown = `{"details":{"parameter_size":"8.2B","quantization_level":"Q4_K_M"},` +
	`"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960},` +
	`"capabilities":["completion","tools","thinking"]}`

func TestDescriptionsAreCached(t *testing.T) {
	asked := 0
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		asked++
		io.WriteString(w, shown)
	})
	mux.HandleFunc("POST /api/pull", streams(`{"status":"success"}`+"\n"))
	c := clientOf(t, mux)
	want := provider.Info{Name: "qwen3:8b", Tools: true, Thinking: true, Known: true, Context: 40960,
		Params: "8.2B", Quant: "Q4_K_M"}
	for range 2 {
		if got, err := c.Describe(t.Context(), "qwen3:8b"); err != nil || got != want {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
	if asked != 1 {
		t.Errorf("the server was asked %d times", asked)
	}
	for _, err := range c.Pull(t.Context(), "qwen3:8b") {
		must(t, err)
	}
	if _, err := c.Describe(t.Context(), "qwen3:8b"); err != nil || asked != 2 {
		t.Errorf("after a pull the server was asked %d times, %v", asked, err)
	}
}

// The model is known at the next start: the client asks which models are in memory, and sends the message.
func TestNextStartMakesTwoRequests(t *testing.T) {
	digest, inMemory := "one", true
	var requests []string
	mux := http.NewServeMux()
	handle := func(path string, answer func() string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			requests = append(requests, r.URL.Path)
			io.WriteString(w, answer())
		})
	}
	listed := func() string {
		return `{"models":[{"name":"m:latest","context_length":4096,"size":7,"digest":"` + digest + `"}]}`
	}
	handle("GET /api/ps", func() string {
		if !inMemory {
			return `{}`
		}
		return listed()
	})
	handle("GET /api/tags", listed)
	handle("POST /api/show", func() string { return shown })
	handle("POST /api/generate", func() string { return loaded })
	handle("POST /api/chat", func() string { return lineDone })
	path := filepath.Join(t.TempDir(), "models.json")
	start := func(want ...string) {
		t.Helper()
		requests = nil
		c := clientOf(t, mux)
		c.Pace = pace.Open(path, "the server")
		info, err := c.Describe(t.Context(), "m")
		if err != nil || info.Context != 40960 || info.Size != 7 || !info.Tools {
			t.Errorf("got %+v, %v", info, err)
		}
		c.LoadedContext(t.Context(), "m")
		for range 2 {
			if _, err := ask(t.Context(), c, question); err != nil {
				t.Fatal(err)
			}
		}
		must(t, c.Pace.Save())
		if want = append(want, "/api/chat", "/api/chat"); !slices.Equal(requests, want) {
			t.Errorf("requests %q, want %q", requests, want)
		}
	}
	start("/api/show", "/api/tags", "/api/ps")
	start("/api/ps")
	digest = "two" // pulled again
	start("/api/ps", "/api/tags", "/api/tags", "/api/show", "/api/tags")
	inMemory = false
	start("/api/ps", "/api/tags", "/api/generate")
}

func TestListOfOldAndNewServers(t *testing.T) {
	mux := withLoaded(`{"models":[{"name":"a:latest","expires_at":"2318-01-02T15:04:05.9Z"}]}`)
	mux.HandleFunc("GET /api/tags", answers(200, "application/json", `{"models":[`+
		`{"name":"a:latest","size":42,"details":{"parameter_size":"1B","context_length":8192},"capabilities":["vision"]},`+
		`{"name":"nomic","capabilities":["embedding"]},`+
		`{"name":"b:7b","size":9000000000000000,"details":{"quantization_level":"Q8_0","family":"gptoss"}}]}`))
	got, err := clientOf(t, mux).List(t.Context())
	want := []provider.Info{{Name: "a:latest", Vision: true, Known: true, Size: 42, Params: "1B", Context: 8192,
		Loaded: true, Kept: true}, {Name: "b:7b", Size: 9e15, Quant: "Q8_0", Levels: true, TooLarge: true}}
	if len(got) > 0 {
		if got[0].Memory <= 0 {
			t.Error("a small model does not fit into memory")
		}
		got[0].Memory = 0
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestModelThatOnlyEmbedsIsRefused(t *testing.T) {
	c := clientOf(t, answers(200, "application/json", `{"capabilities":["embedding"]}`))
	_, err := c.Describe(t.Context(), "nomic")
	want := `the model "nomic" cannot chat: it only embeds text`
	if e := (*provider.Error)(nil); !errors.As(err, &e) || e.Kind != provider.KindMissing || e.Text != want {
		t.Errorf("got %v", err)
	}
}

func TestPullProgress(t *testing.T) {
	c := clientOf(t, streams(`{"status":"pulling manifest"}`+"\n"+
		`{"status":"pulling abc","digest":"sha256:abc","total":100,"completed":40}`+"\n\n"+`{"status":"success"}`+"\n"))
	var got []provider.PullProgress
	for step, err := range c.Pull(t.Context(), "m") {
		must(t, err)
		got = append(got, step)
	}
	want := []provider.PullProgress{
		{Status: "pulling manifest"}, {Status: "pulling abc", Done: 40, Total: 100}, {Status: "success"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPullErrors(t *testing.T) {
	for body, want := range map[string]provider.Kind{
		`{"error":"pull model manifest: file does not exist"}`:                                 provider.KindMissing,
		`{"error":"pull model manifest: Get \"https://registry/v2\": dial tcp: no such host"}`: provider.KindFailed,
		`{"error":"write: no space left on device"}`:                                           provider.KindFailed,
		`{"status":"pulling manifest"}`:                                                        provider.KindBroken,
		"what?":                                                                                provider.KindFailed,
	} {
		var last error
		for _, err := range clientOf(t, streams(body)).Pull(t.Context(), "m") {
			last = err
		}
		if e := (*provider.Error)(nil); !errors.As(last, &e) || e.Kind != want {
			t.Errorf("after %q: %v", body, last)
		}
	}
	for _, err := range clientOf(t, streams("")).Pull(t.Context(), " ") {
		if e := (*provider.Error)(nil); !errors.As(err, &e) || e.Kind != provider.KindMissing {
			t.Errorf("without a name: %v", err)
		}
	}
}

// TestFailedRequests checks the errors, and that they are not cached.
func TestFailedRequests(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   provider.Kind
	}{
		"a page":                {answers(200, "application/json", "<html>router login</html>"), provider.KindFailed},
		"text":                  {answers(200, "text/plain", "It works!"), provider.KindFailed},
		"cut before the answer": {func(w http.ResponseWriter, _ *http.Request) { drop(t, w) }, provider.KindBroken},
		"cut in the answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"models":[`)
			http.NewResponseController(w).Flush()
			drop(t, w)
		}, provider.KindBroken},
		"half an answer": {answers(200, "application/json", `{"models":[`), provider.KindBroken},
		"no answer":      {answers(200, "application/json", ""), provider.KindBroken},
	} {
		t.Run(name, func(t *testing.T) {
			var holds atomic.Bool
			c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if holds.Load() {
					answers(200, "application/json", shown)(w, r)
				} else {
					tt.answer(w, r)
				}
			}))
			_, list := c.List(t.Context())
			_, version := c.Version(t.Context())
			_, info := c.Describe(t.Context(), "m")
			for _, err := range []error{list, version, info} {
				if e := (*provider.Error)(nil); !errors.As(err, &e) || e.Kind != tt.want || e.Hint == "" {
					t.Errorf("got %#v", err)
				}
			}
			holds.Store(true)
			if again, err := c.Describe(t.Context(), "m"); err != nil || !again.Tools {
				t.Errorf("the next time the model is %+v, %v", again, err)
			}
		})
	}
}
