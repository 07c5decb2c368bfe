package mcpclient

import (
	"context"
	"errors"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// longRoad is a server over HTTP to which a call takes for ever. What goes out of it is what a test wants.
type longRoad struct {
	herald
	out bool
}

func (r *longRoad) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if request.Method != "tools/call" {
		return r.herald.SendRequest(ctx, request)
	}
	if r.out {
		httptrace.ContextClientTrace(ctx).WroteHeaders()
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// A person who stops a call is told of its server only what is known: one that nothing was sent to was not told to stop, and works on nothing.
func TestACallThatReachedNobodyToldNobody(t *testing.T) {
	for out, want := range map[bool]string{
		true:  `the call of "road__tool1" was stopped`,
		false: `the call of "road__tool1" was stopped, and the server was not asked yet`,
	} {
		synctest.Test(t, func(t *testing.T) {
			road := &longRoad{out: out}
			connect := func(ctx, life context.Context, config Server, a *elicit.Answerer) (*conn.Conn, error) {
				return connectTo(ctx, life, road, config, a)
			}
			set := Start(t.Context(), []Server{{Name: "road", URL: "http://road.example"}}, Options{Board: &Board{}, connect: connect})
			defer set.Close()
			if err := set.Ready(t.Context()); err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), time.Second)
			defer stop()
			if _, err := set.Call(ctx, "road__tool1", nil, nil); err == nil || err.Error() != want || errors.Is(err, ErrUnasked) == out {
				t.Errorf("it says %v, want %s", err, want)
			}
		})
	}
}
