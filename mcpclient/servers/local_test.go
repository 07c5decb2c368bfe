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
)

// workshop is a server with a tool for each outcome. Handlers that hang end with the test.
func workshop(t testing.TB) *server.MCPServer {
	s := server.NewMCPServer("workshop", "1.0", server.WithToolCapabilities(true), server.WithRecovery())
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	add := func(name string, handler server.ToolHandlerFunc) {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription("does "+name), mcp.WithReadOnlyHintAnnotation(true)), handler)
	}
	add("echo", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(string(r.Params.RawArguments)), nil
	})
	add("fail", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("no such user"), nil
	})
	add("refuse", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("the database is on fire")
	})
	add("panic", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		panic("oh no")
	})
	add("hang", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-over // ignores even ctx
		return mcp.NewToolResultText("too late"), nil
	})
	add("count", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		flood(ctx, s, r)
		return mcp.NewToolResultText("done"), nil
	})
	add("grow", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		add("grown", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("I am new"), nil
		})
		return mcp.NewToolResultText("grown"), nil
	})
	return s
}

// flood sends 10,000 progress notifications.
func flood(ctx context.Context, s *server.MCPServer, r mcp.CallToolRequest) {
	for i := range 10_000 {
		_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": r.Params.Meta.ProgressToken, "progress": i + 1, "total": 10_000, "message": "counting"})
	}
}

// ready starts servers and waits for them.
func ready(t testing.TB, servers ...mcpclient.Server) (*Set, *Board) {
	t.Helper()
	return readyWith(t, Options{}, servers...)
}

// readyWith starts servers with options and waits for them.
func readyWith(t testing.TB, options Options, servers ...mcpclient.Server) (*Set, *Board) {
	t.Helper()
	set, board := started(t, options, servers...)
	must(t, set.Ready(t.Context()))
	return set, board
}

// started starts servers and ends them with the test.
func started(t testing.TB, options Options, servers ...mcpclient.Server) (*Set, *Board) {
	options.Board = &Board{}
	set := Start(t.Context(), servers, options)
	t.Cleanup(set.Close)
	return set, options.Board
}

func call(t *testing.T, set *Set, name, arguments string) mcpclient.Result {
	t.Helper()
	result, err := set.Call(t.Context(), mcpclient.Call{Tool: name, Arguments: json.RawMessage(arguments)}, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return result
}

// await waits until the board has the wanted statuses.
func await(t *testing.T, board *Board, wanted func([]mcpclient.ServerStatus) bool) []mcpclient.ServerStatus {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // only reached by a broken program
	defer cancel()
	for seen := 0; ; {
		servers, version, err := board.Wait(ctx, seen)
		if err != nil {
			t.Fatalf("the board never showed it: %+v", board.Servers())
		}
		if wanted(servers) {
			return servers
		}
		seen = version
	}
}

func TestToolsOfLocalServer(t *testing.T) {
	set, board := ready(t, mcpclient.Server{Name: "shop", Local: inner{MCPServer: workshop(t)}})
	if s := board.Servers()[0]; s.State != mcpclient.ServerReady || s.Tools != 7 || s.Detail != "workshop 1.0" {
		t.Errorf("the board says %+v", s)
	}
	var names []string
	for _, tool := range set.Tools() {
		names = append(names, tool.Name)
		if !tool.Trusted || !tool.ReadOnly || tool.Destructive || tool.Server != "shop" || !json.Valid(tool.Schema) {
			t.Errorf("%+v", tool)
		}
	}
	if got := strings.Join(names,
		" "); got != "shop__count shop__echo shop__fail shop__grow shop__hang shop__panic shop__refuse" {
		t.Errorf("tools: %s", got)
	}
}

func TestArgumentsArriveUnchanged(t *testing.T) {
	set, _ := ready(t, mcpclient.Server{Name: "shop", Local: inner{MCPServer: workshop(t)}})
	for sent, want := range map[string]string{
		`{"id":9007199254740993,"z":1,"a":[]}`: `{"id":9007199254740993,"z":1,"a":[]}`,
		``:                                     `{}`,
	} {
		if got := call(t, set, "shop__echo", sent).Text; got != want {
			t.Errorf("sent %s, arrived %s", sent, got)
		}
	}
}

func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := mcpclient.Server{Name: "shop", Local: inner{MCPServer: workshop(t)}, ToolTimeout: 20 * time.Millisecond}
		set, _ := ready(t, shop)
		if r := call(t, set, "shop__fail", ""); !r.Failed || r.Text != "no such user" {
			t.Errorf("a tool that says so: %+v", r)
		}
		for name, want := range map[string]string{
			"shop__refuse":  "the database is on fire",
			"shop__panic":   "oh no",
			"shop__hang":    "sent no result and no progress for 20ms",
			"shop__missing": `no tool "shop__missing"`,
		} {
			_, err := set.Call(t.Context(), mcpclient.Call{Tool: name}, nil)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", name, err, want)
			}
		}
		if got := call(t, set, "shop__echo", "{}").Text; got != "{}" {
			t.Errorf("after all that: %q", got)
		}
	})
}

