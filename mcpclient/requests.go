package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/mark3labs/mcp-go/mcp"
)

// answerer answers what one server asks, over whichever connection it asks. Nothing of it changes.
type answerer struct {
	server  string
	secrets secrets
	host    Host // nil: nobody
	samples bool
	roots   func() []Root       // nil: it is told of none, and not that it may ask
	begin   func() (end func()) // is called around each question to the host
}

func (s *Set) answerer(p *peer) *answerer {
	a := &answerer{
		server:  p.config.Name,
		secrets: p.secrets,
		host:    s.host,
		samples: s.host != nil && p.config.Sampling != SamplingDeny,
		begin: func() (end func()) {
			endOne, endAll := p.asking.begin(), s.asking.begin()
			return func() { endOne(); endAll() }
		},
	}
	if !p.config.NoRoots {
		a.roots = s.Roots
	}
	return a
}

// capabilities is what a server is told that it may ask for.
func (a *answerer) capabilities() (c mcp.ClientCapabilities) {
	if a.roots != nil {
		c.Roots = &struct {
			ListChanged bool `json:"listChanged,omitempty"`
		}{ListChanged: true}
	}
	if a.host != nil {
		c.Elicitation = &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}
	}
	if a.samples {
		c.Sampling = &mcp.SamplingCapability{}
	}
	return c
}

// Codes of answers that are none. The specification writes the first for a person who said no to a sampling.
const (
	codeRejected = -1
	codeTooMany  = -32000
)

func refusal(code int, format string, values ...any) *mcp.JSONRPCErrorDetails {
	return &mcp.JSONRPCErrorDetails{Code: code, Message: fmt.Sprintf(format, values...)}
}

// answer gives the result of one request, or why there is none. It waits for the Host as long as ctx lasts.
func (a *answerer) answer(ctx context.Context, method string, params json.RawMessage) (result any, refused *mcp.JSONRPCErrorDetails) {
	defer func() {
		if p := recover(); p != nil {
			result, refused = nil, refusal(mcp.INTERNAL_ERROR, "the answer to %s crashed", method)
		}
	}()
	switch mcp.MCPMethod(method) {
	case mcp.MethodPing:
		return struct{}{}, nil
	case mcp.MethodListRoots:
		if a.roots != nil {
			return a.listRoots(), nil
		}
	case mcp.MethodElicitationCreate:
		if a.host != nil {
			return a.elicit(ctx, params)
		}
	case mcp.MethodSamplingCreateMessage:
		if a.samples {
			return a.sample(ctx, params)
		}
	}
	return nil, refusal(mcp.METHOD_NOT_FOUND, "method not found: %s", method)
}

func (a *answerer) listRoots() any {
	type root struct {
		URI  string `json:"uri"`
		Name string `json:"name,omitempty"`
	}
	roots := []root{}
	for _, r := range a.roots() {
		roots = append(roots, root(r))
	}
	return map[string]any{"roots": roots}
}

func (a *answerer) elicit(ctx context.Context, params json.RawMessage) (any, *mcp.JSONRPCErrorDetails) {
	q, err := a.readElicitation(params)
	if err != nil {
		return nil, refusal(mcp.INVALID_PARAMS, "%v", err)
	}
	got, err := a.askPerson(ctx, q)
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

// askPerson puts a question to the host, while which the server's time stands still.
func (a *answerer) askPerson(ctx context.Context, q Elicitation) (got Elicited, err error) {
	defer a.begin()()
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the answer crashed")
		}
	}()
	return a.host.Elicit(ctx, q)
}

func (a *answerer) readElicitation(params json.RawMessage) (Elicitation, error) {
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
	q := Elicitation{Server: a.server, Message: a.secrets.Text(p.Message), ID: p.ID}
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
		q.Schema = a.secrets.JSON(p.Schema)
		return q, nil
	default:
		return Elicitation{}, fmt.Errorf("mode is %.40q; it must be form or url", p.Mode)
	}
}

// tellRoots tells the servers that the roots are others now, save those that were not told of any, and those that ask when they want to know,
// as since 2026-07-28 all do.
func (s *Set) tellRoots() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.peers {
		if p.conn == nil || s.closed || !p.conn.wire.offersRoots || p.conn.wire.modern() {
			continue
		}
		s.running.Go(p.conn.wire.tellRoots)
	}
}

func (w *wire) tellRoots() {
	ctx, stop := context.WithTimeout(context.Background(), cancelTimeout)
	defer stop()
	_ = w.SendNotification(ctx, notification("notifications/roots/list_changed", nil))
}

func notification(method string, fields map[string]any) mcp.JSONRPCNotification {
	return mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
		Method: method, Params: mcp.NotificationParams{AdditionalFields: fields},
	}}
}
