package link

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// maxRounds bounds how often a server may want something before it answers one request.
	maxRounds = 10
)

// mayAskBack names the requests that a server may answer with a question of its own.
func mayAskBack(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodToolsCall, mcp.MethodPromptsGet, mcp.MethodResourcesRead:
		return true
	}
	return false
}

// converse sends a request and, as long as the server wants something before it answers, gives it that and sends the request again.
func (w *wire) converse(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if !mayAskBack(request.Method) {
		return w.send(ctx, request)
	}
	if request.Method != string(mcp.MethodToolsCall) { // what is longer than a request: see Link.Call
		defer w.asked.Calling(ctx)()
	}
	original := request.Params
	for round := 1; ; round++ {
		response, err := w.send(ctx, request)
		if err != nil {
			return nil, err
		}
		more, again, err := w.asked.Satisfy(ctx, response, round)
		switch {
		case err != nil:
			return nil, err
		case !again:
			return response, nil
		case round == maxRounds:
			return nil, fmt.Errorf("it asked for more %d times and did not answer", round)
		}
		request.ID = w.freshID()
		if request.Params, err = withParams(original, more); err != nil {
			return nil, err
		}
	}
}

// withParams adds parameters to those of a request, which stay as they are.
func withParams(params any, more map[string]json.RawMessage) (any, error) {
	if len(more) == 0 {
		return params, nil
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	maps.Copy(all, more)
	return all, nil
}
