package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/repair"
)

// recorded lists servers with the files of a reply with two calls and of an answer. rayserve is Ray Serve with SGLang
// from ray-project/ray#58366, which does not stream.
var recorded = []struct{ name, tools, answer string }{
	{"vllm", "vllm-tools.sse", "vllm-answer.sse"},
	{"vllm that counts every call as the first", "vllm-same-index.sse", "vllm-answer.sse"},
	{"sglang", "sglang-repeats.sse", "vllm-answer.sse"},
	{"llama.cpp", "llamacpp-tools.sse", "llamacpp-answer.sse"},
	{"LM Studio", "lmstudio-tools.sse", "lmstudio-answer.sse"},
	{"Ollama", "ollama-tools.sse", "ollama-answer.sse"},
	{"Ray Serve", "rayserve-tools.json", "rayserve-answer.json"},
}

// pieces are the packet sizes of a reply in bytes. 0 means one packet.
var pieces = []int{0, 1, 7, 1000}

func TestRecordedCalls(t *testing.T) {
	for _, r := range recorded {
		for _, size := range pieces {
			t.Run(fmt.Sprintf("%s/%d", r.name, size), func(t *testing.T) {
				_, c := serve(t, replays(t, r.tools, size))
				got, err := ask(t.Context(), c, withTools())
				must(t, err)
				if len(got.Calls) != 2 || got.Text != "" || !got.Done || got.Reason != "tool_calls" ||
					got.Usage.PromptTokens != 312 || got.Usage.AnswerTokens != 59 {
					t.Fatalf("%+v", got)
				}
				for i, city := range []string{"Zürich", "Oslo"} {
					var arguments struct{ City string }
					call := got.Calls[i]
					err := json.Unmarshal(call.Arguments, &arguments)
					if err != nil || arguments.City != city || call.Name != "box__read_weather" {
						t.Errorf("call %d is %+v with %s, %v", i, call, call.Arguments, err)
					}
				}
			})
		}
	}
}

func TestRecordedAnswers(t *testing.T) {
	for _, r := range recorded {
		for _, size := range pieces {
			_, c := serve(t, replays(t, r.answer, size))
			got, err := ask(t.Context(), c, question)
			if err != nil || got.Text != "It is **7 °C** in Zürich and 2 °C in Oslo. 🥶" ||
				got.Thinking != "Both results are there." || got.Reason != "stop" || got.Usage.AnswerTokens != 59 {
				t.Errorf("%s in pieces of %d: %+v, %v", r.name, size, got, err)
			}
		}
	}
	_, c := serve(t, replays(t, "llamacpp-answer.sse", 0))
	got, err := ask(t.Context(), c, question)
	if err != nil || got.Usage.Prompt.Milliseconds() != 251 || got.Usage.Answer.Milliseconds() != 1407 {
		t.Errorf("llama.cpp measures %+v, %v", got.Usage, err)
	}
}

// forecast is a weather tool.
type forecast struct{ asked []string }

func (f *forecast) Tools() []mcpclient.Tool {
	return []mcpclient.Tool{{Name: "box__read_weather", Server: "box", ServerTool: "read_weather",
		Schema: weather.Schema, ReadOnly: true}}
}

func (f *forecast) Call(
	_ context.Context, call mcpclient.Call, _ func(mcpclient.Progress),
) (mcpclient.Result, error) {
	var where struct{ City string }
	if err := json.Unmarshal(call.Arguments, &where); err != nil || call.Tool != "box__read_weather" {
		return mcpclient.Result{}, fmt.Errorf("%s was called with %s", call.Tool, call.Arguments)
	}
	f.asked = append(f.asked, where.City) // calls of a server that is not trusted run one after the other
	return mcpclient.Result{Text: "cold in " + where.City}, nil
}

// TestTurnsWithEveryServer runs whole turns through the real loop. The second request must contain the calls of the
// first reply with matching ids.
func TestTurnsWithEveryServer(t *testing.T) {
	for _, r := range recorded {
		t.Run(r.name, func(t *testing.T) {
			s, c := serve(t, replays(t, r.tools, 7), replays(t, r.answer, 7))
			tools := &forecast{}
			policy := mcpclient.NewPolicy(mcpclient.ApprovalAll, nil, nil, nil)
			chat := &loop.Chat{Model: c, Name: "m", Tools: tools, Policy: policy}
			var ended event.Ended
			thought := ""
			for ev, err := range chat.Send(t.Context(), provider.Conversation{}, "How cold is it in Zürich and Oslo?") {
				switch e := ev.(type) {
				case event.Thinking:
					thought += e.Delta
				case event.Withdrawn:
					t.Error("a reply was asked for twice")
				case event.Ended:
					ended = e
				}
				must(t, err)
			}
			result := ended.Result
			if result.Stop.Reason != event.Done || result.Rounds != 1 || len(result.ToolCalls) != 2 ||
				!strings.Contains(result.Answer, "**7 °C**") {
				t.Errorf("%+v", result)
			}
			if strings.Join(tools.asked, " ") != "Zürich Oslo" || !strings.HasSuffix(thought, "Both results are there.") {
				t.Errorf("asked for %q, thought %q", tools.asked, thought)
			}
			if result.Usage.PromptTokens != 624 || result.Usage.ContextSize == 0 {
				t.Errorf("usage is %+v", result.Usage)
			}
			requests := s.requests()
			if len(requests) != 2 {
				t.Fatalf("%d requests", len(requests))
			}
			checkHistory(t, requests[1], result.ToolCalls)
		})
	}
}

