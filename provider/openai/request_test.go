package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// sent is the body of the last request, as a server reads it.
func sent(t *testing.T, s *server) (body map[string]any) {
	t.Helper()
	requests := s.requests()
	if err := json.Unmarshal([]byte(requests[len(requests)-1]), &body); err != nil {
		t.Fatal(err)
	}
	return body
}

func TestARequestSaysWhatIsAskedFor(t *testing.T) {
	s, c := serve(t, streams(hello, finished, over))
	heat := 0.0
	req := withTools()
	req.MaxTokens, req.Temperature, req.Context = 50, &heat, 4096
	req.Tools = append(req.Tools, provider.ToolSpec{Name: "bare", Schema: json.RawMessage(`null`)})
	if _, err := ask(t.Context(), c, req); err != nil {
		t.Fatal(err)
	}
	body := sent(t, s)
	if body["model"] != "m" || body["stream"] != true || body["max_tokens"] != 50.0 || body["temperature"] != 0.0 {
		t.Errorf("%v", body)
	}
	for _, key := range []string{"num_ctx", "options", "reasoning_effort", "chat_template_kwargs", "tool_choice", "max_completion_tokens"} {
		if _, there := body[key]; there {
			t.Errorf("%q is sent", key)
		}
	}
	// Schemas go as they are; a tool without one takes an empty object.
	if got := s.requests()[0]; !strings.Contains(got, `"parameters":`+string(weather.Schema)) || !strings.Contains(got, `"parameters":{"type":"object","properties":{}}`) {
		t.Errorf("%s", got)
	}
}

