// Package builtin has the MCP servers that come with aloud: clock, files and fetch. They are servers like any other: the chat runs them in
// its own process, `aloud serve NAME` on standard input and output for any other program. Models are hostile callers, and so are the pages
// and files they have read: what a server may touch is bounded here, not by asking nicely.
package builtin

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Names returns what New takes.
func Names() []string { return []string{"clock", "files", "fetch"} }

// Options say what the servers may reach. The zero value is the careful one.
type Options struct {
	Dir          string // the folder of files; "": the current one
	Write        bool   // files also writes
	AllowPrivate bool   // fetch also reaches private and loopback addresses
}

// New makes the server of that name. The closer, never nil, ends what it holds open: close it after the last call.
func New(name string, o Options) (*server.MCPServer, io.Closer, error) {
	switch name {
	case "clock":
		return Clock(time.Now), nothing{}, nil
	case "fetch":
		return Fetch(FetchOptions{AllowPrivate: o.AllowPrivate}), nothing{}, nil
	case "files":
		root, err := openFolder(o.Dir)
		if err != nil {
			return nil, nothing{}, err
		}
		return Files(root, o.Write), root, nil
	}
	return nil, nothing{}, fmt.Errorf("there is no built-in server %q; there are clock, files and fetch", name)
}

// openFolder opens dir under its full path, so that models may use full paths, too.
func openFolder(dir string) (*os.Root, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("the folder %q cannot be opened: %w; go to one that can be", dir, cause(err))
	}
	root, err := os.OpenRoot(full)
	if err != nil {
		return nil, fmt.Errorf("the folder %q cannot be opened: %w; name one that can be", full, cause(err))
	}
	return root, nil
}

type nothing struct{}

func (nothing) Close() error { return nil }

// Serve answers one client on in and out until in ends or ctx does. Only one Serve can run in a process at a time.
func Serve(ctx context.Context, s *server.MCPServer, in io.Reader, out io.Writer) error {
	err := server.NewStdioServer(s).Listen(ctx, in, out)
	if ctx.Err() != nil {
		return nil // asked to end
	}
	return err
}

func newServer(name, title string) *server.MCPServer {
	return server.NewMCPServer(name, "1.0.0", server.WithTitle(title), server.WithToolCapabilities(false), server.WithRecovery())
}

// hints are said of every tool in full: what is left out means "destructive" and "reaches out" to a client.
type hints struct{ readOnly, destructive, idempotent, openWorld bool }

func newTool(name, title, description string, h hints, arguments ...mcp.ToolOption) mcp.Tool {
	about := []mcp.ToolOption{
		mcp.WithToolTitle(title),
		mcp.WithDescription(description),
		mcp.WithToolAnnotation(mcp.ToolAnnotation{
			ReadOnlyHint: &h.readOnly, DestructiveHint: &h.destructive, IdempotentHint: &h.idempotent, OpenWorldHint: &h.openWorld,
		}),
	}
	return mcp.NewTool(name, append(about, arguments...)...)
}

// handler answers a call with text. An error is news for the model, not for the protocol.
type handler func(ctx context.Context, r mcp.CallToolRequest) (string, error)

func addTool(s *server.MCPServer, t mcp.Tool, h handler) {
	s.AddTool(t, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := h(ctx, r)
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText(text), nil
	})
}

// text is a string argument that must be there.
func text(r mcp.CallToolRequest, name string) (string, error) {
	s, err := r.RequireString(name)
	if err != nil {
		return "", fmt.Errorf("the argument %q is missing or no string", name)
	}
	return s, nil
}
