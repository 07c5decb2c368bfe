package elicit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/secret"
)

// Answerer answers the questions of one server, over any connection. Its fields must not change.
type Answerer struct {
	Server  string              // its name in the configuration
	Secrets secret.Hider        // are hidden in what it asks
	Host    Host                // nil if there is none
	Roots   []Root              // nil: it is told of none, and not that it may ask
	Begin   func() (end func()) // is called around each question to the host
}

// Capabilities are those that a server is offered.
func (a *Answerer) Capabilities() (c mcp.ClientCapabilities) {
	if a.Roots != nil {
		c.Roots = &struct {
			ListChanged bool `json:"listChanged,omitempty"`
		}{}
	}
	if a.Host != nil {
		c.Elicitation = &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}
	}
	return c
}

// CodeTooMany is the error code of a question that came while too many were open.
const CodeTooMany = -32000

func refusal(code int, format string, values ...any) *mcp.JSONRPCErrorDetails {
	return &mcp.JSONRPCErrorDetails{Code: code, Message: fmt.Sprintf(format, values...)}
}

// Answer gives the result of one request, or why there is none. It waits for the Host as long as ctx lasts.
func (a *Answerer) Answer(ctx context.Context, method string, params json.RawMessage) (result any, refused *mcp.JSONRPCErrorDetails) {
	defer func() {
		if p := recover(); p != nil {
			result, refused = nil, refusal(mcp.INTERNAL_ERROR, "the answer to %s crashed", method)
		}
	}()
	switch mcp.MCPMethod(method) {
	case mcp.MethodPing:
		return struct{}{}, nil
	case mcp.MethodListRoots:
		if a.Roots != nil {
			return map[string]any{"roots": a.Roots}, nil
		}
	case mcp.MethodElicitationCreate:
		if a.Host != nil {
			return a.elicit(ctx, params)
		}
	}
	return nil, refusal(mcp.METHOD_NOT_FOUND, "method not found: %s", method)
}

func (a *Answerer) elicit(ctx context.Context, params json.RawMessage) (any, *mcp.JSONRPCErrorDetails) {
	q, err := a.readElicitation(params)
	if err != nil {
		return nil, refusal(mcp.INVALID_PARAMS, "%v", err)
	}
	got, err := a.askHost(ctx, q)
	if err != nil {
		return nil, refusal(mcp.INTERNAL_ERROR, "%v", err)
	}
	answer := map[string]any{"action": got.Action}
	if got.Action == Accept && q.URL == "" {
		if got.Content == nil {
			got.Content = map[string]any{}
		}
		answer["content"] = got.Content
	}
	return answer, nil
}

// askHost asks the host. The server's time stands still meanwhile.
func (a *Answerer) askHost(ctx context.Context, q Elicitation) (Elicited, error) {
	defer a.Begin()()
	return a.Host.Elicit(ctx, q)
}

func (a *Answerer) readElicitation(params json.RawMessage) (Elicitation, error) {
	var p struct {
		Mode    string          `json:"mode"`
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
		URL     string          `json:"url"`
		ID      string          `json:"elicitationId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return Elicitation{}, errors.New("the parameters are not those of an elicitation")
	}
	q := Elicitation{Server: a.Server, Message: a.Secrets.Text(p.Message), ID: p.ID}
	switch p.Mode {
	case "url":
		place, err := url.Parse(p.URL)
		if err != nil || place.Host == "" || place.Scheme != "https" && place.Scheme != "http" {
			return Elicitation{}, errors.New("url must be the address of a web page")
		}
		q.URL = p.URL
		return q, nil
	case "", "form":
		var object map[string]json.RawMessage
		if json.Unmarshal(p.Schema, &object) != nil || object == nil {
			return Elicitation{}, errors.New("requestedSchema must be an object")
		}
		q.Schema = a.Secrets.JSON(p.Schema)
		return q, nil
	default:
		return Elicitation{}, fmt.Errorf("mode is %.40q; it must be form or url", p.Mode)
	}
}