// conversation writes messages as "role: text", with the ids of calls and results.
func conversation(list []message) (lines []string) {
	for _, m := range list {
		line := m.Role + ": " + m.Content.text
		for _, call := range m.ToolCalls {
			line += " [" + call.ID + " " + call.Function.Name + call.Function.Arguments + "]"
		}
		if m.ToolCallID != "" {
			line += " (" + m.ToolCallID + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestStrictServersTakeTheConversation(t *testing.T) {
	call := provider.Call{ID: "call_1", Name: "look", Arguments: json.RawMessage(`{"at":1}`)}
	odd := provider.Call{ID: "call_2", Name: "look", Arguments: json.RawMessage(`[1]`)}
	for name, test := range map[string]struct {
		in   []provider.Message
		want []string
	}{
		"instructions are first": {
			[]provider.Message{{Role: "system", Text: "a"}, {Role: "user", Text: "c"}, {Role: "system", Text: "d"}},
			[]string{"system: a", "user: c\n\nd"},
		},
		"people and the model take turns": {
			[]provider.Message{{Role: "user", Text: "a"}, {Role: "user", Text: "b"}, {Role: "assistant", Text: "c"}, {Role: "assistant", Text: "d"}, {Role: "user", Text: "e"}},
			[]string{"user: a\n\nb", "assistant: c", "user: Go on.", "assistant: d", "user: e"},
		},
		"a person begins": {
			[]provider.Message{{Role: "system", Text: "s"}, {Role: "assistant", Text: "a"}, {Role: "user", Text: "b"}},
			[]string{"system: s", "user: " + beforeAssistant, "assistant: a", "user: b"},
		},
		"a summary is told": {
			[]provider.Message{{Role: "summary", Text: "a"}, {Role: "user", Text: "b"}},
			[]string{"user: a\n\nb"},
		},
		"nobody speaks to a tool": {
			[]provider.Message{{Role: "user", Text: "a"}, {Role: "assistant", Calls: []provider.Call{call, odd}}, {Role: "tool", CallID: "call_1", Text: "x"},
				{Role: "tool", CallID: "call_2", Text: "y"}, {Role: "user", Text: "stop"}},
			[]string{"user: a", `assistant:  [call_1 look{"at":1}] [call_2 look{}]`, "tool: x (call_1)", "tool: y (call_2)", "assistant: " + afterResults, "user: stop"},
		},
		"a result without its call is told": {
			[]provider.Message{{Role: "user", Text: "a"}, {Role: "tool", CallID: "call_1", Tool: "look", Text: "x"}},
			[]string{"user: a\n\nResult of look:\nx"},
		},
		"what says nothing is left out": {
			[]provider.Message{{Role: "user", Text: "a"}, {Role: "assistant", Thinking: "hm"}, {Role: "user", Text: "b"}},
			[]string{"user: a\n\nb"},
		},
	} {
		if got := conversation(messages(test.in, "")); !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, test.want)
		}
	}
}

func TestContentIsNeverNullAndImagesAreAddresses(t *testing.T) {
	png := []byte("\x89PNG\r\n\x1a\n…")
	call := provider.Call{ID: "1", Name: "look"}
	body, err := json.Marshal(messages([]provider.Message{{Role: "user", Text: "see", Images: [][]byte{png}}, {Role: "assistant", Calls: []provider.Call{call}},
		{Role: "tool", CallID: "1", Text: "a picture", Images: [][]byte{png}}}, ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"content":[{"text":"see","type":"text"},{"image_url":{"url":"data:image/png;base64,iVBORw0KGgri`,
		`"content":""`, `"content":"a picture"`, `"content":[{"text":"These images`,
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("%s\nlacks %s", body, want)
		}
	}
	if strings.Contains(string(body), "null") {
		t.Errorf("%s", body)
	}
}

// TestServersTeachWhatTheyDoNotTake: a refusal that names what is to blame leads to another request without it, and
// is remembered.
func TestServersTeachWhatTheyDoNotTake(t *testing.T) {
	heat := 0.5
	history := []provider.Message{{Role: "user", Text: "a"}, {Role: "assistant", Thinking: "hm", Calls: []provider.Call{{ID: "call_1", Name: "look"}}},
		{Role: "tool", CallID: "call_1", Text: "x"}}
	for name, test := range map[string]struct {
		status  int
		refusal string
		gone    string // what the second request lacks
		there   string // what it has
	}{
		"usage, Mistral": {422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}}`,
			"stream_options", `"stream":true`},
		"usage, others": {400, `{"error":{"message":"Unrecognized request argument supplied: include_usage"}}`, "stream_options", `"stream":true`},
		"tokens, OpenAI": {400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}`,
			`"max_tokens"`, `"stream":true`},
		"temperature, OpenAI": {400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0.5 with this model."}}`, "temperature", `"stream":true`},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := serve(t, refuses(test.status, test.refusal), streams(hello, finished, counted, over))
			req := withTools()
			req.Messages, req.MaxTokens, req.Temperature = history, 9, &heat
			for range 2 {
				if got, err := ask(t.Context(), c, req); err != nil || got.Text != "Hello" {
					t.Fatalf("%+v, %v", got, err)
				}
			}
			asked := s.requests()
			if len(asked) != 3 {
				t.Fatalf("%d requests, want one refused and two that know better", len(asked))
			}
			for i, body := range asked {
				if strings.Contains(body, test.gone) != (i == 0) || i > 0 && !strings.Contains(body, test.there) {
					t.Errorf("request %d is %s", i, body)
				}
			}
		})
	}
}

// TestAnEchoTeachesNothing: some servers repeat the whole request in their refusal.
func TestAnEchoTeachesNothing(t *testing.T) {
	s, c := serve(t, refuses(400, `{"error":{"message":"no"},"input":{"stream_options":{},"text":"`+strings.Repeat("x", 5000)+`"}}`))
	if _, err := ask(t.Context(), c, question); err == nil || len(s.requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(s.requests()))
	}
}

