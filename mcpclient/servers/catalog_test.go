package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
)

// library is a server with prompts and resources, and a tool that makes it send notifications.
func library(t testing.TB) *server.MCPServer {
	s := server.NewMCPServer("library", "1.0", server.WithPromptCapabilities(true),
		server.WithResourceCapabilities(true, true), server.WithToolCapabilities(true))
	s.AddPrompt(mcp.NewPrompt("weather", mcp.WithPromptDescription("asks for the weather"),
		mcp.WithArgument("town", mcp.ArgumentDescription("where"), mcp.RequiredArgument()), mcp.WithArgument("day")),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if r.Params.Arguments["town"] == "" {
				return nil, errors.New("a town is needed, hunter22")
			}
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Weather in "+r.Params.Arguments["town"]+"? hunter22")),
				mcp.NewPromptMessage(mcp.RoleUser,
					mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "file:///map", Text: "the map"})),
				mcp.NewPromptMessage(mcp.RoleAssistant, mcp.NewImageContent("aW1n", "image/png")),
			}), nil
		})
	s.AddResource(mcp.NewResource("file:///notes.txt", "notes.txt", mcp.WithMIMEType("text/plain")),
		text("buy milk, hunter22"))
	s.AddResource(mcp.NewResource("no address", "odd"), text("odd"))
	s.AddResourceTemplate(mcp.NewResourceTemplate("town://{town}/{day}", "towns"),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return text("a town: "+r.Params.URI)(context.Background(), r)
		})
	s.AddTool(mcp.NewTool("tell"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var told []struct {
			Method string
			Params map[string]any
		}
		if err := json.Unmarshal([]byte(r.GetString("told", "")), &told); err != nil {
			return nil, err
		}
		for _, n := range told {
			_ = s.SendNotificationToClient(ctx, n.Method, n.Params)
		}
		return mcp.NewToolResultText("told"), nil
	})
	s.AddTool(mcp.NewTool("grow"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddPrompt(mcp.NewPrompt("grown"), nil)
		s.AddResource(mcp.NewResource("file:///grown", "grown"), text("grown"))
		return mcp.NewToolResultText("grown"), nil
	})
	return s
}

func text(said string) server.ResourceHandlerFunc {
	return func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: said}}, nil
	}
}

func offering(t *testing.T, servers ...mcpclient.Server) (*Set, *Board) {
	t.Helper()
	set, board := ready(t, servers...)
	for _, s := range servers {
		must(t, set.Offering(t.Context(), s.Name))
	}
	return set, board
}

func TestPrompts(t *testing.T) {
	set, _ := offering(t, mcpclient.Server{Name: "shop", Local: inner{MCPServer: workshop(t)}},
		mcpclient.Server{Name: "lib", Local: inner{MCPServer: library(t)}, Secrets: []string{"hunter22"}})
	prompts := set.Prompts()
	if len(prompts) != 1 || prompts[0].Server != "lib" || prompts[0].Name != "weather" || len(prompts[0].Arguments) != 2 ||
		!prompts[0].Arguments[0].Required || prompts[0].Arguments[1].Required ||
		prompts[0].Arguments[0].Description != "where" {
		t.Fatalf("%+v", prompts)
	}
	messages, err := set.Prompt(t.Context(), "lib", "weather", map[string]string{"town": "Bern"})
	if err != nil || len(messages) != 2 {
		t.Fatalf("%+v, %v", messages, err)
	}
	if m := messages[0]; m.Role != "user" || m.Text != "Weather in Bern? •••\n\n[resource: file:///map]\nthe map" {
		t.Errorf("what is said as the person: %+v", m)
	}
	if m := messages[1]; m.Role != "assistant" || len(m.Images) != 1 || string(m.Images[0]) != "img" {
		t.Errorf("what is said as the model: %+v", m)
	}
	for _, wrong := range []struct{ server, prompt, want string }{
		{"lib", "weather", "a town is needed, •••"},
		{"lib", "nothing", `server "lib" returned no prompt: error`},
		{"nobody", "weather", `no server "nobody"`},
	} {
		if _, err := set.Prompt(t.Context(), wrong.server, wrong.prompt, nil); err == nil ||
			!strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%s:%s: %v, want %q", wrong.server, wrong.prompt, err, wrong.want)
		}
	}
}

