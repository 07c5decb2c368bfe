package servers

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/mcpclient"
)

// TestCallWhenServerDies closes a server over HTTP during a call, over each transport.
func TestCallWhenServerDies(t *testing.T) {
	for name, serve := range map[string]func(*server.MCPServer) http.Handler{
		"newest": func(s *server.MCPServer) http.Handler { return server.NewStreamableHTTPServer(s) },
		"legacy": func(s *server.MCPServer) http.Handler { return onlyLegacy(server.NewStreamableHTTPServer(s)) },
		"sse":    func(s *server.MCPServer) http.Handler { return server.NewSSEServer(s) },
	} {
		t.Run(name, func(t *testing.T) {
			var running *httptest.Server
			s := server.NewMCPServer("mortal", "1")
			over := make(chan struct{})
			defer close(over)
			s.AddTool(mcp.NewTool("die"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				_ = running.Listener.Close()
				running.CloseClientConnections()
				<-over // stops responding
				return nil, context.Canceled
			})
			running = httptest.NewServer(serve(s))
			place, transport := running.URL, ""
			if name == "sse" {
				place, transport = running.URL+"/sse", "sse"
			}
			set, _ := ready(t, mcpclient.Server{Name: "shop", URL: place, Transport: transport})
			_, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__die"}, nil)
			if err == nil || !strings.HasPrefix(err.Error(), `server "shop" `) || strings.Contains(err.Error(), "http://") {
				t.Errorf("the call says %v", err)
			}
			if _, err = set.Call(t.Context(), mcpclient.Call{Tool: "shop__die"}, nil); err == nil ||
				!strings.Contains(err.Error(), "cannot be restarted") {
				t.Errorf("the next call says %v", err)
			}
		})
	}
}
