package elicit

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// thinker takes its time for every answer.
type thinker struct {
	Host
	asked atomic.Int32
}

func (h *thinker) Elicit(ctx context.Context, _ Elicitation) (Elicited, error) {
	h.asked.Add(1)
	<-ctx.Done()
	return Elicited{Action: Cancel}, nil
}

// The refusals are on their way, and done with, while more questions come: none of that may make room for a question too many.
func TestRefusalsMakeNoRoom(t *testing.T) {
	person := &thinker{}
	q := New(&Answerer{Host: person, Begin: (&Tally{}).Begin})
	defer q.Close()
	for i := range 20_000 {
		q.Ask(transport.JSONRPCRequest{
			ID: mcp.NewRequestId(int64(i)), Method: "elicitation/create",
			Params: json.RawMessage(`{"message":"m","requestedSchema":{}}`),
		}, func(context.Context, *transport.JSONRPCResponse) {})
	}
	if n := person.asked.Load(); n > MaxOpen {
		t.Errorf("a person was asked %d questions at once, want at most %d", n, MaxOpen)
	}
}
