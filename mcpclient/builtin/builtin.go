// Package builtin implements the MCP servers that come with aloud: clock, files and fetch. The chat runs them in its
// own process, and `aloud serve NAME` serves them to other programs. Callers may be hostile, because models follow
// what they read, so the servers themselves limit their access.
package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/atomicfile"
)

// Names returns the names of the servers.
func Names() []string { return []string{"clock", "files", "fetch"} }

// Options configure what the servers may access. The zero value allows the least.
type Options struct {
	Dir          string // folder to serve, "" for the current folder
	Write        bool   // allow changes to files
	AllowPrivate bool   // let fetch reach private and loopback addresses

	// Own lists aloud's own files and folders, which count as secrets.
	Own []string
	// Asks promises that the caller asks the user before each call that Caution warns about. Otherwise such calls fail.
	Asks bool
}

// Server is a built-in server. It must be closed after the last call. Preview is safe for concurrent use with calls.
type Server struct {
	*server.MCPServer
	folder // the zero value except for files
}

// New returns the server with a name.
func New(name string, o Options) (*Server, error) {
	switch name {
	case "clock":
		return &Server{MCPServer: Clock(time.Now)}, nil
	case "fetch":
		return &Server{MCPServer: Fetch(FetchOptions{AllowPrivate: o.AllowPrivate})}, nil
	case "files":
		root, err := openFolder(o.Dir)
		if err != nil {
			return nil, err
		}
		f := folder{root, realPaths(o.Own), o.Asks}
		return &Server{f.serve(o.Write), f}, nil
	}
	return nil, fmt.Errorf("no built-in server %q. Use clock, files or fetch", name)
}

// Close releases the folder.
func (s *Server) Close() error {
	if s.root == nil {
		return nil
	}
	return s.root.Close()
}

// openFolder opens dir by its full path, so that calls can use full paths.
func openFolder(dir string) (*os.Root, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(full)
	if err != nil {
		return nil, fmt.Errorf("cannot open folder %q: %w", full, atomicfile.Cause(err))
	}
	return root, nil
}

func newServer(name, title string, more ...server.ServerOption) *server.MCPServer {
	more = append(more, server.WithTitle(title), server.WithToolCapabilities(false),
		server.WithRecovery(), server.WithResourceRecovery())
	return server.NewMCPServer(name, "1.0.0", more...)
}

// hints are always sent in full, because the defaults are "destructive" and "open world".
type hints struct{ readOnly, destructive, idempotent, openWorld bool }

func newTool(name, title, description string, h hints, arguments ...mcp.ToolOption) mcp.Tool {
	about := []mcp.ToolOption{
		mcp.WithToolTitle(title),
		mcp.WithDescription(description),
		mcp.WithReadOnlyHintAnnotation(h.readOnly), mcp.WithDestructiveHintAnnotation(h.destructive),
		mcp.WithIdempotentHintAnnotation(h.idempotent), mcp.WithOpenWorldHintAnnotation(h.openWorld),
	}
	return mcp.NewTool(name, append(about, arguments...)...)
}

// handler answers a call with text. Its error becomes a tool result.
type handler func(ctx context.Context, r mcp.CallToolRequest) (string, error)

// callTime is the time limit of every call.
const callTime = 45 * time.Second

func addTool(s *server.MCPServer, t mcp.Tool, h handler) {
	s.AddTool(t, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		text, err := h(ctx, r)
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("not finished within %v. Request less", callTime)
		}
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText(text), nil
	})
}

// text returns a required string argument.
func text(r mcp.CallToolRequest, name string) (string, error) {
	s, err := r.RequireString(name)
	if err != nil {
		return "", fmt.Errorf("the argument %q is missing or not a string", name)
	}
	return s, nil
}
