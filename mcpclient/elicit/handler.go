package elicit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/internal/netaddr"
	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// Handler answers the requests of one server, over one connection. Its exported fields must not change.
type Handler struct {
	Server  string                 // its name in the configuration
	Secrets secret.Hider           // hides secrets in the texts of requests
	Host    Host                   // nil declares no elicitation capability
	Roots   []Root                 // nil declares no roots capability
	Pause   func() (resume func()) // called around each request to the host

	asking atomic.Bool // an elicitation is open
	told   atomic.Bool // you were told that another was declined meanwhile
	muted  atomic.Bool // the host declines all further ones
}

// Capabilities returns the client capabilities to declare to the server.
func (h *Handler) Capabilities() mcp.ClientCapabilities {
	var declared mcp.ClientCapabilities
	if h.Roots != nil {
		declared.Roots = &struct {
			ListChanged bool `json:"listChanged,omitempty"`
		}{}
	}
	if h.Host != nil {
		declared.Elicitation = &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}
	}
	return declared
}

// declined is the result of an elicitation that was declined.
var declined = json.RawMessage(`{"action":"decline"}`)

func refusal(code int64, format string, values ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, values...)}
}

// handle returns the result of one request, or the error to send instead. It waits for the Host until ctx ends. For an
// elicitation the caller must have called begin.
func (h *Handler) handle(ctx context.Context, method mcp.MCPMethod, params json.RawMessage) (
	result any, refused *jsonrpc.Error,
) {
	defer func() {
		if p := recover(); p != nil {
			result, refused = nil, refusal(mcp.INTERNAL_ERROR, "the handler of %s crashed", method)
		}
	}()
	switch method {
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

func (h *Handler) elicit(ctx context.Context, params json.RawMessage) (any, *jsonrpc.Error) {
	e, err := h.readElicitation(params)
	if err != nil {
		return nil, refusal(mcp.INVALID_PARAMS, "%v", err)
	}
	got, err := h.askHost(ctx, e)
	if err != nil {
		return nil, refusal(mcp.INTERNAL_ERROR, "%v", err)
	}
	response := mcp.ElicitationResponse{Action: mcp.ElicitationResponseAction(got.Action)}
	if got.Action == Accept && e.URL == "" {
		if got.Content == nil {
			got.Content = map[string]any{}
		}
		response.Content = got.Content
	}
	return response, nil
}

// begin reports whether an elicitation may be handled now: not while another is open, or if all are declined. end must
// be called when the host has answered.
func (h *Handler) begin() bool {
	switch {
	case h.muted.Load():
		return false
	case h.asking.CompareAndSwap(false, true):
		return true
	}
	if host, ok := h.Host.(*Inbox); ok && h.told.CompareAndSwap(false, true) {
		host.notify("busy "+h.Server, "A request of server %q was declined because another of its requests is open", h.Server)
	}
	return false
}

func (h *Handler) end() { h.asking.Store(false) }

// askHost asks the host. The time limits of the server's calls are paused meanwhile.
func (h *Handler) askHost(ctx context.Context, e Elicitation) (Response, error) {
	defer h.Pause()()
	got, err := h.Host.Elicit(ctx, e)
	if got.Always {
		h.muted.Store(true)
	}
	return got, err
}

func (h *Handler) readElicitation(params json.RawMessage) (Elicitation, error) {
	var p struct { // mcp.ElicitationParams loses the order of the fields of a form, and rounds large numbers
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
	case mcp.ElicitationModeURL:
		u, err := url.Parse(p.URL)
		if err != nil || !netaddr.IsWeb(u) {
			return Elicitation{}, errors.New("url must be the address of a web page")
		}
		e.URL = p.URL
		return e, nil
	case "", mcp.ElicitationModeForm:
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
