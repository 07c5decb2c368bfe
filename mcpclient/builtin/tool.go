package builtin

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// handler answers a call with text. Its error becomes a tool result.
type handler func(ctx context.Context, a arguments) (string, error)

// callTime is the time limit of every call.
const callTime = 45 * time.Second

// descriptions has what clients see of each server.
//
//go:embed *.json
var descriptions embed.FS

// protocol returns a server of the protocol. Calls end with ctx.
func (s *Server) protocol(ctx context.Context) *mcp.Server {
	var about struct {
		ServerInfo   *mcp.Implementation
		Capabilities *mcp.ServerCapabilities
		Tools        []*mcp.Tool
	}
	raw, err := s.about, error(nil)
	if raw == nil {
		raw, err = descriptions.ReadFile(s.name + ".json")
	}
	if err := errors.Join(err, json.Unmarshal(raw, &about)); err != nil {
		panic(err)
	}
	p := mcp.NewServer(about.ServerInfo, &mcp.ServerOptions{
		Capabilities: about.Capabilities,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	})
	for _, tool := range about.Tools {
		if answer, ok := s.answers[tool.Name]; ok {
			schema, _ := tool.InputSchema.(map[string]any)
			properties, _ := schema["properties"].(map[string]any)
			p.AddTool(tool, answer.until(ctx, slices.Sorted(maps.Keys(properties))))
		}
	}
	if s.root != nil {
		const about = "a file by its path in the folder"
		uri := s.uri(".") + "/{+path}"
		p.AddResourceTemplate(&mcp.ResourceTemplate{Name: "file", Description: about, URITemplate: uri}, s.resource)
	}
	p.AddReceivingMiddleware(s.receive)
	return p
}

// until returns a handler of the SDK for calls, which end with serving. known are the arguments of the tool.
func (h handler) until(serving context.Context, known []string) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		defer context.AfterFunc(serving, cancel)()
		a := parse(r.Params.Arguments)
		a.known = known
		a.basis, _ = r.Params.Meta[BasisKey].(string)
		a.picture = new([]byte)
		text, err := h(ctx, a)
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("not finished within %v. Request less", callTime)
		}
		if err != nil {
			text = err.Error()
		}
		result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: err != nil}
		if len(*a.picture) > 0 {
			result.Content = append(result.Content, &mcp.ImageContent{Data: *a.picture, MIMEType: "image/png"})
		}
		if errors.As(err, new(changed)) {
			result.Meta = mcp.Meta{ChangedKey: true}
		}
		return result, nil
	}
}

// receive refuses what the server does not declare, lists the resources, and turns panics into errors.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("%s panicked: %v", method, p)
			}
			if err != nil && !errors.As(err, new(*jsonrpc.Error)) {
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
			}
		}()
		kind, _, _ := strings.Cut(method, "/")
		if kind == "prompts" || kind == "logging" || kind == "resources" && s.root == nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound}
		}
		result, err = next(ctx, method, r)
		if list, ok := result.(*mcp.ListResourcesResult); ok && err == nil {
			list.Resources = s.resources(ctx)
		}
		return result, err
	}
}

// arguments are the arguments of a call. Weak models and clients send numbers and booleans as strings.
type arguments struct {
	values map[string]any
	known  []string // arguments of the tool
	basis  string   // what Preview returned, "" if the call has no preview

	picture *[]byte // set to add a PNG to the result
}

// parse returns no arguments if raw is not an object.
func parse(raw json.RawMessage) (a arguments) {
	_ = json.Unmarshal(raw, &a.values)
	return a
}

// text returns a required string.
func (a arguments) text(name string) (string, error) {
	if s, ok := a.values[name].(string); ok {
		return s, nil
	}
	return "", fmt.Errorf("the argument %q is missing or not a string", name)
}

// optional returns a string, "" if it is missing. It is not missing if it may have a wrong name: the tool would answer
// another question.
func (a arguments) optional(name string) (string, error) {
	if a.values[name] != nil {
		s, ok := a.values[name].(string)
		if !ok {
			return "", fmt.Errorf("the argument %q must be a string", name)
		}
		return s, nil
	}
	for _, other := range slices.Sorted(maps.Keys(a.values)) {
		if a.values[other] != nil && !slices.Contains(a.known, other) {
			return "", fmt.Errorf("unknown argument %q. Use \"%s\"", sanitize.Clip(other, 60),
				strings.Join(a.known, `", "`))
		}
	}
	return "", nil
}

func (a arguments) number(name string, otherwise int) int {
	if n, err := strconv.ParseFloat(fmt.Sprint(a.values[name]), 64); err == nil {
		return int(n)
	}
	return otherwise
}
