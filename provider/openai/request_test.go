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

// sent returns the body of the last request.
func sent(t *testing.T, s *server) (body map[string]any) {
	t.Helper()
	requests := s.requests()
	must(t, json.Unmarshal([]byte(requests[len(requests)-1]), &body))
	return body
}

func TestRequest(t *testing.T) {
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
	for _, key := range []string{"options", "reasoning_effort", "chat_template_kwargs", "tool_choice"} {
		if _, there := body[key]; there {
			t.Errorf("%q is sent", key)
		}
	}
	if got := s.requests()[0]; !strings.Contains(got, `"parameters":`+string(weather.Schema)) ||
		!strings.Contains(got, `"parameters":{"type":"object","properties":{}}`) {
		t.Errorf("%s", got)
	}
}

// conversation returns messages as "role: text", with the ids of calls and results.
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

func TestConversationForStrictServers(t *testing.T) {
	call := provider.Call{ID: "call_1", Name: "look", Arguments: json.RawMessage(`{"at":1}`)}
	odd := provider.Call{ID: "call_2", Name: "look", Arguments: json.RawMessage(`[1]`)}
	for name, test := range map[string]struct {
		in   []provider.Message
		want []string
	}{
		"system prompt first": {
			[]provider.Message{{Role: "system", Text: "a"}, {Role: "user", Text: "c"}, {Role: "system", Text: "d"}},
			[]string{"system: a", "user: c\n\nd"},
		},
		"turns": {
			[]provider.Message{{Role: "user", Text: "a"}, {Role: "user", Text: "b"}, {Role: "assistant", Text: "c"},
				{Role: "assistant", Text: "d"}, {Role: "user", Text: "e"}},
			[]string{"user: a\n\nb", "assistant: c", "user: Go on.", "assistant: d", "user: e"},
		},
		"user first": {
			[]provider.Message{{Role: "system", Text: "s"}, {Role: "assistant", Text: "a"}, {Role: "user", Text: "b"}},
			[]string{"system: s", "user: " + beforeAssistant, "assistant: a", "user: b"},
		},
		"user after a result": {
			[]provider.Message{{Role: "user", Text: "a"}, {Role: "assistant", Calls: []provider.Call{call, odd}},
				{Role: "tool", CallID: "call_1", Text: "x"}, {Role: "tool", CallID: "call_2", Text: "y"},
				{Role: "user", Text: "stop"}},
			[]string{"user: a", `assistant:  [call_1 look{"at":1}] [call_2 look{}]`, "tool: x (call_1)",
				"tool: y (call_2)", "assistant: " + afterResults, "user: stop"},
		},
	} {
		if got := conversation(messages(test.in, "")); !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, test.want)
		}
	}
}

func TestContentAndImages(t *testing.T) {
	png := []byte("\x89PNG\r\n\x1a\n…")
	call := provider.Call{ID: "1", Name: "look"}
	body, err := json.Marshal(messages([]provider.Message{{Role: "user", Text: "see", Images: [][]byte{png}},
		{Role: "assistant", Calls: []provider.Call{call}},
		{Role: "tool", CallID: "1", Text: "a picture", Images: [][]byte{png}}}, ""))
	must(t, err)
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

// TestRefusedPartsAreOmitted checks that a part named in a refusal is omitted from all later requests.
func TestRefusedPartsAreOmitted(t *testing.T) {
	heat := 0.5
	for name, test := range map[string]struct {
		status        int
		refusal, gone string
	}{
		"usage, Mistral": {422, `{"object":"error","message":{"detail":[{"loc":["body","stream_options"],` +
			`"msg":"Extra inputs are not permitted"}]}}`, "stream_options"},
		"usage": {400, `{"error":{"message":"Unrecognized request argument: include_usage"}}`, "stream_options"},
		"max_tokens": {400, `{"error":{"message":"'max_tokens' is not supported with this model. ` +
			`Use 'max_completion_tokens' instead."}}`, `"max_tokens"`},
		"temperature": {400, `{"error":{"message":"'temperature' does not support 0.5 with this model."}}`, "temperature"},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := serve(t, refuses(test.status, test.refusal), streams(hello, finished, counted, over))
			req := withTools()
			req.MaxTokens, req.Temperature = 9, &heat
			for range 2 {
				if got, err := ask(t.Context(), c, req); err != nil || got.Text != "Hello" {
					t.Fatalf("%+v, %v", got, err)
				}
			}
			asked := s.requests()
			if len(asked) != 3 {
				t.Fatalf("%d requests, want 3", len(asked))
			}
			for i, body := range asked {
				if strings.Contains(body, test.gone) != (i == 0) || !strings.Contains(body, `"stream":true`) {
					t.Errorf("request %d is %s", i, body)
				}
			}
		})
	}
}

