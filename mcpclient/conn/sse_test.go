package conn

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// late is a server over SSE that accepts requests only when they are done, as Spring does.
type late struct {
	stream *io.PipeReader
	out    *io.PipeWriter
}

func (l late) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		context.AfterFunc(r.Context(), func() { l.out.Close() })
		go fmt.Fprint(l.out, "event: endpoint\ndata: /messages\n\n")
		return &http.Response{StatusCode: http.StatusOK, Body: l.stream}, nil
	}
	body, _ := io.ReadAll(r.Body)
	if m, _ := jsonrpc.Parse(body); m.ID != nil {
		select {
		case <-time.After(50 * time.Second):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		fmt.Fprintf(l.out, "data: {\"id\":%s,\"result\":{\"protocolVersion\":%q}}\n\n", m.ID,
			mcp.LATEST_LEGACY_PROTOCOL_VERSION)
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(""))}, nil
}

func TestOldServerAcceptsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream, out := io.Pipe()
		w := &web{base: &http.Transport{}, next: late{stream, out}}
		c, err := w.dialSSE(t.Context(), mcpclient.Server{URL: "http://old.example"}, &elicit.Handler{})
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	})
}
