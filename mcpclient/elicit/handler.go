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

// Handler answers the requests of one server, over any connection. Its fields must not change.
type Handler struct {
	Server  string                 // its name in the configuration
	Secrets secret.Hider           // hides secrets in the texts of requests
	Host    Host                   // nil declares no elicitation capability
	Roots   []Root                 // nil declares no roots capability
	Pause   func() (resume func()) // called around each request to the host
}

// Capabilities returns the client capabilities to declare to the server.
func (h *Handler) Capabilities() (c mcp.ClientCapabilities) {
	if h.Roots != nil {
		c.Roots = &struct {
			ListChanged bool `json:"listChanged,omitempty"`
		}{}
	}
	if h.Host != nil {
		c.Elicitation = &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}
	}
	return c
}

// CodeTooMany is the error code of a request that arrived while too many were open.
const CodeTooMany = -32000

func refusal(code int, format string, values ...any) *mcp.JSONRPCErrorDetails {
	return &mcp.JSONRPCErrorDetails{Code: code, Message: fmt.Sprintf(format, values...)}
}

// Handle returns the result of one request, or the error to send instead. It waits for the Host until ctx ends.
func (h *Handler) Handle(ctx context.Context, method string, params json.RawMessage) (
	result any, refused *mcp.JSONRPCErrorDetails,
) {
	defer func() {
		if p := recover(); p != nil {
			result, refused = nil, refusal(mcp.INTERNAL_ERROR, "the handler of %s crashed", method)
		}
	}()
	switch mcp.MCPMethod(method) {
	case mcp.MethodPing:
		return struct{}{}, nil
	case mcp.MethodListRoots:
		if h.Roots != nil {
			return map[string]any{"roots": h.Roots}, nil
		}
	case mcp.MethodElicitationCreate:
		if h.Host != nil {
			return h.elicit(ctx, params)
		}
	}
	return nil, refusal(mcp.METHOD_NOT_FOUND, "method not found: %s", method)
}

func (h *Handler) elicit(ctx context.Context, params json.RawMessage) (any, *mcp.JSONRPCErrorDetails) {
	e, err := h.readElicitation(params)
	if err != nil {
		return nil, refusal(mcp.INVALID_PARAMS, "%v", err)
	}
	got, err := h.askHost(ctx, e)
	if err != nil {
		return nil, refusal(mcp.INTERNAL_ERROR, "%v", err)
	}
	response := map[string]any{"action": got.Action}
	if got.Action == Accept && e.URL == "" {
		if got.Content == nil {
			got.Content = map[string]any{}
		}
		response["content"] = got.Content
	}
	return response, nil
}

// askHost asks the host. The time limits of the server's calls are paused meanwhile.
func (h *Handler) askHost(ctx context.Context, e Elicitation) (Response, error) {
	defer h.Pause()()
	return h.Host.Elicit(ctx, e)
}

func (h *Handler) readElicitation(params json.RawMessage) (Elicitation, error) {
	var p struct {
		Mode    string          `json:"mode"`
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
		URL     string          `json:"url"`
		ID      string          `json:"elicitationId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return Elicitation{}, errors.New("invalid elicitation parameters")
	}
	e := Elicitation{Server: h.Server, Message: h.Secrets.Text(p.Message), ID: p.ID}
	switch p.Mode {
	case "url":
		u, err := url.Parse(p.URL)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return Elicitation{}, errors.New("url must be the address of a web page")
		}
		e.URL = p.URL
		return e, nil
	case "", "form":
		var object map[string]json.RawMessage
		if json.Unmarshal(p.Schema, &object) != nil || object == nil {
			return Elicitation{}, errors.New("requestedSchema must be an object")
		}
		e.Schema = h.Secrets.JSON(p.Schema)
		return e, nil
	default:
		return Elicitation{}, fmt.Errorf("mode is %.40q: it must be form or url", p.Mode)
	}
}
