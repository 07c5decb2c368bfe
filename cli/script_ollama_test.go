package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

// modelServer starts a server that behaves in the named way and points OLLAMA_HOST at it: model-server cut. The names
// after "has" are its models: model-server has small large. After "calls" there is a tool and its arguments:
// model-server calls clock__now {}
func modelServer(ts *testscript.TestScript, _ bool, args []string) {
	chat, ok := misbehaviours[args[0]]
	mux := http.NewServeMux()
	switch args[0] {
	case "every phase":
		chat, ok = everyPhase(), true
	case "calls":
		chat, ok = callsOnce(args[1], args[2]), true
	case "loads":
		new(loadServer).routes(mux)
		serveModels(ts, mux)
		return
	case "has":
		modelsServer(args[1:]).routes(mux)
		serveModels(ts, mux)
		return
	}
	if !ok {
		ts.Fatalf("no model server %q", args[0])
	}
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter,
		_ *http.Request) {
		io.WriteString(w, `{"version":"0.24.0"}`)
	})
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"models":[]}`) })
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		switch args[0] {
		case "missing":
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"error":"model 'm' not found"}`)
		case "eyes":
			io.WriteString(w, `{"capabilities":["completion","vision"],"model_info":{"general.architecture":"llama",`+
				`"llama.context_length":8192}}`)
		case "length": // a message of a megabyte may not fit
			io.WriteString(w, `{"capabilities":["completion"],"model_info":{"general.architecture":"llama",`+
				`"llama.context_length":262144}}`)
		case "every phase", "calls", "prints a call", "explains a call":
			io.WriteString(w, `{"capabilities":["completion","tools","thinking"],`+
				`"model_info":{"general.architecture":"llama","llama.context_length":8192}}`)
		default:
			io.WriteString(w, `{"capabilities":["completion"],"model_info":{"general.architecture":"llama",`+
				`"llama.context_length":8192}}`)
		}
	})
	mux.HandleFunc("POST /api/generate", func(w http.ResponseWriter,
		_ *http.Request) {
		io.WriteString(w, `{"done":true,"done_reason":"load"}`)
	})
	mux.HandleFunc("POST /api/chat", chat)
	serveModels(ts, mux)
}

func serveModels(ts *testscript.TestScript, mux *http.ServeMux) {
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv("OLLAMA_HOST", server.URL)
}

var misbehaviours = map[string]http.HandlerFunc{
	"missing": func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"error":"model 'm' not found"}`)
	},
	"500": func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, `{"error":"out of cheese"}`)
	},
	"html": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<html><body>Welcome to nginx</body></html>")
	},
	"cut":     func(w http.ResponseWriter, _ *http.Request) { say(w, "half an ", "ans") },
	"garbage": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "\x00\xff{]\n") },
	"hostile": func(w http.ResponseWriter, _ *http.Request) {
		say(w, `\u001b[31m`, `red`, `\u0007\u202e\u001b]0;evil`)
		done(w)
	},
	"error in the middle": func(w http.ResponseWriter, _ *http.Request) {
		say(w, "half an ")
		io.WriteString(w, `{"error":"out of \u001b[31mcheese"}`+"\n")
	},
	"drops": func(w http.ResponseWriter, _ *http.Request) {
		say(w, "half an ")
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler) // the connection is closed in the middle
	},
	"length": func(w http.ResponseWriter, r *http.Request) { // of the message, in characters
		var ask struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || len(ask.Messages) == 0 {
			http.Error(w, "there is no question", http.StatusBadRequest)
			return
		}
		question := ask.Messages[len(ask.Messages)-1].Content
		say(w, fmt.Sprint(utf8.RuneCountInString(question)))
		done(w)
	},
	"full": func(w http.ResponseWriter, _ *http.Request) { // of a context of 8192 tokens
		say(w, "One, ", "two")
		io.WriteString(w, `{"model":"m","done":true,"done_reason":"length","prompt_eval_count":8000,"eval_count":192}`+"\n")
	},
	"endless": func(w http.ResponseWriter, _ *http.Request) { endless(w, say) },
	"endless line": func(w http.ResponseWriter, _ *http.Request) {
		say(w, "a line")
		io.WriteString(w, `{"message":{"content":"`)
		endless(w, func(w io.Writer, pieces ...string) { io.WriteString(w, pieces[0]) })
	},
	"repeats": func(w http.ResponseWriter, _ *http.Request) {
		endless(w, func(w io.Writer, _ ...string) { say(w, "I am here to help. ") })
	},
	"eyes":  told,
	"told":  told,
	"plain": func(w http.ResponseWriter, _ *http.Request) { say(w, "plain ", "answer"); done(w) },
	"prints a call": func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil && strings.Contains(string(body), `"role":"tool"`) {
			say(w, "It is late.")
		} else {
			say(w, "Sure, I will ", `look it up.\n<tool_call>{\"name\": \"clock__now\", `,
				`\"arguments\": {\"zone\": \"Asia/Tokyo\"}}</tool_call>`)
		}
		done(w)
	},
	"explains a call": func(w http.ResponseWriter, _ *http.Request) {
		say(w, `For example:\n{\"name\": \"clock__now\", \"arguments\": {\"zone\": \"Asia/Tokyo\"}}`)
		done(w)
	},
}

