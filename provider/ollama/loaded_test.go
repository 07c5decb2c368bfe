package ollama

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/pace"
)

// TestModelsThatShareWeights checks that a load is only reported if the server has to load. It runs a process for each
// file of weights, and starts it again for other adapters, options or contexts.
func TestModelsThatShareWeights(t *testing.T) {
	const plain = "FROM /blobs/sha256-1\nTEMPLATE x\n"
	for name, tt := range map[string]struct {
		loaded    string // digest of the model n in memory, which is installed with the digest "n"
		context   int
		modelfile string // of the model m
		options   string
		details   string // of the model m; n has Q4
		digest    string // of the model m
		want      provider.ChunkPhase
	}{
		"a copy":                    {"n", 4096, "", "", "Q4", "n", provider.PhaseReading},
		"a copy, another context":   {"n", 8192, "", "", "Q4", "n", provider.PhaseLoading},
		"another template":          {"n", 4096, "# n\n" + plain + "FROM y\n", "stop x", "Q4", "m", provider.PhaseReading},
		"more threads":              {"n", 4096, plain, "num_thread   8", "Q4", "m", provider.PhaseLoading},
		"an adapter":                {"n", 4096, "ADAPTER /blobs/sha256-2\n" + plain, "", "Q4", "m", provider.PhaseLoading},
		"other weights":             {"n", 4096, "FROM /blobs/sha256-3\n", "", "Q4", "m", provider.PhaseLoading},
		"another quantization":      {"n", 4096, plain, "", "Q8", "m", provider.PhaseLoading},
		"an old version":            {"old", 4096, plain, "", "Q4", "m", provider.PhaseNone},
		"an old one, other weights": {"old", 4096, plain, "", "Q8", "m", provider.PhaseLoading},
		"no description":            {"n", 4096, "", "", "Q4", "m", provider.PhaseNone},
	} {
		t.Run(name, func(t *testing.T) {
			mux := withLoaded(fmt.Sprintf(`{"models":[{"name":"n:latest","digest":%q,"context_length":%d,`+
				`"details":{"family":"f","quantization_level":"Q4"}}]}`, tt.loaded, tt.context))
			mux.HandleFunc("GET /api/tags", answers(200, "application/json", fmt.Sprintf(`{"models":[`+
				`{"name":"n:latest","digest":"n","details":{"family":"f","quantization_level":"Q4"}},`+
				`{"name":"m:latest","digest":%q,"details":{"family":"f","quantization_level":%q}}]}`, tt.digest, tt.details)))
			mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
				shown := map[string]any{"modelfile": tt.modelfile, "parameters": tt.options}
				if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), `"n:latest"`) {
					shown = map[string]any{"modelfile": plain, "parameters": `stop "<end>"`}
				}
				_ = json.NewEncoder(w).Encode(shown)
			})
			mux.HandleFunc("POST /api/generate", answers(200, "application/json", loaded))
			mux.HandleFunc("POST /api/chat", streams(lineDone))
			c := clientOf(t, mux)
			phase, used := provider.PhaseNone, provider.Usage{}
			for chunk, err := range c.Chat(t.Context(), question) {
				must(t, err)
				if phase == provider.PhaseNone {
					phase = chunk.Phase
				}
				used = chunk.Usage
			}
			if phase != tt.want {
				t.Errorf("the phase is %v, want %v", phase, tt.want)
			}
			if (used.Load > 0) != (tt.want == provider.PhaseLoading) {
				t.Errorf("the load took %v", used.Load)
			}
			context := map[provider.ChunkPhase]int{provider.PhaseReading: 4096}[tt.want]
			if got := clientOf(t, mux).LoadedContext(t.Context(), "m"); context > 0 && got != context {
				t.Errorf("its context is %d", got)
			}
		})
	}
}

// TestModelReplacedUnderItsName pulls a model again while its old version is in memory.
func TestModelReplacedUnderItsName(t *testing.T) {
	for name, tt := range map[string]struct {
		digest, details string // of the new version; the old one has the digest "old" and Q4
		want            provider.ChunkPhase
	}{
		"the same version":    {"old", "Q4", provider.PhaseReading},
		"other weights":       {"new", "Q8", provider.PhaseLoading},
		"perhaps the weights": {"new", "Q4", provider.PhaseNone},
	} {
		const list = `{"models":[{"name":"m:latest","digest":%q,"context_length":4096,` +
			`"details":{"family":"f","quantization_level":%q}}]}`
		installed := fmt.Sprintf(list, "old", "Q4")
		mux := withLoaded(installed)
		mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, installed) })
		mux.HandleFunc("POST /api/show", answers(200, "application/json", shown))
		mux.HandleFunc("POST /api/generate", answers(200, "application/json", loaded))
		mux.HandleFunc("POST /api/chat", streams(lineDone))
		mux.HandleFunc("POST /api/pull", streams(`{"status":"success"}`+"\n"))
		c := clientOf(t, mux)
		c.Pace = pace.Open("", "")
		if _, err := c.Describe(t.Context(), "m"); err != nil {
			t.Fatal(err)
		}
		installed = fmt.Sprintf(list, tt.digest, tt.details)
		for _, err := range c.Pull(t.Context(), "m") {
			must(t, err)
		}
		if _, err := c.Describe(t.Context(), "m"); err != nil {
			t.Fatal(err)
		}
		phase := provider.PhaseNone
		for chunk, err := range c.Chat(t.Context(), question) {
			must(t, err)
			if phase == provider.PhaseNone {
				phase = chunk.Phase
			}
		}
		if phase != tt.want {
			t.Errorf("%s: the phase is %v, want %v", name, phase, tt.want)
		}
	}
}

// TestLoadHasTheOptionsOfTheChat checks that the load is not followed by another one.
func TestLoadHasTheOptionsOfTheChat(t *testing.T) {
	mux := withLoaded(`{}`)
	shift := map[string]any{}
	note := func(answer string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			var request map[string]any
			_ = json.NewDecoder(r.Body).Decode(&request)
			shift[r.URL.Path] = request["shift"]
			io.WriteString(w, answer)
		}
	}
	mux.HandleFunc("POST /api/generate", note(loaded))
	mux.HandleFunc("POST /api/chat", note(lineDone))
	if _, err := ask(t.Context(), clientOf(t, mux), question); err != nil {
		t.Fatal(err)
	}
	if shift["/api/generate"] != false || shift["/api/chat"] != false {
		t.Errorf("shift is %v", shift)
	}
}

// TestSmallContextOfModelWithVision checks that the server's minimum does not count as another context.
func TestSmallContextOfModelWithVision(t *testing.T) {
	mux := withLoaded(`{"models":[{"name":"m:latest","context_length":2048}]}`)
	mux.HandleFunc("POST /api/show", answers(200, "application/json", `{"capabilities":["vision"]}`))
	mux.HandleFunc("POST /api/chat", streams(lineDone))
	req := question
	req.Context = 512
	for chunk, err := range clientOf(t, mux).Chat(t.Context(), req) {
		if err != nil || chunk.Phase != provider.PhaseReading {
			t.Errorf("the first chunk is %+v, %v", chunk, err)
		}
		break
	}
}
