package mcpclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func TestOneBadToolDoesNotLoseTheOthers(t *testing.T) {
	page := `{"tools":[
		{"name":"good","title":"Good One","description":"d","inputSchema":{"type":"object","$schema":"x","oneOf":[{"a":9007199254740993}]},
		 "annotations":{"readOnlyHint":true,"openWorldHint":true}},
		{"name":"true","inputSchema":true},
		{"name":"list","inputSchema":{"properties":["a"]}},
		{"name":"php","inputSchema":{"properties":[]}},
		{"name":"bare"},
		{"name":"odd","title":7,"inputSchema":{"type":["object","null"]},"annotations":{"readOnlyHint":"yes"}},
		{"inputSchema":{}},
		"nonsense\u001b[31m"]}`
	tools, remarks := readTools(json.RawMessage(page), Server{Name: "s"}, false)
	var names []string
	for _, tool := range tools {
		names = append(names, tool.ServerTool)
	}
	if got := strings.Join(names, " "); got != "good php bare odd" {
		t.Errorf("kept: %s", got)
	}
	if len(remarks) != 4 || remarks[0] != `left out the tool "true": its schema is not an object` {
		t.Errorf("remarks: %q", remarks)
	}
	good := tools[0]
	if string(good.Schema) != `{"type":"object","$schema":"x","oneOf":[{"a":9007199254740993}]}` {
		t.Errorf("the schema did not stay as it was: %s", good.Schema)
	}
	if good.Title != "Good One" || !good.ReadOnly || good.Destructive || !good.OpenWorld || good.Trusted {
		t.Errorf("%+v", good)
	}
	if odd := tools[3]; odd.ReadOnly || !odd.Destructive || odd.Title != "" {
		t.Errorf("%+v", odd)
	}
	if php := tools[1]; string(php.Schema) != `{"properties":{}}` {
		t.Errorf("%s", php.Schema)
	}
}

func TestATrustedServerThatSaysNothingOfTheOpenWorld(t *testing.T) {
	page := json.RawMessage(`{"tools":[{"name":"read","annotations":{"readOnlyHint":true}}]}`)
	for trusted, want := range map[bool]Verdict{true: Run, false: Ask} {
		tools, _ := readTools(page, Server{Name: "s", Trusted: trusted}, false)
		if got := NewPolicy(ModeAuto, nil, nil, nil).Check(tools[0], nil); got != want {
			t.Errorf("trusted %v: %v, want %v", trusted, got, want)
		}
	}
}

func TestAServerThatListsNonsenseIsNotQuotedInFull(t *testing.T) {
	nonsense := server.NewMCPServer(strings.Repeat("n", 1<<10), "1")
	for i := range 100 {
		tool := mcp.Tool{Name: fmt.Sprint(strings.Repeat("x", 1<<10), i), RawInputSchema: json.RawMessage(`1`)}
		nonsense.AddTool(tool, nil)
	}
	_, board := ready(t, Server{Name: "s", Local: nonsense})
	if s := board.Servers()[0]; len(s.Detail) > 1000 || !strings.HasSuffix(s.Detail, "; left out 97 more tools") {
		t.Errorf("%d bytes: %.2000s", len(s.Detail), s.Detail)
	}
}

func TestANameIsNeverGivenAway(t *testing.T) {
	name := func(tools ...string) []Tool {
		list := make([]Tool, len(tools))
		for i, tool := range tools {
			list[i] = Tool{Server: "a", ServerTool: tool}
		}
		return (&names{}).name(list)
	}
	suffixed := name("x_", "x.")[1].Name // "a__x_" was taken
	tools := name(strings.TrimPrefix(suffixed, "a__"), "x_", "x.")
	if tools[0].Name != suffixed || tools[2].Name == suffixed {
		t.Errorf("%q belongs to %q, the other is %q", suffixed, tools[0].ServerTool, tools[2].Name)
	}
}

func FuzzTools(f *testing.F) {
	f.Add([]byte(`{"tools":[{"name":"a","inputSchema":{"properties":[]}},{"name":"b","inputSchema":{}}]}`))
	f.Fuzz(func(t *testing.T, page []byte) {
		tools, _ := readTools(page, Server{Name: "s"}, false)
		for _, tool := range (&names{}).name(tools) {
			var schema map[string]any
			if json.Unmarshal(tool.Schema, &schema) != nil || tool.Name == "" || len(tool.Name) > maxName {
				t.Errorf("%+v", tool)
			}
		}
	})
}
