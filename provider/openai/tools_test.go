package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
)

// oddSchemas are schemas that LM Studio, llama.cpp or OpenAI refuse with the whole request.
var oddSchemas = map[string]string{
	"no properties":         `{"type":"object"}`,
	"no type":               `{"properties":{"a":{"type":"string"}}}`,
	"nothing":               `{}`,
	"null":                  `null`,
	"alternatives":          `{"type":"object","properties":{},"anyOf":[{"required":["a"]},{"required":["b"]}]}`,
	"required as an object": `{"type":"object","properties":{"a":{}},"required":{"a":true}}`,
	"true as a property":    `{"type":"object","properties":{"a":true}}`,
	"a reference":           `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}}`,
	"a circle":              `{"type":"object","properties":{"a":{"$ref":"#"}}}`,
	"an array of anything":  `{"type":"object","properties":{"a":{"type":"array"}}}`,
}

func TestOddSchemaIsCompleted(t *testing.T) {
	for name, schema := range oddSchemas {
		s, c := serve(t, providertest.StrictTools(streams(hello, finished, over)).ServeHTTP)
		req := withTools()
		req.Tools = append(req.Tools, provider.ToolSpec{Name: "odd", Schema: json.RawMessage(schema)})
		if got, err := ask(t.Context(), c, req); err != nil || got.Text != "Hello" || len(s.requests()) != 1 {
			t.Errorf("%s: %q, %v after %d requests", name, got.Text, err, len(s.requests()))
		}
	}
}

// quoted returns a refusal with a message.
func quoted(message string) string { return fmt.Sprintf(`{"error":{"message":%q}}`, message) }

// TestRefusedToolIsLeftOut checks that a tool that a server names in a refusal is left out once and for all, until it
// changes.
func TestRefusedToolIsLeftOut(t *testing.T) {
	for _, refusal := range []string{
		`{"detail":[{"loc":["body","tools",1,"function","parameters"],"msg":"Input should be a valid dictionary"}]}`,
		`{"error":{"message":"Invalid value.","param":"tools[1].function.parameters"}}`,
		quoted(`Invalid schema for function 'box__odd': schema must have type 'object'.`),
		quoted("tools.1.function.parameters: Invalid input"),
		quoted("Error in tools[1].function: pattern is not supported"),
		quoted("('body', 'tools', 1, 'function', 'parameters')"),
		quoted(`tool "box__odd" has an unsupported schema`),
		quoted("Unable to build a grammar for function box__odd: not supported"),
	} {
		s, c := serve(t, refuses(400, refusal), streams(hello, finished, over))
		req := withTools()
		odd := provider.ToolSpec{Name: "box__odd", Title: "Odd", Schema: json.RawMessage(`{"type":"object"}`)}
		req.Tools = append(req.Tools, odd)
		var notices []string
		for range 2 {
			for chunk, err := range c.Chat(t.Context(), req) {
				must(t, err)
				if chunk.Notice != "" {
					notices = append(notices, chunk.Notice)
				}
			}
		}
		if len(notices) != 1 || !strings.HasPrefix(notices[0], "The server refused the tool Odd,") {
			t.Errorf("%s: the notices are %q", refusal, notices)
		}
		asked := s.requests()
		if len(asked) != 3 || strings.Contains(asked[1]+asked[2], "box__odd") || !strings.Contains(asked[2], weather.Name) {
			t.Errorf("%s: the requests are %q", refusal, asked)
		}
		req.Tools[1].Schema = json.RawMessage(`{"type":"object","properties":{"a":{}}}`)
		if _, err := ask(t.Context(), c, req); err != nil || !strings.Contains(s.requests()[3], "box__odd") {
			t.Errorf("%s: the changed tool is not offered, %v", refusal, err)
		}
	}
}

