package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// office is a server with prompts: one hangs, one needs a page first, one fails with escape sequences.
func office() *server.MCPServer {
	s := server.NewMCPServer("office", "1", server.WithPromptCapabilities(true))
	s.AddPrompt(mcp.NewPrompt("hang"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		time.Sleep(10 * time.Hour) // runs in a bubble and ignores its context
		return nil, errors.New("too late")
	})
	var visited atomic.Bool
	s.AddPrompt(mcp.NewPrompt("asking"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if !visited.Swap(true) {
			return nil, mcp.URLElicitationRequiredError{Elicitations: []mcp.ElicitationParams{
				{Mode: "url", ElicitationID: "gate", URL: "https://example.com/gate", Message: "sign there"}}}
		}
		return mcp.NewGetPromptResult("",
			[]mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("I was there"))}), nil
	})
	s.AddPrompt(mcp.NewPrompt("hostile"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, errors.New("no\x1b[31m\nfile " + strings.Repeat("x", 1000))
	})
	return s
}

// prompt requests a prompt, and returns a channel with its error.
func (f *flaky) prompt(name string) <-chan error {
	failed := make(chan error, 1)
	go func() {
		_, err := f.set.Prompt(f.t.Context(), "shop", name, nil)
		failed <- err
	}()
	synctest.Wait()
	return failed
}

// TestTimeoutPausesWhileAsking checks that the timeout of a prompt is paused while the Host is asked.
func TestTimeoutPausesWhileAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := person{elicit: func(ctx context.Context, _ elicit.Elicitation) (elicit.Response, error) {
			select {
			case <-time.After(time.Hour):
				return elicit.Response{Action: elicit.Accept}, nil
			case <-ctx.Done():
				return elicit.Response{}, ctx.Err()
			}
		}}
		set, _ := hosted(t, slow, mcpclient.Server{Name: "shop", Local: inner{MCPServer: office()}, ToolTimeout: time.Second})
		messages, err := set.Prompt(t.Context(), "shop", "asking", nil)
		if err != nil || len(messages) != 1 || messages[0].Text != "I was there" {
			t.Errorf("%+v, %v", messages, err)
		}
		set.Close()
	})
}

// steady is a server whose tool reports progress every 0.8 seconds, in a number of steps. The token "own" means that of
// the call.
func steady() *server.MCPServer {
	s := server.NewMCPServer("steady", "1")
	s.AddTool(mcp.NewTool("work"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range r.GetInt("steps", 0) {
			time.Sleep(800 * time.Millisecond)
			token := mcp.ProgressToken(r.GetString("token", ""))
			if token == "own" {
				token = r.Params.Meta.ProgressToken
			}
			_ = s.SendNotificationToClient(ctx, "notifications/progress",
				map[string]any{"progressToken": token, "progress": i + 1})
		}
		return mcp.NewToolResultText("done"), nil
	})
	return s
}

func TestCallThatReportsProgressGoesOn(t *testing.T) {
	const silent = `tool "s__work" sent no result and no progress for 1s`
	for _, test := range []struct {
		steps int
		token string
		took  time.Duration
		want  string // the beginning of its result or error
	}{
		{steps: 5, token: "own", took: 4 * time.Second, want: "done"},
		{steps: 30, token: "own", took: 10 * time.Second, want: `tool "s__work" sent no result within 10s`},
		{steps: 5, token: "call-999", took: time.Second, want: silent},
		{steps: 5, token: "", took: time.Second, want: silent},
	} {
		synctest.Test(t, func(t *testing.T) {
			set, _ := ready(t, mcpclient.Server{Name: "s", Local: inner{MCPServer: steady()}, ToolTimeout: time.Second})
			began := time.Now()
			arguments := json.RawMessage(fmt.Sprintf(`{"steps":%d,"token":%q}`, test.steps, test.token))
			r, err := set.Call(t.Context(), mcpclient.Call{Tool: "s__work", Arguments: arguments}, nil)
			took := time.Since(began)
			if err != nil {
				r.Text = err.Error()
			}
			if !strings.HasPrefix(r.Text, test.want) || took != test.took {
				t.Errorf("%+v: %q after %v", test, r.Text, took)
			}
			time.Sleep(time.Hour) // until the tool has returned
		})
	}
}

func TestTurningServerOffEndsRequests(t *testing.T) {
	withFlaky(t, nil, func(t *testing.T, f *flaky) {
		hanging := f.prompt("hang")
		if err := f.set.SwitchServer("shop", false); err != nil {
			t.Error(err)
		}
		if err := <-hanging; err == nil || err.Error() != `server "shop" was turned off during the request` {
			t.Errorf("the prompt that was asked for: %v", err)
		}
		f.pass(24 * time.Hour) // until the request of the server has ended
	}, mcpclient.Server{Name: "shop", Local: inner{MCPServer: office()}})
}

func TestPromptOfServerThatRequiresLogin(t *testing.T) {
	whole := &conn.Error{Kind: mcpclient.ErrLoginNeeded, Text: `server "shop" needs a login: run it`}
	withFlaky(t, nil, func(t *testing.T, f *flaky) {
		f.refuse(whole)
		f.lose()
		if err := <-f.prompt("asking"); !errors.Is(err, mcpclient.ErrLoginNeeded) || err.Error() != whole.Text {
			t.Errorf("it says %v", err)
		}
		if s := f.pass(0); s.State != mcpclient.ServerNeedsLogin {
			t.Errorf("it is %+v", s)
		}
	}, mcpclient.Server{Name: "shop", Local: inner{MCPServer: office()}})
}
