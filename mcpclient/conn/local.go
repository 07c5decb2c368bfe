package conn

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// dialLocal connects to a server in this process.
func dialLocal(ctx, life context.Context, to Server, a *elicit.Answerer) (*Conn, error) {
	local := localAnswers{elicit.New(a)}
	var options []transport.InProcessOption
	if a.Roots != nil {
		options = append(options, transport.WithRootsHandler(local))
	}
	if a.Host != nil {
		options = append(options, transport.WithElicitationHandler(local))
	}
	if a.Samples {
		options = append(options, transport.WithSamplingHandler(local))
	}
	to.Protocol = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	return Over(ctx, life, Line{Transport: transport.NewInProcessTransportWithOptions(to.Local, options...), Questions: local.Questions}, to)
}

// localAnswers is how servers in this process ask: they call.
type localAnswers struct{ *elicit.Questions }

// CreateMessage implements server.SamplingHandler.
func (l localAnswers) CreateMessage(ctx context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return answerTo[mcp.CreateMessageResult](ctx, l, mcp.MethodSamplingCreateMessage, r.CreateMessageParams)
}

// Elicit implements server.ElicitationHandler.
func (l localAnswers) Elicit(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return answerTo[mcp.ElicitationResult](ctx, l, mcp.MethodElicitationCreate, r.Params)
}

// ListRoots implements server.RootsHandler.
func (l localAnswers) ListRoots(ctx context.Context, _ mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return answerTo[mcp.ListRootsResult](ctx, l, mcp.MethodListRoots, nil)
}

// answerTo is the answer to a question that ends with its caller's context, or when the connection is closed.
func answerTo[T any](caller context.Context, l localAnswers, method mcp.MCPMethod, params any) (*T, error) {
	open, done, refused := l.Begun(nil)
	if refused != nil {
		return nil, errors.New(refused.Message)
	}
	defer done()
	ctx, cancel := context.WithCancel(caller)
	defer cancel()
	defer context.AfterFunc(open, cancel)()

	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	answer, refused := l.Answer(ctx, string(method), raw)
	if refused != nil {
		return nil, errors.New(refused.Message)
	}
	if raw, err = json.Marshal(answer); err != nil {
		return nil, err
	}
	result := new(T)
	return result, json.Unmarshal(raw, result)
}
