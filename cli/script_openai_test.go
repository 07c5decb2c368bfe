package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aloudchat/aloud/provider/providertest"
)

// openAIServer starts an OpenAI-compatible server with the model m and the key s3cr3t-key, and sets BASE to its
// address. It behaves in the named way: openai-server clock. With a second argument it does not report the size of its
// context window: openai-server clock sizeless
func openAIServer(ts *testscript.TestScript, _ bool, args []string) {
	chat, ok := openAIChats[args[0]]
	if !ok {
		ts.Fatalf("no OpenAI-compatible server %q", args[0])
	}
	size := `,"max_model_len":16384`
	if len(args) > 1 {
		size = ""
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"object":"list","data":[{"id":"m","object":"model","owned_by":"vllm"`+size+`}]}`)
	})
	mux.Handle("POST /v1/chat/completions", providertest.StrictTools(chat))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key := r.Header.Get("Authorization"); key != "Bearer s3cr3t-key" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s"}}`, strings.TrimPrefix(key, "Bearer "))
			return
		}
		mux.ServeHTTP(w, r)
	}))
	ts.Defer(server.Close)
	ts.Setenv("BASE", server.URL)
}

var openAIChats = map[string]http.HandlerFunc{
	"plain": func(w http.ResponseWriter, _ *http.Request) { sayOpenAI(w, `{"content":"plain answer"}`, "stop") },
	"clock": func(w http.ResponseWriter, r *http.Request) { // calls the clock once
		body, err := io.ReadAll(r.Body)
		if err != nil || strings.Contains(string(body), `"tool_call_id":"call_a"`) {
			sayOpenAI(w, `{"reasoning_content":"I know it now.","content":"it is late"}`, "stop")
			return
		}
		sayOpenAI(w, `{"tool_calls":[{"index":0,"id":"call_a","function":{"name":"clock__now",`+
			`"arguments":"{\"zone\":\"Asia/Tokyo\"}"}}]}`, "tool_calls")
	},
	"no tools": func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || strings.Contains(string(body), `"tools"`) {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and `+
				`--tool-call-parser to be set","code":400}`)
			return
		}
		sayOpenAI(w, `{"content":"plain answer"}`, "stop")
	},
	"cut": func(w http.ResponseWriter, _ *http.Request) { sayOpenAI(w, `{"content":"half an ans"}`, "") },
	"hostile": func(w http.ResponseWriter, _ *http.Request) {
		sayOpenAI(w, `{"content":"\u001b[31mred\u0007"}`, "")
		io.WriteString(w, `data: {"error":{"message":"no more \u001b[31mcheese for s3cr3t-key"}}`+"\n\n")
	},
}

// sayOpenAI streams a reply in one piece. Without a reason the reply has no end.
func sayOpenAI(w io.Writer, delta, reason string) {
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", delta)
	if reason != "" {
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", reason)
	}
}
