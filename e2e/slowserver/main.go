// Slowserver is an MCP server on standard input and output for tests. Its one tool takes as long and reports as much
// progress as the test wants. For each call it connects to the address in its argument and runs the steps it reads
// there, one per line:
//
//	{"progress": 40, "total": 120, "message": "parsing"}    reports progress
//	{"flood": 10000, "over": 1000, "total": 10000}          counts to 10000 within 1000 milliseconds
//	{"result": "all indexed"}                               ends the call
//
// After each step it writes an empty line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// step is one line.
type step struct {
	Progress float64 `json:"progress"`
	Total    float64 `json:"total"` // 0 if unknown
	Message  string  `json:"message"`
	Flood    int     `json:"flood"`
	Over     int     `json:"over"` // milliseconds
	Result   string  `json:"result"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "slowserver:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("the first argument must be the address that sends the steps")
	}
	s := server.NewMCPServer("code", "1")
	tool := mcp.NewTool("index_repository", mcp.WithTitleAnnotation("Index Repository"),
		mcp.WithDescription("Indexes the repository"), mcp.WithNumber("part"),
		mcp.WithReadOnlyHintAnnotation(true), mcp.WithOpenWorldHintAnnotation(false)) // so that it needs no approval
	s.AddTool(tool, func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return index(ctx, s, req, args[0])
	})
	return server.ServeStdio(s)
}

func index(
	ctx context.Context, s *server.MCPServer, req mcp.CallToolRequest, address string,
) (*mcp.CallToolResult, error) {
	conductor, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer conductor.Close()
	defer context.AfterFunc(ctx, func() { conductor.Close() })()

	tell := teller(ctx, s, req)
	lines := bufio.NewScanner(conductor)
	for lines.Scan() {
		var now step
		if err := json.Unmarshal(lines.Bytes(), &now); err != nil {
			return nil, err
		}
		switch {
		case now.Result != "":
			return mcp.NewToolResultText(now.Result), nil
		case now.Flood > 0:
			err = flood(now, tell)
		default:
			err = tell(now)
		}
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(conductor)
	}
	return nil, errors.New("the connection ended before a result")
}

// teller returns a function that reports the progress of a call.
func teller(ctx context.Context, s *server.MCPServer, req mcp.CallToolRequest) func(step) error {
	return func(now step) error {
		if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
			return errors.New("the client does not want progress")
		}
		news := map[string]any{"progressToken": req.Params.Meta.ProgressToken, "progress": now.Progress}
		if now.Total > 0 {
			news["total"] = now.Total
		}
		if now.Message != "" {
			news["message"] = now.Message
		}
		for {
			err := s.SendNotificationToClient(ctx, "notifications/progress", news)
			if !errors.Is(err, server.ErrNotificationChannelBlocked) {
				return err
			}
			time.Sleep(time.Millisecond) // its queue is full
		}
	}
}

// flood reports evenly spaced progress, in bursts of a millisecond.
func flood(all step, tell func(step) error) error {
	began, over := time.Now(), time.Duration(all.Over)*time.Millisecond
	for n := 1; n <= all.Flood; n++ {
		due := time.Duration(float64(over) * float64(n) / float64(all.Flood))
		if early := due - time.Since(began); early > time.Millisecond {
			time.Sleep(early)
		}
		if err := tell(step{Progress: float64(n), Total: all.Total}); err != nil {
			return err
		}
	}
	return nil
}
