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
		return (&names{}).name(list)
	}
	suffixed := name("x_", "x.")[1].Name // "a__x_" was taken
	tools := name(strings.TrimPrefix(suffixed, "a__"), "x_", "x.")
	if tools[0].Name != suffixed || tools[2].Name == suffixed {
		t.Errorf("%q belongs to %q, the other is %q", suffixed, tools[0].ServerTool, tools[2].Name)
	}
}
