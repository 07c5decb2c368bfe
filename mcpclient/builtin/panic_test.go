package builtin

import (
	"context"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// A mistake of ours in one call is a failed call: the server goes on.
func TestAPanicIsOneFailedCall(t *testing.T) {
	s := newServer("broken", "Broken")
	panics := true
	addTool(s, newTool("try", "Try", "Tries.", hints{}), func(context.Context, mcp.CallToolRequest) (string, error) {
		if panics {
			panic("no such index")
		}
		return "well", nil
	})
	c, err := client.NewInProcessClient(s)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Initialize(t.Context(), mcp.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"try has a mistake and could not finish: no such index", "well"} {
		result, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "try"}})
		if err != nil || result.IsError != panics || !strings.Contains(result.Content[0].(mcp.TextContent).Text, want) {
			t.Errorf("got %+v, %v; want %q", result, err, want)
		}
		panics = false
	}
}
