package mcpclient

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

// TestNamesOfAServerWithoutEnd has a server that announces other tools each time. What it offers keeps its name, and other servers' names stay
// theirs whatever it does.
func TestNamesOfAServerWithoutEnd(t *testing.T) {
	var n names
	other := []Tool{{Server: "a", ServerTool: "b__c"}}
	n.name(other)
	kept := Tool{Server: "flood", ServerTool: "kept!"}
	n.name(other, []Tool{kept})
	first := n.nameOf(kept)
	for round := range 20 {
		tools := []Tool{kept}
		for i := range conn.MaxTools - 1 {
			tools = append(tools, Tool{Server: "flood", ServerTool: fmt.Sprint("tool", round, "_", i)})
		}
		n.name(other, tools)
		if got := tools[0].Name; got != first {
			t.Fatalf("%q is now %q", first, got)
		}
	}
	if len(n.owner) > mostNames+conn.MaxTools {
		t.Errorf("%d names are remembered", len(n.owner))
	}
	late := []Tool{{Server: "a__b", ServerTool: "c"}}
	if n.name(other, late); late[0].Name == "a__b__c" || other[0].Name == "a__b__c" || late[0].Name == other[0].Name {
		t.Errorf("the tools are called %q and %q", other[0].Name, late[0].Name)
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

// seller is a server with one tool, which says who it is.
func seller(who string) *server.MCPServer {
	s := server.NewMCPServer(who, "1")
	s.AddTool(mcp.NewTool("buy"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("I am " + who), nil
	})
	return s
}

// Two servers whose tools would have one name start in either order, and one after the other.
func TestOfTwoToolsWithOneNameNeitherIsPlain(t *testing.T) {
	dot, line := Server{Name: "my.shop", Local: seller("dot")}, Server{Name: "my_shop", Local: seller("line")}
	var names [][]string
	for _, servers := range [][]Server{{dot, line}, {line, dot}} {
		set, board := ready(t, servers[0])
		if plain := set.Tools()[0].Name; plain != "my_shop__buy" {
			t.Errorf("alone it is %q", plain)
		}
		set.Enable("my_shop", "buy", false)
		set.Reload(t.Context(), servers)
		await(t, board, func(s []ServerStatus) bool { return len(s) == 2 && s[1].State == ServerReady })
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
			if got, want := call(t, set, tool.Name, "").Text, map[string]string{"my.shop": "I am dot", "my_shop": "I am line"}[tool.Server]; got != want {
				t.Errorf("%q of %q says %q", tool.Name, tool.Server, got)
			}
		}
		// A turn that began before the second server came still means the first one.
		if got, want := call(t, set, "my_shop__buy", "").Text, call(t, set, found[servers[0].Name], "").Text; got != want {
			t.Errorf("the name that the first server had says %q, want %q", got, want)
		}
		names = append(names, []string{found["my.shop"], found["my_shop"]})
	}
	if !slices.Equal(names[0], names[1]) || slices.Contains(names[0], "my_shop__buy") || names[0][0] == names[0][1] ||
		!strings.HasPrefix(names[0][0], "my_shop__buy_") || !strings.HasPrefix(names[0][1], "my_shop__buy_") {
		t.Errorf("the tools are called %q", names)
	}
}
