package mcpclient

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

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
		set, _ := hosted(t, slow, Server{Name: "shop", Local: inner{MCPServer: office()}, ToolTimeout: time.Second})
		messages, err := set.Prompt(t.Context(), "shop", "asking", nil)
		if err != nil || len(messages) != 1 || messages[0].Text != "I was there" {
			t.Errorf("%+v, %v", messages, err)
		}
		set.Close()
	})
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
	}, Server{Name: "shop", Local: inner{MCPServer: office()}})
}

func TestPromptOfServerThatRequiresLogin(t *testing.T) {
	whole := &conn.Error{Kind: conn.ErrLoginNeeded, Text: `server "shop" needs a login: run it`}
	withFlaky(t, nil, func(t *testing.T, f *flaky) {
		f.refuse(whole)
		f.lose()
		if err := <-f.prompt("asking"); !errors.Is(err, conn.ErrLoginNeeded) || err.Error() != whole.Text {
			t.Errorf("it says %v", err)
		}
		if s := f.pass(0); s.State != ServerNeedsLogin {
			t.Errorf("it is %+v", s)
		}
	}, Server{Name: "shop", Local: inner{MCPServer: office()}})
}