// TestUnclearRefusalEndsTheTurn checks that no tool is left out for a refusal that names none, several or something
// else.
func TestUnclearRefusalEndsTheTurn(t *testing.T) {
	for status, message := range map[int]string{
		400: "read_weather and box__odd are odd",
		422: "the tools 'read_weather' and 'box__odd' are odd",
		401: "no key for the tool 'box__odd'",
		500: "JSON schema conversion failed: tools.7 is odd",
		409: "tools.0 and tools.1 are odd",
		413: "Too many tools. 1 is the maximum",
		415: "Too many tools, 0 is the maximum",
	} {
		s, c := serve(t, refuses(status, `{"error":{"message":"`+message+`"}}`), streams(hello, finished, over))
		req := withTools()
		req.Tools = append(req.Tools, provider.ToolSpec{Name: "box__odd"})
		if _, err := ask(t.Context(), c, req); err == nil || len(s.requests()) != 1 {
			t.Errorf("%d %s: %v after %d requests", status, message, err, len(s.requests()))
		}
	}
}

// TestToolIsKeptIfItIsNotTheReason checks that a tool is left out only if the server accepts the request without it.
func TestToolIsKeptIfItIsNotTheReason(t *testing.T) {
	refuse := refuses(400, `{"error":"the result of the tool 'read_weather' is too old"}`)
	s, c := serve(t, refuse, refuse, streams(hello, finished, over))
	for chunk, err := range c.Chat(t.Context(), withTools()) {
		if chunk.Notice != "" || err != nil && !strings.Contains(err.Error(), "is too old") {
			t.Errorf("%+v, %v", chunk, err)
		}
	}
	if _, err := ask(t.Context(), c, withTools()); err != nil || !strings.Contains(s.requests()[2], weather.Name) {
		t.Errorf("%v, the request is %s", err, s.requests()[2])
	}
}

// TestToolIsOfferedAgainAfterAServerError checks that a failure that may pass does not leave a tool out for good.
func TestToolIsOfferedAgainAfterAServerError(t *testing.T) {
	fails := refuses(500, quoted("error while calling tool read_weather, try again"))
	s, c := serve(t, fails, streams(hello, finished, over))
	for range 2 {
		if got, err := ask(t.Context(), c, withTools()); err != nil || got.Text != "Hello" {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	asked := s.requests()
	if len(asked) != 3 || strings.Contains(asked[1], weather.Name) || !strings.Contains(asked[2], weather.Name) {
		t.Errorf("the requests are %q", asked)
	}
}

func TestServerThatRefusesEveryTool(t *testing.T) {
	refuse := func(w http.ResponseWriter, r *http.Request) {
		refuses(400, `{"error":"tools.0 is odd"}`)(w, r)
	}
	s, c := serve(t, refuse, refuse, streams(hello, finished, over))
	req := withTools()
	req.Tools = append(req.Tools, provider.ToolSpec{Name: "box__odd"})
	got, err := ask(t.Context(), c, req)
	if err != nil || got.Text != "Hello" || strings.Contains(s.requests()[2], `"tools"`) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestRefusedToolsAreBounded has a server that refuses a tool in every request.
func TestRefusedToolsAreBounded(t *testing.T) {
	s, c := serve(t, refuses(400, quoted("tools[0].type is not supported")))
	req := question
	for i := range 150 {
		req.Tools = append(req.Tools, provider.ToolSpec{Name: fmt.Sprintf("tool_%d", i)})
	}
	_, err := ask(t.Context(), c, req)
	if err == nil || !strings.Contains(err.Error(), "type is not supported") || len(s.requests()) != maxRefusedTools+1 {
		t.Errorf("%v after %d requests", err, len(s.requests()))
	}
}

func TestNoticeOfTheClientReachesTheTurn(t *testing.T) {
	_, c := serve(t, refuses(400, `{"error":"tools.0 is odd"}`), streams(hello, finished, over))
	policy := mcpclient.NewPolicy(mcpclient.ApprovalAll, nil, nil, nil)
	chat := &loop.Chat{Model: c, Name: "m", Tools: &forecast{}, Policy: policy}
	var notices []string
	for ev, err := range chat.Send(t.Context(), provider.Conversation{}, "Hi") {
		must(t, err)
		if notice, ok := ev.(event.Notice); ok {
			notices = append(notices, notice.Text)
		}
	}
	if got := strings.Join(notices, "\n"); strings.Count(got, "tools.0 is odd") != 1 {
		t.Errorf("the notices are %q", got)
	}
}
