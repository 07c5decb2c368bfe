package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// asker is a server with a tool that sends every kind of request, and returns the responses.
func asker() *server.MCPServer {
	s := server.NewMCPServer("asker", "1.0", server.WithElicitation(), server.WithRoots())
	form := mcp.ElicitationParams{Message: "Who are you?", RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}}
	page := mcp.ElicitationParams{Mode: "url", Message: "Look there", URL: "https://example.com/go", ElicitationID: "p1"}

	s.AddTool(mcp.NewTool("ask"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		roots, err := s.RequestRoots(ctx, mcp.ListRootsRequest{})
		if err != nil {
			return nil, fmt.Errorf("roots: %w", err)
		}
		filled, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: form})
		if err != nil {
			return nil, fmt.Errorf("form: %w", err)
		}
		visited, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: page})
		if err != nil {
			return nil, fmt.Errorf("page: %w", err)
		}
		return toldBack(roots, filled, visited), nil
	})
	s.AddTool(mcp.NewTool("ask_first"), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		wanted := mcp.InputRequests{
			"a": mcp.NewRootsInputRequest(), "b": mcp.NewElicitationInputRequest(form),
			"c": mcp.NewElicitationInputRequest(page),
		}
		got := r.Params.InputResponses
		if got == nil {
			first := &mcp.CallToolResult{MultiRoundTripResult: mcp.MultiRoundTripResult{InputRequests: wanted,
				RequestState: "s\"1"}}
			first.ResultType = mcp.ResultTypeInputRequired
			return first, nil
		}
		if r.Params.RequestState != "s\"1" {
			return nil, fmt.Errorf("the state came back as %q", r.Params.RequestState)
		}
		if err := got.DecodeFor(wanted); err != nil {
			return nil, err
		}
		return toldBack(got["a"].Roots, got["b"].Elicitation, got["c"].Elicitation), nil
	})
	return s
}

func toldBack(roots *mcp.ListRootsResult, filled, visited *mcp.ElicitationResult) *mcp.CallToolResult {
	content, _ := json.Marshal([]any{roots.Roots, filled.Action, filled.Content, visited.Action, visited.Content})
	return mcp.NewToolResultText(string(content))
}

// person is a Host that calls a function of the test.
type person struct {
	elicit func(context.Context, elicit.Elicitation) (elicit.Response, error)
}

func (p person) Elicit(ctx context.Context, q elicit.Elicitation) (elicit.Response, error) {
	return p.elicit(ctx, q)
}

// ada accepts every elicitation and records it.
type ada struct {
	mu    sync.Mutex
	asked []string
}

func (a *ada) note(format string, values ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, fmt.Sprintf(format, values...))
}

func (a *ada) Elicit(ctx context.Context, q elicit.Elicitation) (elicit.Response, error) {
	if _, limited := ctx.Deadline(); limited {
		return elicit.Response{}, errors.New("a person was given a time to answer")
	}
	if q.URL != "" {
		a.note("%s: %s %s %s", q.Server, q.Message, q.URL, q.ID)
		return elicit.Response{Action: elicit.Accept, Content: map[string]any{"never": "sent"}}, nil
	}
	a.note("%s: %s %s", q.Server, q.Message, q.Schema)
	return elicit.Response{Action: elicit.Accept, Content: map[string]any{"name": "Ada"}}, nil
}

// hosted starts servers for a host and waits for them.
func hosted(t *testing.T, host elicit.Host, servers ...mcpclient.Server) (*Set, *Board) {
	t.Helper()
	roots := []elicit.Root{{URI: "file:///home/ada", Name: "home"}}
	return readyWith(t, Options{Host: host, Roots: roots}, servers...)
}

func TestServerRequests(t *testing.T) {
	legacy := serveHTTP(t, onlyLegacy(server.NewStreamableHTTPServer(asker(), server.WithStateful(true))))
	newest := serveHTTP(t, server.NewStreamableHTTPServer(asker()))
	for name, s := range map[string]mcpclient.Server{
		"ask":       acting("asking"),
		"asking":    {URL: legacy},
		"ask_first": {URL: newest},
	} {
		tool := "ask"
		if name == "ask_first" {
			tool = name
		}
		t.Run(name, func(t *testing.T) {
			s.Name = "s"
			host := &ada{}
			set, _ := hosted(t, host, s)
			want := `[[{"name":"home","uri":"file:///home/ada"}],"accept",{"name":"Ada"},"accept",null]`
			var got []any
			text := call(t, set, "s__"+tool, "").Text
			_ = json.Unmarshal([]byte(text), &got)
			if sorted, _ := json.Marshal(got); string(sorted) != want {
				t.Errorf("the server heard %s", text)
			}
			asked := strings.Join(host.asked, "\n")
			if asked != `s: Who are you? {"properties":{"name":{"type":"string"}},"type":"object"}
s: Look there https://example.com/go p1` {
				t.Errorf("the person was asked:\n%s", asked)
			}
		})
	}
}

func TestCapabilities(t *testing.T) {
	for name, test := range map[string]struct {
		host    elicit.Host
		noRoots bool
		want    string
	}{
		"nobody":   {nil, false, `"roots":{}}`},
		"no roots": {&ada{}, true, `"elicitation":{"form":{},"url":{}}`},
		"all":      {&ada{}, false, `"elicitation":{"form":{},"url":{}}`},
	} {
		var mu sync.Mutex
		var told string
		shop := onlyLegacy(server.NewStreamableHTTPServer(asker()))
		place := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			if strings.Contains(string(body), `"method":"initialize"`) {
				told = string(body)
			}
			mu.Unlock()
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			shop.ServeHTTP(w, r)
		}))
		hosted(t, test.host, mcpclient.Server{Name: "s", URL: place, NoRoots: test.noRoots})
		mu.Lock()
		if !strings.Contains(told, test.want) || strings.Contains(told, "sampling") ||
			strings.Contains(told, "elicitation") != (name != "nobody") ||
			strings.Contains(told, "roots") == test.noRoots {
			t.Errorf("%s: the server was told %s", name, told)
		}
		mu.Unlock()
	}
}
