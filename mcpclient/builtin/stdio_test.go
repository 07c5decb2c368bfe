package builtin_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

const greeting = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// ending closes closed when it has been read to its end.
type ending struct {
	io.Reader
	closed chan struct{}
	once   *sync.Once
}

func (e ending) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err == io.EOF {
		e.once.Do(func() { close(e.closed) })
	}
	return n, err
}

func TestServeAnswersAllRequestsBeforeTheEndOfInput(t *testing.T) {
	const calls = 30 // more than run at the same time
	in := ending{closed: make(chan struct{}), once: new(sync.Once)}
	s := server.NewMCPServer("slow", "1")
	s.AddTool(mcp.NewTool("wait"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-in.closed:
			return mcp.NewToolResultText("waited"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	requests := []string{greeting, `{"jsonrpc":"2.0","method":"notifications/initialized"}`}
	for i := range calls {
		requests = append(requests, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait"}}`, i+1))
	}
	in.Reader = strings.NewReader(strings.Join(requests, "\n")) // the last line has no end
	var out strings.Builder
	if err := builtin.Serve(t.Context(), s, in, &out); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), `"waited"`); got != calls {
		t.Errorf("%d of %d calls were answered", got, calls)
	}
}

func TestServeEndsWithItsContextWhileACallIsUnanswered(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := server.NewMCPServer("slow", "1")
	s.AddTool(mcp.NewTool("wait"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	in := strings.NewReader(greeting + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}` + "\n")
	if err := builtin.Serve(ctx, s, in, io.Discard); err != nil {
		t.Error(err)
	}
}