func TestSecretsAreHidden(t *testing.T) {
	const secret = "hunter22"
	told := make(chan struct{})
	shop := server.NewMCPServer("shop "+secret, "1")
	tool := mcp.NewTool("tell", mcp.WithTitleAnnotation("Tell "+secret), mcp.WithDescription("tells "+secret),
		mcp.WithString("a", mcp.DefaultString(secret)))
	shop.AddTool(tool, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_ = shop.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": r.Params.Meta.ProgressToken, "progress": 1, "message": "with " + secret})
		<-told
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewResourceLink("file:///"+secret, "", "", "")}}, nil
	})
	set, board := ready(t, mcpclient.Server{Name: "shop", Local: inner{MCPServer: shop}, Secrets: []string{secret}})
	message := ""
	result, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__tell"}, func(p mcpclient.Progress) {
		message = p.Message
		close(told)
	})
	if err != nil || message != "with •••" {
		t.Errorf("progress %q, %v", message, err)
	}
	all := fmt.Sprintf("%+v %+v %+v", board.Servers(), result, set.Tools())
	for _, tool := range set.Tools() {
		all += string(tool.Schema)
	}
	if strings.Contains(all, secret) {
		t.Error(all)
	}
	set, _ = ready(t, mcpclient.Server{Name: "shop", Local: inner{MCPServer: workshop(t)},
		Secrets: []string{secret + "-and-more", secret, "no such user", "on fire"}})
	if got := call(t, set, "shop__echo", `{"a":"hunter22-and-more","b":"hunter22"}`).Text; got != `{"a":"•••","b":"•••"}` {
		t.Errorf("a result: %s", got)
	}
	if got := call(t, set, "shop__fail", `{}`).Text; got != "•••" {
		t.Errorf("a failed result: %s", got)
	}
	_, err = set.Call(t.Context(), mcpclient.Call{Tool: "shop__refuse"}, nil)
	if err == nil || strings.Contains(err.Error(), "on fire") {
		t.Errorf("an error: %v", err)
	}
}

func TestCancelledCallReturnsSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, _ := ready(t, mcpclient.Server{Name: "shop", Local: inner{MCPServer: workshop(t)}})
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		time.AfterFunc(time.Second, cancel)
		_, err := set.Call(ctx, mcpclient.Call{Tool: "shop__hang"}, nil)
		if !errors.Is(err, context.Canceled) || errors.Is(err, mcpclient.ErrUnconfirmed) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
		_, err = set.Call(t.Context(), mcpclient.Call{Tool: "shop__hang"}, nil)
		if err == nil || time.Since(began) != time.Second+defaultToolTimeout {
			t.Errorf("without a limit of its own: %v after %v", err, time.Since(began))
		}
	})
}

