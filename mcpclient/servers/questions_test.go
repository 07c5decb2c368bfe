package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/mcptest"
)

// beNosy is a server that sends the number of requests in its arguments at once, cancels them if asked to, and returns
// the responses. It reports progress once all requests but one are declined, because then all were read.
func beNosy() {
	var call mcptest.Message
	var ask struct {
		Times    int    `json:"times"`
		Method   string `json:"method"`
		TakeBack bool   `json:"take_back"`
		Leave    bool   `json:"leave"` // does not wait for the responses
	}
	counts := map[string]int{}
	serveProcess(func(m mcptest.Message, send func(string)) string {
		switch m.Method {
		case "tools/list":
			return m.Tools(`{"name":"ask"}`)
		case "tools/call":
			call, counts = m, map[string]int{}
			_ = json.Unmarshal(m.Params.Arguments, &ask)
			for i := range ask.Times {
				send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":%q,"params":{"message":"m","requestedSchema":{}}}`, i,
					ask.Method))
				if ask.TakeBack {
					send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q%d"}}`, i))
				}
			}
			if ask.TakeBack || ask.Leave {
				return m.Text("nothing")
			}
			return ""
		case "":
			return heard(call, m, counts, ask.Times, send)
		}
		return m.Usual()
	})
}

// heard counts a response. It returns the result of the call after the last one.
func heard(call, m mcptest.Message, counts map[string]int, times int, send func(string)) string {
	var r struct {
		Action string
		Code   int
	}
	_, _ = json.Unmarshal(m.Result, &r), json.Unmarshal(m.Error, &r) // one of them is missing
	counts[fmt.Sprintf("%s%d", r.Action, r.Code)]++
	if counts["decline0"] == times-1 && r.Action != "" {
		send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`,
			call.Params.Meta.Token))
	}
	var all []string
	sum := 0
	for what, n := range counts {
		all = append(all, fmt.Sprintf("%s: %d", what, n))
		sum += n
	}
	if sum < times {
		return ""
	}
	slices.Sort(all)
	return call.Text(strings.Join(all, ", "))
}

func TestOneElicitationAtATime(t *testing.T) {
	var asked atomic.Int32
	enough := make(chan struct{})
	set, _ := hosted(t, person{elicit: func(context.Context, elicit.Elicitation) (elicit.Response, error) {
		asked.Add(1)
		<-enough
		return elicit.Response{Action: elicit.Accept}, nil
	}}, acting("nosy"))
	read := sync.OnceFunc(func() { close(enough) })
	arguments := json.RawMessage(`{"times":50,"method":"elicitation/create"}`)
	asking := mcpclient.Call{Tool: "nosy__ask", Arguments: arguments}
	result, err := set.Call(t.Context(), asking, func(mcpclient.Progress) { read() })
	must(t, err)
	if want := "accept0: 1, decline0: 49"; result.Text != want || asked.Load() != 1 {
		t.Errorf("the server heard %q, want %q, and the host was asked %d times", result.Text, want, asked.Load())
	}
}

func TestFailedResponses(t *testing.T) {
	set, _ := hosted(t, person{
		elicit: func(context.Context, elicit.Elicitation) (elicit.Response, error) { panic("oh no") },
	}, acting("nosy"))
	for method, want := range map[string]string{
		"elicitation/create":     "-32603: 1", // the program continues
		"sampling/createMessage": "-32601: 3", // deprecated and not supported
		"tasks/eat":              "-32601: 3",
		"ping":                   "0: 3",
	} {
		times := want[len(want)-1:]
		if got := call(t, set, "nosy__ask", fmt.Sprintf(`{"times":%s,"method":%q}`, times, method)).Text; got != want {
			t.Errorf("%s: the server heard %q, want %q", method, got, want)
		}
	}
}

// patient never answers. It reports when an elicitation begins and ends.
func patient() (host elicit.Host, asked, ended <-chan struct{}) {
	begun, over := make(chan struct{}, 1), make(chan struct{}, 1)
	return person{elicit: func(ctx context.Context, _ elicit.Elicitation) (elicit.Response, error) {
		begun <- struct{}{}
		<-ctx.Done()
		over <- struct{}{}
		return elicit.Response{}, ctx.Err()
	}}, begun, over
}

func TestServerCancelsElicitation(t *testing.T) {
	host, _, ended := patient()
	set, _ := hosted(t, host, acting("nosy"))
	call(t, set, "nosy__ask", `{"times":1,"method":"elicitation/create","take_back":true}`)
	<-ended
}

func TestElicitationEndsWithCall(t *testing.T) {
	for name, s := range map[string]mcpclient.Server{
		"stdio":  acting("nosy"),
		"legacy": {URL: serveHTTP(t, onlyLegacy(server.NewStreamableHTTPServer(asker(), server.WithStateful(true))))},
		"newest": {URL: serveHTTP(t, server.NewStreamableHTTPServer(asker()))},
	} {
		t.Run(name, func(t *testing.T) {
			s.Name = "s"
			host, asked, ended := patient()
			set, _ := hosted(t, host, s)
			ctx, cancel := context.WithCancel(t.Context())
			over := make(chan error)
			go func() {
				tool := map[bool]string{true: "s__ask_first", false: "s__ask"}[name == "newest"]
				arguments := json.RawMessage(`{"times":1,"method":"elicitation/create"}`)
				_, err := set.Call(ctx, mcpclient.Call{Tool: tool, Arguments: arguments}, nil)
				over <- err
			}()
			<-asked
			cancel()
			if err := <-over; !errors.Is(err, context.Canceled) {
				t.Errorf("the call ended with %v", err)
			}
			<-ended
		})
	}
}

func TestElicitationEndsWithConnection(t *testing.T) {
	host, asked, ended := patient()
	set, _ := hosted(t, host, acting("nosy"))
	call(t, set, "nosy__ask", `{"times":1,"method":"elicitation/create","leave":true}`)
	<-asked
	select {
	case <-ended:
		t.Error("the question ended with the call")
	default:
	}
	set.Close()
	<-ended
}

// tollgate is a server whose tool requires a page first. visited marks that as done.
func tollgate() (s *server.MCPServer, visited func(tell bool)) {
	s = server.NewMCPServer("gated", "1.0", server.WithElicitation())
	var mu sync.Mutex
	open := false
	s.AddTool(mcp.NewTool("enter"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		mu.Lock()
		defer mu.Unlock()
		if open {
			return mcp.NewToolResultText("welcome"), nil
		}
		return nil, mcp.URLElicitationRequiredError{Elicitations: []mcp.ElicitationParams{
			{Mode: "url", ElicitationID: "gate", URL: "https://example.com/gate", Message: "sign there"}}}
	})
	return s, func(tell bool) {
		mu.Lock()
		open = true
		mu.Unlock()
		if tell {
			s.SendNotificationToAllClients("notifications/elicitation/complete", map[string]any{"elicitationId": "gate"})
		}
	}
}

func TestPageBeforeCall(t *testing.T) {
	for name, test := range map[string]struct {
		action elicit.Action // how you respond to the page
		tells  bool          // the server reports when the visit is complete
		done   elicit.Action // the response after that; "" for none
		want   string
		asked  int
	}{
		"the server tells": {action: elicit.Accept, tells: true, want: "welcome", asked: 2},
		"the person tells": {action: elicit.Accept, done: elicit.Accept, want: "welcome", asked: 2},
		"not now":          {action: elicit.Decline, want: "-32042", asked: 1},
		"not there":        {action: elicit.Accept, done: elicit.Cancel, want: "-32042", asked: 2},
	} {
		t.Run(name, func(t *testing.T) {
			s, visited := tollgate()
			asked := 0
			set, _ := hosted(t, person{elicit: func(ctx context.Context, q elicit.Elicitation) (elicit.Response, error) {
				asked++
				switch {
				case q.URL == "https://example.com/gate" && q.Message == "sign there" && q.Server == "s":
					if test.action == elicit.Accept {
						visited(test.tells)
					}
					return elicit.Response{Action: test.action}, nil
				case test.done == "":
					<-ctx.Done()
					return elicit.Response{}, ctx.Err()
				}
				return elicit.Response{Action: test.done}, nil
			}}, mcpclient.Server{Name: "s", Local: inner{MCPServer: s}})
			result, err := set.Call(t.Context(), mcpclient.Call{Tool: "s__enter"}, nil)
			if got := fmt.Sprint(result.Text, err); !strings.Contains(got, test.want) || asked != test.asked {
				t.Errorf("after %d questions: %s", asked, got)
			}
		})
	}
}
