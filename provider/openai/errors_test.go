package openai

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

func TestRefusalsHaveAKindAndANextStep(t *testing.T) {
	type refusal struct {
		server string
		status int
		body   string
		kind   provider.Kind
		text   string // what the sentence has
		hint   string // what the next step has
	}
	for _, r := range []refusal{
		// The key. Not every server says what it is about.
		{"OpenAI", 401, `{"error":{"message":"Incorrect API key provided: a-sec***.","type":"invalid_request_error","code":"invalid_api_key"}}`, provider.KindFailed, "rejects the key", "api_key_env"},
		{"llama.cpp", 401, `{"error":{"message":"Invalid API Key","type":"authentication_error","code":401}}`, provider.KindFailed, "rejects the key: Invalid API Key", "api_key_env"},
		{"a gateway", 403, ``, provider.KindFailed, "rejects the key", "api_key_env"},
		// The model.
		{"vLLM", 404, "{\"error\":{\"message\":\"The model `m` does not exist.\",\"type\":\"NotFoundError\",\"param\":null,\"code\":404}}", provider.KindMissing, `has no model "m"`, ""},
		{"OpenAI", 404, `{"error":{"message":"The model 'm' does not exist or you do not have access to it.","code":"model_not_found"}}`, provider.KindMissing, `has no model "m"`, ""},
		{"Ollama", 404, `{"error":{"message":"model 'm' not found","type":"not_found_error"}}`, provider.KindMissing, `has no model "m"`, ""},
		{"LM Studio", 400, `{"error":{"message":"No models loaded. Please load a model in the developer page or use the 'lms load' command.","code":"model_not_found"}}`, provider.KindMissing, `has no model "m"`, "LM Studio"},
		// The context.
		{"OpenAI", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens.","code":"context_length_exceeded"}}`, provider.KindTooLong, "does not fit in the context window", "larger context"},
		{"vLLM", 400, `{"object":"error","message":"This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the messages, 6048 in the completion).","type":"BadRequestError","param":null,"code":400}`, provider.KindTooLong, "does not fit in the context window", ""},
		{"vLLM, old", 400, `{"object":"error","message":"max_tokens must be at least 1, got -186.","type":"BadRequestError","code":400}`, provider.KindTooLong, "does not fit in the context window", ""},
		{"vLLM V1", 400, `{"error":{"message":"The decoder prompt (length 40000) is longer than the maximum model length of 32768.","code":400}}`, provider.KindTooLong, "does not fit in the context window", ""},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}`, provider.KindTooLong, "does not fit in the context window", ""},
		{"LM Studio", 400, `{"error":"Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`, provider.KindTooLong, "does not fit in the context window", ""},
		{"Mistral", 400, `{"object":"error","message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length","code":3051}`, provider.KindTooLong, "does not fit in the context window", ""},
		// Tools.
		{"vLLM", 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}`, provider.KindNoTools, "cannot use tools", "--enable-auto-tool-choice"},
		{"llama.cpp", 500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, provider.KindNoTools, "cannot use tools", "--jinja"},
		{"llama.cpp, old", 500, `{"code":500,"message":"Unsupported param: tools","type":"server_error"}`, provider.KindNoTools, "cannot use tools", "--jinja"},
		{"Ollama", 400, `{"error":{"message":"registry.ollama.ai/library/gemma3:1b does not support tools","type":"api_error"}}`, provider.KindNoTools, "cannot use tools", "choose another model"},
		{"OpenRouter", 404, `{"error":{"message":"No endpoints found that support tool use.","code":404}}`, provider.KindNoTools, "cannot use tools", ""},
		// Calls that the server could not read.
		{"llama.cpp", 500, `{"error":{"code":500,"message":"Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1, column 131","type":"server_error"}}`, provider.KindMalformed, "parse error at line 1", ""},
		// Everything else.
		{"FastAPI", 404, `{"detail":"Not Found"}`, provider.KindFailed, "has no chat completions (404 Not Found)", "/v1"},
		{"a proxy", 502, `<html><body>Bad Gateway</body></html>`, provider.KindFailed, "web page", "/v1"},
		{"a proxy", 404, `<html><body>Our model of the world has no such page</body></html>`, provider.KindFailed, "web page", "/v1"},
		{"a proxy", 302, ``, provider.KindFailed, `redirects to "https://elsewhere"`, "base_url"},
		{"a strict one", 400, `{"object":"error","message":"Conversation roles must alternate user/assistant/user/assistant/...","code":400}`, provider.KindFailed, "roles must alternate", ""},
		{"a crash", 500, ``, provider.KindFailed, "500 Internal Server Error without a reason", "log"},
		{"plain text", 500, "out of \x1b[31mcheese a-secret-key", provider.KindFailed, "out of [31mcheese •••", ""},
		{"a hostile one", 400, `{"error":{"message":"` + strings.Repeat(`\u001b]0;x\u0007\u202e`, 1000) + `"}}`, provider.KindFailed, "returned an error:", ""},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://elsewhere")
			if strings.HasPrefix(r.body, "{") {
				w.Header().Set("Content-Type", "application/json")
			}
			w.WriteHeader(r.status)
			io.WriteString(w, r.body)
		}))
		c := client(t, Options{BaseURL: s.URL, Key: "a-secret-key"})
		c.through(impatient{c.HTTP.Transport})
		_, err := ask(t.Context(), c, withTools())
		s.Close()
		var e *provider.Error
		if !errors.As(err, &e) || e.Kind != r.kind || !strings.Contains(e.Text, r.text) || !strings.Contains(e.Hint, r.hint) {
			t.Errorf("%s: kind %d, %q, hint %q", r.server, kindOf(err), err, e.Hint)
			continue
		}
		if said := fmt.Sprint(e.Detail(), e.Err); strings.ContainsAny(said, "\x1b\x07\u202e\n") || strings.Contains(said, "a-secret-key") || len(said) > 4000 {
			t.Errorf("%s: %q", r.server, said)
		}
	}
}

// impatient takes the server's wish to be asked later away, so that a test needs no time.
type impatient struct{ next http.RoundTripper }

func (i impatient) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := i.next.RoundTrip(r)
	if err == nil {
		resp.Header.Set("Retry-After", "0")
	}
	return resp, err
}

func TestAServerThatIsNotThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	c := client(t, Options{BaseURL: "http://me:hunter22@" + address})
	for _, err := range []error{second(ask(t.Context(), c, question)), second(c.Describe(t.Context(), "m")), second(c.List(t.Context()))} {
		if kindOf(err) != provider.KindUnavailable || !strings.Contains(err.Error(), address) || strings.Contains(fmt.Sprint(err, errors.Unwrap(err)), "hunter22") {
			t.Errorf("kind %d, %v", kindOf(err), err)
		}
	}
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	defer tls.Close()
	tls.Config.ErrorLog = log.New(io.Discard, "", 0) // strangers that leave are no news
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for base, want := range map[string]string{
		"http://no-such-host.invalid": `unknown host "no-such-host.invalid"`,
		tls.URL:                       "its certificate is not trusted",
		strings.Replace(plain.URL, "http", "https", 1):      "server gave HTTP response to HTTPS client",
		"http://" + strings.TrimPrefix(tls.URL, "https://"): "",
	} {
		_, err := ask(t.Context(), client(t, Options{BaseURL: base}), question)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", base, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestACertificateOfOnesOwn is trusted when its file is named.
func TestACertificateOfOnesOwn(t *testing.T) {
	s := httptest.NewTLSServer(streams(hello, finished, over))
	defer s.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, certificate(s), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ask(t.Context(), client(t, Options{BaseURL: s.URL, CAFile: file}), question)
	if err != nil || got.Text != "Hello" {
		t.Errorf("%+v, %v", got, err)
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{empty: "no PEM certificates", filepath.Join(t.TempDir(), "nowhere.pem"): "cannot read"} {
		if _, err := New(Options{BaseURL: s.URL, CAFile: file}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"http://box:8000":                     "http://box:8000/v1",
		"http://box:8000/":                    "http://box:8000/v1",
		"http://box:8000/v1/":                 "http://box:8000/v1",
		"http://box:8000/v1/chat/completions": "http://box:8000/v1",
		"http://box:8000/v1/models":           "http://box:8000/v1",
		"https://openrouter.ai/api/v1":        "https://openrouter.ai/api/v1",
		"https://example.com/v1beta/openai/":  "https://example.com/v1beta/openai",
		"http://me:secret@box:8000/ray/v1":    "http://me:xxxxx@box:8000/ray/v1",
		" http://[::1]:8000 ":                 "http://[::1]:8000/v1",
		"https://tok!en12345@h.example/v1":    "https://•••@h.example/v1",
		"https://supersecretword@h.example":   "https://•••@h.example/v1",
		" https://supersecretword:@h.example": "https://•••:xxxxx@h.example/v1",
		"https://ada@h.example/v1":            "https://ada@h.example/v1",
	} {
		c, err := New(Options{BaseURL: text})
		if err != nil || c.Address() != want {
			t.Errorf("%q is %v, %v, want %s", text, c, err, want)
		}
	}
	for _, text := range []string{"", "box", "ftp://box", "http://", "http://box?x=1", "http://box/#a", "http://b ox", "http://me:secret@box:x"} {
		if _, err := New(Options{BaseURL: text}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTheKeyGoesWithEveryRequest(t *testing.T) {
	seen := make(chan http.Header, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		if strings.HasSuffix(r.URL.Path, "/models") {
			io.WriteString(w, oneModel)
			return
		}
		streams(hello, finished, over)(w, r)
	}))
	defer s.Close()
	for _, test := range []struct {
		o             Options
		authorization string
	}{
		{Options{Key: "a-secret-key", Headers: map[string]string{"x-team": "docs"}}, "Bearer a-secret-key"},
		{Options{Key: "a-secret-key", Headers: map[string]string{"Authorization": "Basic abc", "x-team": "docs"}}, "Basic abc"},
		{Options{Headers: map[string]string{"x-team": "docs"}}, ""},
	} {
		test.o.BaseURL = s.URL
		c := client(t, test.o)
		if err := errors.Join(second(ask(t.Context(), c, question)), second(c.List(t.Context()))); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if h := <-seen; h.Get("Authorization") != test.authorization || h.Get("X-Team") != "docs" || h.Get("User-Agent") != "aloud" {
				t.Errorf("%v", h)
			}
		}
	}
}

// TestAKeyIsWantedWhereNoneIs says something else than that a key is wrong.
func TestAKeyIsWantedWhereNoneIs(t *testing.T) {
	_, c := serve(t, refuses(401, `{"error":"Unauthorized"}`))
	if _, err := ask(t.Context(), c, question); err == nil || !strings.Contains(err.Error(), "requires a key") {
		t.Errorf("%v", err)
	}
}

func TestThinkingThatIsRefused(t *testing.T) {
	for _, body := range []string{
		`{"error":{"message":"Unsupported parameter: 'reasoning_effort' is not supported with this model.","code":"unsupported_parameter"}}`,
		`{"error":{"message":"\"m\" does not support thinking","type":"api_error"}}`,
	} {
		_, c := serve(t, refuses(400, body))
		req := question
		req.Think = provider.ThinkOff
		if _, err := ask(t.Context(), c, req); kindOf(err) != provider.KindNoThinking {
			t.Errorf("kind %d, %v", kindOf(err), err)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