func TestARefusalThatStaysIsToldAndNotTriedForever(t *testing.T) {
	heat := 1.0
	full := withTools()
	full.MaxTokens, full.Temperature, full.Think, full.Purpose = 9, &heat, provider.ThinkOff, provider.ForSentence
	for _, req := range []provider.Request{question, full} {
		s, c := serve(t, refuses(400, `{"error":{"message":"stream_options, include_usage, max_completion_tokens, temperature, reasoning_content, 'reasoning', `+
			`reasoning_effort, tool call id and length are all wrong"}}`))
		_, err := ask(t.Context(), c, req)
		if err == nil || !strings.Contains(err.Error(), "are all wrong") && kindOf(err) != provider.KindNoThinking || len(s.requests()) > 8 {
			t.Errorf("%v after %d requests", err, len(s.requests()))
		}
	}
}

// TestThoughtsGoBackAsTheyCame: servers that show a model's thoughts may want them back while it works; one that does
// not take them is not sent any.
func TestThoughtsGoBackAsTheyCame(t *testing.T) {
	thinks := `{"choices":[{"index":0,"delta":{"reasoning_content":"hm"},"finish_reason":null}]}`
	s, c := serve(t, streams(thinks, hello, finished, over), streams(hello, finished, over),
		refuses(400, `{"error":{"message":"property 'reasoning_content' is unsupported"}}`), streams(hello, finished, over))
	req := question
	req.Messages = []provider.Message{{Role: "user", Text: "a"}, {Role: "assistant", Text: "b", Thinking: "old thoughts"}, {Role: "user", Text: "c"}}
	for range 4 {
		if _, err := ask(t.Context(), c, req); err != nil {
			t.Fatal(err)
		}
	}
	var has []bool
	for _, body := range s.requests() {
		has = append(has, strings.Contains(body, `"reasoning_content":"old thoughts"`))
	}
	if want := []bool{false, true, true, false, false}; !slices.Equal(has, want) {
		t.Errorf("thoughts are sent %v, want %v", has, want)
	}
}

// TestOnlyAPersonsWishIsRefused: the sentences of the status line would rather not wait for thoughts, but do without
// the switch.
func TestOnlyAPersonsWishIsRefused(t *testing.T) {
	s, c := serve(t, func(w http.ResponseWriter, _ *http.Request) {})
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err != nil || strings.Contains(string(body), "reasoning_effort") {
			refuses(400, `{"error":{"message":"Unrecognized request argument supplied: reasoning_effort"}}`)(w, r)
			return
		}
		streams(hello, finished, over)(w, r)
	})
	req := question
	req.Think = provider.ThinkOff
	for _, purpose := range []provider.Purpose{provider.ForSentence, provider.ForSummary, provider.ForAnswer} {
		req.Purpose = purpose
		if _, err := ask(t.Context(), c, req); (kindOf(err) == provider.KindNoThinking) != (purpose == provider.ForAnswer) {
			t.Errorf("for purpose %d: %v", purpose, err)
		}
	}
}

func TestThinkingIsSwitchedAsTheServerKnowsIt(t *testing.T) {
	for _, test := range []struct {
		owner string
		think provider.Think
		want  string
	}{
		{"vllm", provider.ThinkOff, `"chat_template_kwargs":{"enable_thinking":false,"thinking":false}`},
		{"llamacpp", provider.ThinkOn, `"chat_template_kwargs":{"enable_thinking":true,"thinking":true}`},
		{"openai", provider.ThinkOn, `"reasoning_effort":"medium"`},
		{"library", provider.ThinkOff, `"reasoning_effort":"none"`},
		{"vllm", provider.ThinkAuto, ""},
	} {
		body, err := json.Marshal(newRequest(provider.Request{Model: "m", Think: test.think}, habits{owner: test.owner}))
		got := string(body)
		if err != nil || test.want != "" && !strings.Contains(got, test.want) || test.want == "" && strings.Contains(got, "think") {
			t.Errorf("%s, %s: %s, %v", test.owner, test.think, got, err)
		}
	}
}
