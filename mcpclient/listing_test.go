package mcpclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

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
		(&names{}).name(list)
		return list
	}
	suffixed := name("x_", "x.")[1].Name // "a__x_" would be both
	for _, order := range [][]string{{strings.TrimPrefix(suffixed, "a__"), "x_", "x."}, {"x.", "x_", strings.TrimPrefix(suffixed, "a__")}} {
		seen := map[string]bool{}
		for _, tool := range name(order...) {
			seen[tool.Name] = true
		}
		if len(seen) != 3 || seen["a__x_"] {
			t.Errorf("%q are called %v", order, seen)
		}
	}
}
