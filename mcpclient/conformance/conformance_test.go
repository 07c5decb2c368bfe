package conformance_test

import (
	"bytes"
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/e2e/oauthtest"
	"github.com/aloudchat/aloud/mcpclient/conformance"
)

// calculator is a server as the suite has them: its tool wants two numbers.
func calculator(t *testing.T) string {
	t.Helper()
	s := server.NewMCPServer("calculator", "1.0", server.WithToolCapabilities(true))
	add := mcp.NewTool("add", mcp.WithNumber("a", mcp.Required()), mcp.WithNumber("b", mcp.Required()))
	s.AddTool(add, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("sum of " + string(r.Params.RawArguments)), nil
	})
	shop := httptest.NewServer(server.NewStreamableHTTPServer(s))
	t.Cleanup(shop.Close)
	return shop.URL
}

// TestPlay tells what is done with a server: what a scenario asks for, else a call of every tool with what its schema wants.
func TestPlay(t *testing.T) {
	url := calculator(t)
	for _, test := range []struct {
		scenario conformance.Scenario
		want     string // "": nothing is said
	}{
		{conformance.Scenario{Name: "initialize"}, ""},
		{conformance.Scenario{Name: "tools_call"}, `sum of {"a":2,"b":2}`},
		{conformance.Scenario{Name: "any", Context: `{"toolCalls": [{"name": "add", "arguments": {"a": 5, "b": 3}}, {"name": "gone"}]}`}, `sum of {"a":5,"b":3}`},
		{conformance.Scenario{Name: "any", Context: `{"toolCalls": [{"name": "gone"}]}`}, `there is no tool "gone"`},
	} {
		test.scenario.URL = url
		var out bytes.Buffer
		err := conformance.Play(t.Context(), test.scenario, &out)
		if err != nil || !strings.Contains(strings.ReplaceAll(out.String(), " ", ""), strings.ReplaceAll(test.want, " ", "")) || test.want == "" && out.Len() > 0 {
			t.Errorf("%+v: %v, %q", test.scenario, err, out.String())
		}
	}
}

// A server that wants a login gets one, without a person.
func TestPlayLogsIn(t *testing.T) {
	issuer := oauthtest.NewIssuer(oauthtest.Plain())
	defer issuer.Close()
	resource := oauthtest.NewResource(issuer)
	defer resource.Close()
	if err := conformance.Play(t.Context(), conformance.Scenario{Name: "initialize", URL: resource.URL}, new(bytes.Buffer)); err != nil {
		t.Error(err)
	}
	if faults := issuer.Faults(); len(faults) > 0 {
		t.Errorf("the login server says %q", faults)
	}
}

func TestWhatCannotBePlayed(t *testing.T) {
	for _, test := range []struct {
		scenario conformance.Scenario
		want     string
	}{
		{conformance.Scenario{URL: "http://127.0.0.1:1", Context: "{"}, "is not JSON"},
		{conformance.Scenario{URL: "http://127.0.0.1:1", Context: `{"private_key_pem": "none"}`}, "the key of the scenario"},
		{conformance.Scenario{Name: "json-schema-2020-12-preservation", URL: calculator(t)}, "the tool with the schema is not there"},
	} {
		if err := conformance.Play(t.Context(), test.scenario, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.scenario, err, test.want)
		}
	}
}
