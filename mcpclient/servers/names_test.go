package servers

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/mcpclient"
)

func TestToolNamesAreUnique(t *testing.T) {
	name := func(tools ...string) []mcpclient.Tool {
		list := make([]mcpclient.Tool, len(tools))
		for i, tool := range tools {
			list[i] = mcpclient.Tool{Server: "a", ServerTool: tool}
		}
		nameTools(list)
		return list
	}
	suffixed := name("x_", "x.")[1].Name // "a__x_" would be both
	for _, order := range [][]string{{strings.TrimPrefix(suffixed, "a__"), "x_", "x."},
		{"x.", "x_", strings.TrimPrefix(suffixed, "a__")}} {
		seen := map[string]bool{}
		for _, tool := range name(order...) {
			seen[tool.Name] = true
		}
		if len(seen) != 3 || seen["a__x_"] {
			t.Errorf("%q are called %v", order, seen)
		}
	}
}

// seller is a server with one tool that returns the name of the server.
func seller(who string) *server.MCPServer {
	s := server.NewMCPServer(who, "1")
	s.AddTool(mcp.NewTool("buy"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("I am " + who), nil
	})
	return s
}

// The servers start in either order, one after the other.
func TestToolsWithTheSameNameGetSuffixes(t *testing.T) {
	dot := mcpclient.Server{Name: "my.shop", Local: inner{MCPServer: seller("dot")}}
	line := mcpclient.Server{Name: "my_shop", Local: inner{MCPServer: seller("line")}}
	var names [][]string
	for _, servers := range [][]mcpclient.Server{{dot, line}, {line, dot}} {
		late := servers[1]
		late.Disabled = true
		set, board := ready(t, servers[0], late)
		if plain := set.Tools()[0].Name; plain != "my_shop__buy" {
			t.Errorf("alone it is %q", plain)
		}
		set.Enable("my_shop", "buy", false)
		must(t, set.SwitchServer(late.Name, true))
		await(t, board, func(s []mcpclient.ServerStatus) bool { return len(s) == 2 && s[1].State == mcpclient.ServerReady })
		tools, on := set.AllTools()
		found := map[string]string{}
		for i, tool := range tools {
			found[tool.Server] = tool.Name
			if on[i] != (tool.Server == "my.shop") {
				t.Errorf("%s is on: %v", tool.Server, on[i])
			}
		}
		set.Enable("my_shop", "buy", true)
		for _, tool := range tools {
			if got, want := call(t, set, tool.Name, "").Text,
				map[string]string{"my.shop": "I am dot", "my_shop": "I am line"}[tool.Server]; got != want {
				t.Errorf("%q of %q says %q", tool.Name, tool.Server, got)
			}
		}
		names = append(names, []string{found["my.shop"], found["my_shop"]})
	}
	if !slices.Equal(names[0], names[1]) || slices.Contains(names[0], "my_shop__buy") || names[0][0] == names[0][1] ||
		!strings.HasPrefix(names[0][0], "my_shop__buy_") || !strings.HasPrefix(names[0][1], "my_shop__buy_") {
		t.Errorf("the tools are called %q", names)
	}
}