// endless writes text that does not repeat itself until the connection is closed, at most 100 MB so that a failing test
// ends.
func endless(w http.ResponseWriter, say func(io.Writer, ...string)) {
	words := strings.Fields("more and much many most")
	for random, n := rand.New(rand.NewPCG(1, 2)), 0; n < 100<<20; n += 1000 {
		var piece strings.Builder
		for piece.Len() < 1000 {
			piece.WriteString(words[random.IntN(len(words))] + " ")
		}
		say(w, piece.String())
		if http.NewResponseController(w).Flush() != nil {
			return
		}
	}
}

// told is a server that responds with one line per message of the request: its role, its number of images and its
// beginning.
func told(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Messages []struct {
			Role, Content string
			Images        []string
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, m := range ask.Messages {
		if m.Role != "system" {
			line, _ := json.Marshal(fmt.Sprintf("%s, %d images: %.400s\n", m.Role, len(m.Images), m.Content))
			say(w, string(line[1:len(line)-1]))
		}
	}
	done(w)
}

// callsOnce is a server that calls a tool and answers when it gets the result, unless it is asked to stay silent.
func callsOnce(tool, arguments string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && strings.Contains(string(body), "stay silent") {
			<-r.Context().Done()
		} else if err == nil && strings.Contains(string(body), `"role":"tool"`) {
			say(w, "It is over.")
		} else {
			io.WriteString(w, call(tool, arguments)+"\n")
		}
		done(w)
	}
}

// everyPhase is a server that thinks, makes an invalid and a valid tool call, breaks off, and answers.
func everyPhase() http.HandlerFunc {
	lines := []string{
		`{"message":{"role":"assistant","thinking":"Hm."}}` + "\n" + clockCall("Nowhere/Land"),
		clockCall("Asia/Tokyo"),
		`{"message":{"role":"assistant","content":"It is"}}`, // and no more
		`{"message":{"role":"assistant","content":"It is late."}}`,
	}
	var asked atomic.Int32
	return func(w http.ResponseWriter, _ *http.Request) {
		n := min(int(asked.Add(1)), len(lines))
		io.WriteString(w, lines[n-1]+"\n")
		if n != 3 {
			done(w)
		}
	}
}

func clockCall(zone string) string { return call("clock__now", fmt.Sprintf(`{"zone":%q}`, zone)) }

func call(tool, arguments string) string {
	return fmt.Sprintf(`{"message":{"role":"assistant","tool_calls":[{"function":{"name":%q,"arguments":%s}}]}}`,
		tool, arguments)
}

// say streams pieces of an answer. Each must be valid in a JSON string.
func say(w io.Writer, pieces ...string) {
	for _, p := range pieces {
		fmt.Fprintf(w, `{"model":"m","message":{"role":"assistant","content":"%s"},"done":false}`+"\n", p)
	}
}

func done(w io.Writer) {
	io.WriteString(w, `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",`+
		`"eval_count":2}`+"\n")
}