func TestTurningToolsOff(t *testing.T) {
	set, _ := ready(t, mcpclient.Server{Name: "shop", Local: inner{MCPServer: workshop(t)},
		EnabledTools: []string{"e*", "fail", "hang"}, DisabledTools: []string{"ha*"}})
	set.Enable("shop", "fail", false)
	if tools := set.Tools(); len(tools) != 1 || tools[0].Name != "shop__echo" {
		t.Errorf("offered: %+v", tools)
	}
	tools, on := set.AllTools()
	if len(tools) != 2 || !on[0] || on[1] {
		t.Errorf("all: %+v %v", tools, on)
	}
	for name, want := range map[string]string{"shop__fail": "is off", "shop__hang": "no tool"} {
		_, err := set.Call(t.Context(), mcpclient.Call{Tool: name}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	set.Enable("shop", "fail", true)
	if r := call(t, set, "shop__fail", ""); !r.Failed {
		t.Errorf("switched on again: %+v", r)
	}
}

func TestToolNames(t *testing.T) {
	odd := func(tools ...string) *server.MCPServer {
		s := server.NewMCPServer("odd", "1")
		for _, name := range tools {
			s.AddTool(mcp.NewTool(name), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return mcp.NewToolResultText("I am " + name), nil
			})
		}
		return s
	}
	long := strings.Repeat("very_", 20)
	set, _ := ready(t,
		mcpclient.Server{Name: "a", Local: inner{MCPServer: odd("x.y", "x_y", "x y", long+"1", long+"2", "日本", "b__c")}},
		mcpclient.Server{Name: "a__b", Local: inner{MCPServer: odd("c")}})
	seen := map[string]bool{}
	for _, tool := range set.Tools() {
		if seen[tool.Name] || len(tool.Name) > maxName || tool.Name != cleanName(tool.Name) {
			t.Errorf("the name %q is not good for a tool", tool.Name)
		}
		seen[tool.Name] = true
		if got := call(t, set, tool.Name, "").Text; got != "I am "+tool.ServerTool {
			t.Errorf("%s: %q, wanted that of %q", tool.Name, got, tool.ServerTool)
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d tools", len(seen))
	}
}

func TestFailedServerAffectsNoOther(t *testing.T) {
	set, board := started(t, Options{},
		mcpclient.Server{Name: "gone", Command: "aloud-there-is-no-such-command", Required: true},
		mcpclient.Server{Name: "nowhere"},
		mcpclient.Server{Name: "resting", Disabled: true, Required: true},
		mcpclient.Server{Name: "shop", Local: inner{MCPServer: workshop(t)}, Required: true})
	err := set.Ready(t.Context())
	want := `cannot start required server "gone": `
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("Ready: %v", err)
	}
	var states []string
	for _, s := range board.Servers() {
		states = append(states, fmt.Sprint(s.Name, " ", s.State))
	}
	if got := strings.Join(states, ", "); got != "gone failed, nowhere failed, resting off, shop ready" {
		t.Errorf("board: %s", got)
	}
	if settled, all, _ := set.Starting(); settled != 3 || all != 3 {
		t.Errorf("%d of %d settled", settled, all)
	}
	if got := call(t, set, "shop__echo", `{"a":1}`).Text; got != `{"a":1}` {
		t.Errorf("the healthy one says %q", got)
	}
}

// gated is a server that blocks in its handshake until the gate opens.
func gated(gate <-chan struct{}, arrived *atomic.Int32) *server.MCPServer {
	hooks := &server.Hooks{}
	hooks.AddBeforeInitialize(func(context.Context, any, *mcp.InitializeRequest) {
		arrived.Add(1)
		<-gate
	})
	return server.NewMCPServer("gated", "1", server.WithHooks(hooks))
}

func TestServersStartConcurrently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, arrived := make(chan struct{}), &atomic.Int32{}
		var servers []mcpclient.Server
		for i := range 6 {
			servers = append(servers, mcpclient.Server{Name: fmt.Sprint("s", i), Local: inner{MCPServer: gated(gate, arrived)}})
		}
		set, _ := started(t, Options{}, servers...)
		synctest.Wait()
		if settled, all, _ := set.Starting(); arrived.Load() != 6 || settled != 0 || all != 6 {
			t.Errorf("%d start at once, %d of %d settled", arrived.Load(), settled, all)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := set.Ready(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Ready while none is: %v", err)
		}
		close(gate)
		if err := set.Ready(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAddedServerIsLikeTheOthers(t *testing.T) {
	set, board := ready(t, mcpclient.Server{Name: "shop", Local: inner{MCPServer: workshop(t)}})
	set.Add(mcpclient.Server{Name: "late", Local: inner{MCPServer: workshop(t)}})
	must(t, set.Ready(t.Context()))
	if all := board.Servers(); len(all) != 2 || all[1].Name != "late" || all[1].State != mcpclient.ServerReady {
		t.Errorf("the board says %+v", all)
	}
	if got := call(t, set, "late__echo", `{"a":1}`); !strings.Contains(got.Text, `"a":1`) {
		t.Errorf("the added server answers %q", got.Text)
	}
	set.Close()
	set.Add(mcpclient.Server{Name: "later", Local: inner{MCPServer: workshop(t)}})
	if all := board.Servers(); len(all) != 2 {
		t.Errorf("a server was added after the end: %+v", all)
	}
}