// TestRefusalThatRepeatsTheRequest checks that its words are not taken for refused parts.
func TestRefusalThatRepeatsTheRequest(t *testing.T) {
	text := strings.Repeat("x", 5000)
	s, c := serve(t, refuses(400, `{"error":{"message":"no"},"input":{"stream_options":{},"text":"`+text+`"}}`))
	if _, err := ask(t.Context(), c, question); err == nil || len(s.requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(s.requests()))
	}
}

func TestRetriesAfterRefusalsEnd(t *testing.T) {
	heat := 1.0
	full := withTools()
	full.MaxTokens, full.Temperature, full.Think, full.Purpose = 9, &heat, provider.ThinkOff, provider.ForSentence
	for _, req := range []provider.Request{question, full} {
		s, c := serve(t, refuses(400, `{"error":{"message":"stream_options, include_usage, max_completion_tokens, `+
			`temperature, reasoning_content, 'reasoning', reasoning_effort and length are all wrong"}}`))
		_, err := ask(t.Context(), c, req)
		if err == nil || !strings.Contains(err.Error(), "are all wrong") && kindOf(err) != provider.KindNoThinking ||
			len(s.requests()) > 8 {
			t.Errorf("%v after %d requests", err, len(s.requests()))
		}
	}
}

// TestThinkingIsSentBack checks that thinking is sent in the field in which it came, unless the server refuses it.
func TestThinkingIsSentBack(t *testing.T) {
	s, c := serve(t,
		streams(streamed(`{"reasoning_content":"hm"}`), hello, finished, over), streams(hello, finished, over),
		refuses(400, `{"error":{"message":"property 'reasoning_content' is unsupported"}}`), streams(hello, finished, over))
	req := question
	req.Messages = []provider.Message{{Role: "user", Text: "a"},
		{Role: "assistant", Text: "b", Thinking: "old thoughts"}, {Role: "user", Text: "c"}}
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
		t.Errorf("thinking is sent %v, want %v", has, want)
	}
}

// TestThinkSettingOfOwnRequests checks that a refused think setting is an error only in requests for an answer.
func TestThinkSettingOfOwnRequests(t *testing.T) {
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

func TestThinkSettingByServer(t *testing.T) {
	for _, test := range []struct {
		owner string
		think provider.Think
		want  string
	}{
		{"vllm", provider.ThinkOff, `"chat_template_kwargs":{"enable_thinking":false,"thinking":false}`},
		{"llamacpp", provider.ThinkOn, `"chat_template_kwargs":{"enable_thinking":true,"thinking":true}`},
		{"openai", provider.ThinkOn, `"reasoning_effort":"medium"`},
		{"vllm", provider.ThinkHigh, `"reasoning_effort":"high"`},
		{"library", provider.ThinkOff, `"reasoning_effort":"none"`},
		{"vllm", provider.ThinkAuto, ""},
	} {
		body, err := json.Marshal(newRequest(provider.Request{Model: "m", Think: test.think}, nil, habits{owner: test.owner}))
		got := string(body)
		if err != nil || !strings.Contains(got, test.want) || test.want == "" && strings.Contains(got, "think") {
			t.Errorf("%s, %s: %s, %v", test.owner, test.think, got, err)
		}
	}
}