func TestResources(t *testing.T) {
	set, _ := offering(t,
		mcpclient.Server{Name: "lib", Local: inner{MCPServer: library(t)}, Secrets: []string{"hunter22"}})
	resources := set.Resources()
	if len(resources) != 2 || resources[0].URI != "file:///notes.txt" || resources[0].Template || !resources[1].Template {
		t.Fatalf("%+v", resources)
	}
	if c, err := set.Read(t.Context(), "lib", "file:///notes.txt"); err != nil || c.Text != "buy milk, •••" ||
		c.MIME != "text/plain" {
		t.Errorf("%+v, %v", c, err)
	}
	uri := "town://Bad%20Ems/1"
	if town := resources[1]; !town.Fits(uri) || town.Fits("file:///notes.txt") {
		t.Errorf("%s does not come from %s alone", uri, town.URI)
	}
	if c, err := set.Read(t.Context(), "lib", uri); err != nil || c.Text != "a town: "+uri {
		t.Errorf("%+v, %v", c, err)
	}
	for uri, want := range map[string]string{
		"file:///gone": `server "lib" returned no resource: `, "no address": `"no address" is not a resource address`,
	} {
		if _, err := set.Read(t.Context(), "lib", uri); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

func TestOfferingErrors(t *testing.T) {
	set, _ := started(t, Options{}, mcpclient.Server{Name: "gone", Command: "aloud-no-such-command"},
		mcpclient.Server{Name: "shop", Local: inner{MCPServer: workshop(t)}})
	err := set.Offering(t.Context(), "gone")
	if err == nil || !strings.Contains(err.Error(), `server "gone" is not available: `) {
		t.Errorf("%v", err)
	}
	if err := set.Offering(t.Context(), "nobody"); !errors.Is(err, mcpclient.ErrNoServer) {
		t.Errorf("%v", err)
	}
	if err := set.Offering(t.Context(), "shop"); err != nil {
		t.Errorf("%v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := set.Read(over, "shop", "file:///x"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestLongListsAreCut(t *testing.T) {
	s := server.NewMCPServer("long", "1", server.WithPromptCapabilities(true), server.WithResourceCapabilities(true, true))
	for i := range conn.MaxPrompts + 1 {
		s.AddPrompt(mcp.NewPrompt(fmt.Sprint("prompt", i)), nil)
	}
	for i := range conn.MaxTemplates + 1 {
		s.AddResourceTemplate(mcp.NewResourceTemplate(fmt.Sprintf("town%d://{x}", i), "town"), nil)
	}
	set, board := offering(t, mcpclient.Server{Name: "long", Local: inner{MCPServer: s}})
	if p, r := len(set.Prompts()), len(set.Resources()); p != conn.MaxPrompts || r != conn.MaxTemplates {
		t.Errorf("%d prompts, %d resources", p, r)
	}
	want := "long 1; only the first 1000 prompts were read; only the first 500 templates were read"
	if got := board.Servers()[0].Detail; got != want {
		t.Errorf("the board says %q, want %q", got, want)
	}
	s.DeletePrompts("prompt0")
	await(t, board, func(s []mcpclient.ServerStatus) bool {
		return s[0].Detail == "long 1; only the first 500 templates were read"
	})
}

func TestOffersOverHTTP(t *testing.T) {
	unchanged := func(h http.Handler) http.Handler { return h }
	for name, wrap := range map[string]func(http.Handler) http.Handler{"newest": unchanged, "legacy": onlyLegacy} {
		t.Run(name, func(t *testing.T) {
			lib := library(t)
			web := serveHTTP(t, wrap(server.NewStreamableHTTPServer(lib)))
			set, board := offering(t, mcpclient.Server{Name: "lib", URL: web})
			over, stop := context.WithCancel(t.Context())
			defer stop()
			go func() { // the stream may not be open yet, so send until one arrives
				for tick := time.NewTicker(20 * time.Millisecond); over.Err() == nil; <-tick.C {
					lib.SendNotificationToAllClients("notifications/prompts/list_changed", nil)
					lib.SendNotificationToAllClients("notifications/resources/list_changed", nil)
				}
			}()
			call(t, set, "lib__grow", "")
			await(t, board, func([]mcpclient.ServerStatus) bool { return len(set.Prompts()) == 2 && len(set.Resources()) == 3 })
			stop()
			if err := set.SwitchServer("lib", false); err != nil || len(set.Prompts()) != 0 || len(set.Resources()) != 0 {
				t.Errorf("switched off: %v, %+v", err, set.Prompts())
			}
		})
	}
}