// checkHistory checks that every call of the conversation is followed by its result.
func checkHistory(t *testing.T, body string, calls []event.ToolCall) {
	t.Helper()
	var sent struct{ Messages []message }
	must(t, json.Unmarshal([]byte(body), &sent))
	var roles []string
	for _, m := range sent.Messages {
		roles = append(roles, m.Role)
	}
	if got := strings.Join(roles, " "); got != "system user assistant tool tool" {
		t.Fatalf("roles are %s", got)
	}
	asked := sent.Messages[2]
	for i, call := range calls {
		made, result := asked.ToolCalls[i], sent.Messages[3+i]
		if made.ID != call.ID || result.ToolCallID != call.ID || made.Type != "function" ||
			!json.Valid([]byte(made.Function.Arguments)) {
			t.Errorf("call %d is %+v, its result %+v", i, made, result)
		}
	}
}

// UnmarshalJSON implements json.Unmarshaler for the tests.
func (c *content) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &c.text) }

func TestRecordedErrors(t *testing.T) {
	_, c := serve(t, replays(t, "openrouter-breaks.sse", 0))
	got, err := ask(t.Context(), c, question)
	if got.Text != "half an ans" || err == nil || !strings.Contains(err.Error(), "Provider disconnected unexpectedly") {
		t.Errorf("%q, %v", got.Text, err)
	}
	_, c = serve(t, replays(t, "lmstudio-too-long.sse", 0))
	_, err = ask(t.Context(), c, question)
	var e *provider.Error
	if !errors.As(err, &e) || e.Kind != provider.KindTooLong {
		t.Errorf("%v", err)
	}
}

// TestRecoveredCallPassesPolicy checks that a call in pieces with changing ids and a marked name is repaired, and then
// judged under the tool's real name.
func TestRecoveredCallPassesPolicy(t *testing.T) {
	calls := streams(
		streamed(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"functions.box__read_weather:0","arguments":""}}]}`),
		streamed(`{"tool_calls":[{"index":0,"id":"2","function":{"name":null,"arguments":"{\"city\":"}}]}`),
		streamed(`{"tool_calls":[{"index":0,"id":"3","function":{"name":"","arguments":"\"Oslo\"}"}}]}`), finished, over)
	for _, denied := range []bool{false, true} {
		_, c := serve(t, calls, streams(hello, finished, over))
		var deny []string
		if denied {
			deny = []string{"box.read_weather"}
		}
		tools := &forecast{}
		chat := &loop.Chat{Model: c, Name: "m", Tools: tools, Repair: repair.New(),
			Policy: mcpclient.NewPolicy(mcpclient.ApprovalAll, nil, deny, nil)}
		var result event.Result
		for ev, err := range chat.Send(t.Context(), provider.Conversation{}, "How cold is it in Oslo?") {
			if ended, ok := ev.(event.Ended); ok {
				result = ended.Result
			}
			must(t, err)
		}
		want := []string{"name: functions.box__read_weather:0 → box__read_weather"}
		if len(result.ToolCalls) != 1 || !slices.Equal(result.ToolCalls[0].Repairs, want) ||
			(result.ToolCalls[0].Status == event.CallOK) == denied || len(tools.asked) != len(result.ToolCalls)-len(deny) {
			t.Errorf("denied %v: the calls are %+v, the tool was asked %q", denied, result.ToolCalls, tools.asked)
		}
	}
}

// Servers report what they had in their cache in two ways. Zero means that they do not report it.
func TestReadTokens(t *testing.T) {
	const end = `{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":312,` +
		`"completion_tokens":2%s}%s}`
	for name, test := range map[string]struct {
		details, timings string
		want             int
	}{
		"no report":         {"", "", 0},
		"no details":        {`,"prompt_tokens_details":null`, "", 0},
		"cached":            {`,"prompt_tokens_details":{"cached_tokens":300}`, "", 12},
		"nothing cached":    {`,"prompt_tokens_details":{"cached_tokens":0}`, "", 312},
		"all cached":        {`,"prompt_tokens_details":{"cached_tokens":312}`, "", 0},
		"less than nothing": {`,"prompt_tokens_details":{"cached_tokens":-5}`, "", 0},
		"a list":            {`,"prompt_tokens_details":[]`, "", 0},
		"a string":          {`,"prompt_tokens_details":""`, "", 0},
		"a count in words":  {`,"prompt_tokens_details":{"cached_tokens":"some"}`, "", 0},
		"both":              {`,"prompt_tokens_details":{"cached_tokens":0}`, `,"timings":{"prompt_n":40}`, 40},
		"timings first": {`,"prompt_tokens_details":{"cached_tokens":0}`, "}\n\ndata: " +
			`{"choices":[],"timings":{"prompt_n":40}}` + "\n\ndata: " + `{"choices":[],"usage":{"prompt_tokens":312,` +
			`"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":0}}`, 40},
		"more than the prompt": {"", `,"timings":{"prompt_n":4000}`, 0},
		"more than there is":   {`,"prompt_tokens_details":{"cached_tokens":900}`, "", 0},
		"other details":        {`,"prompt_tokens_details":{"audio_tokens":0}`, "", 0},
		"llama.cpp":            {"", `,"timings":{"cache_n":280,"prompt_n":32,"prompt_ms":20}`, 32},
		"implausible":          {"", `,"timings":{"prompt_n":-3}`, 0},
	} {
		_, c := serve(t, streams(fmt.Sprintf(end, test.details, test.timings), over))
		got, err := ask(t.Context(), c, question)
		if err != nil || got.Usage.ReadTokens != test.want || got.Usage.PromptTokens != 312 {
			t.Errorf("%s: %+v, %v", name, got.Usage, err)
		}
	}
}
