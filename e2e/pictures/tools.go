//go:build unix

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// The arguments that make this program an MCP server: two with tools, and one that never responds.
const (
	serveTools   = "serve-tools"
	serveShop    = "serve-shop"
	serveNothing = "serve-nothing"
)

// serve is an MCP server on standard input and output with tools for source code. Each call takes that time; with the
// argument "wait" it never ends, and with "fail" it fails.
func serve(takes string) error {
	pause, err := time.ParseDuration(takes)
	if err != nil {
		return err
	}
	paused := func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		time.Sleep(pause)
		return answer(ctx, req)
	}
	s := server.NewMCPServer("code", "1")
	titles := map[string]string{"read_file": "Read File", "search_issues": "Search Issues", "list_commits": "List Commits"}
	for name, title := range titles {
		s.AddTool(tool(name, title, true), paused)
	}
	s.AddTool(tool("delete_branch", "Delete Branch", false), answer)
	index := func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for done := 40.0; done < 120 && (done == 40 || pause > 0); done += 20 {
			if err := tellProgress(ctx, s, req, done, 120); err != nil {
				return nil, err
			}
			time.Sleep(pause / 3)
		}
		return answer(ctx, req)
	}
	s.AddTool(tool("index_repository", "Index Repository", true), index)
	return server.ServeStdio(s)
}

// shop is an MCP server with the tools of a shop, for the scenes.
func shop() error {
	s := server.NewMCPServer("shop", "1")
	says := map[string]string{"find_user": "John Doe, 42, Acme Corp", "list_orders": "2 orders: 1001, 1002"}
	for name, title := range map[string]string{"find_user": "Find User", "list_orders": "List Orders"} {
		s.AddTool(tool(name, title, true), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if req.GetString("then", "") == "wait" {
				return answer(ctx, req)
			}
			time.Sleep(time.Second)
			return mcp.NewToolResultText(says[req.Params.Name]), nil
		})
	}
	return server.ServeStdio(s)
}

func tool(name, title string, readOnly bool) mcp.Tool {
	return mcp.NewTool(name, mcp.WithTitleAnnotation(title), mcp.WithDescription(title),
		mcp.WithReadOnlyHintAnnotation(readOnly), mcp.WithDestructiveHintAnnotation(!readOnly),
		mcp.WithOpenWorldHintAnnotation(false),
		mcp.WithString("what"), mcp.WithString("then"))
}

func answer(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	switch req.GetString("then", "") {
	case "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	case "fail":
		return mcp.NewToolResultError(fmt.Sprintf("there is no %s", req.GetString("what", "such thing"))), nil
	}
	return mcp.NewToolResultText("Issue 12: it crashes on start. Issue 31: it starts twice."), nil
}

func tellProgress(ctx context.Context, s *server.MCPServer, req mcp.CallToolRequest, done, total float64) error {
	if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
		return nil
	}
	return s.SendNotificationToClient(ctx, "notifications/progress",
		map[string]any{"progressToken": req.Params.Meta.ProgressToken, "progress": done, "total": total})
}
