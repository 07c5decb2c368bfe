// Package builtin has the MCP servers that come with aloud: clock, files and fetch. The chat runs them in its own
// process, `aloud serve NAME` serves them to other programs. Models are hostile callers, and so are the pages and files
// they have read, so the servers themselves limit what they touch.
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

// Names returns what New takes.
func Names() []string { return []string{"clock", "files", "fetch"} }

// Options say what the servers may reach. The zero value is the careful one.
type Options struct {
	Dir          string // the folder of files; "": the current one
	Write        bool   // files also writes
	AllowPrivate bool   // fetch also reaches private and loopback addresses

	// Own are the files and folders of aloud itself, which count as secret like keys and .env files.
	Own []string
	// Asks means that the caller asks you before each call that Caution warns of. Otherwise files refuses such calls.
	Asks bool
}

// Server is a built-in server. Close it after the last call; Preview may be called whenever calls may.
type Server struct {
	*server.MCPServer
	folder // of files; the zero value for the others
}

// New makes the server of that name.
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
	return nil, fmt.Errorf("there is no built-in server %q; there are clock, files and fetch", name)
}

// Close ends what the server holds open.
func (s *Server) Close() error {
	if s.root == nil {
		return nil
	}
	return s.root.Close()
}

// openFolder opens dir by its full path, so that calls may use full paths, too.
func openFolder(dir string) (*os.Root, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("the folder %q cannot be opened: %w; go to one that can be", dir, atomicfile.Cause(err))
	}
	root, err := os.OpenRoot(full)
	if err != nil {
		return nil, fmt.Errorf("the folder %q cannot be opened: %w; name one that can be", full, atomicfile.Cause(err))
	}
	return root, nil
}

func newServer(name, title string, more ...server.ServerOption) *server.MCPServer {
	usual := []server.ServerOption{server.WithTitle(title), server.WithToolCapabilities(false), server.WithRecovery(), server.WithResourceRecovery()}
	return server.NewMCPServer(name, "1.0.0", append(usual, more...)...)
}

// hints are always given in full: to a client, missing ones mean "destructive" and "open world".
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

// handler answers a call with text. Its error goes to the model, not into the protocol.
type handler func(ctx context.Context, r mcp.CallToolRequest) (string, error)

// callTime bounds every call, whatever the client allows.
const callTime = 45 * time.Second

func addTool(s *server.MCPServer, t mcp.Tool, h handler) {
	s.AddTool(t, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		text, err := h(ctx, r)
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("it was not done within %v; ask for less", callTime)
		}
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
