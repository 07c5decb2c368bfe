package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// clerk is a server that does its work as tasks, in a synctest bubble. What it answers to requests about them is a test's.
type clerk struct {
	answer func(ctx context.Context, method string, asked int) (string, error) // asked counts the requests of that method, from 1
	deaf   bool                                                                // to what is cancelled

	mu    sync.Mutex
	asked map[string]int
	ids   []string // of the tasks that were asked about
	told  []string // notifications
}

const tasksOfTools = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"clerk","version":"1"}}`

func (c *clerk) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	c.mu.Lock()
	c.asked[r.Method]++
	asked := c.asked[r.Method]
	params, _ := json.Marshal(r.Params)
	if strings.HasPrefix(r.Method, "tasks/") {
		c.ids = append(c.ids, string(params))
	}
	c.mu.Unlock()
	var text string
	var err error
	switch r.Method {
	case "initialize":
		text = tasksOfTools
	case "tools/list":
		text = `{"tools":[{"name":"slow","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}},{"name":"plain","inputSchema":{"type":"object"}}]}`
	case "tools/call":
		if strings.Contains(string(params), `"slow"`) != strings.Contains(string(params), `"task":{"ttl":3600000}`) {
			return nil, fmt.Errorf("called with %s", params)
		}
		fallthrough
	default:
		text, err = c.answer(ctx, r.Method, asked)
	}
	if text == "session over" {
		err = transport.ErrSessionTerminated
	}
	if err != nil {
		return nil, err
	}
	response := &transport.JSONRPCResponse{JSONRPC: "2.0", ID: r.ID}
	if why, ok := strings.CutPrefix(text, "error: "); ok {
		response.Error = &mcp.JSONRPCErrorDetails{Code: -32000, Message: why}
		return response, nil
	}
	response.Result = json.RawMessage(text)
	return response, nil
}

func (c *clerk) SendNotification(_ context.Context, n mcp.JSONRPCNotification) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, n.Method)
	if c.deaf && n.Method == "notifications/cancelled" {
		return errors.New("nobody listens")
	}
	return nil
}

func (c *clerk) Start(context.Context) error                                  { return nil }
func (c *clerk) SetNotificationHandler(handler func(mcp.JSONRPCNotification)) {}
func (c *clerk) Close() error                                                 { return nil }
func (c *clerk) GetSessionId() string                                         { return "" } //nolint:staticcheck // the interface's name
func (c *clerk) connect(ctx, life context.Context, config Server, a *elicit.Answerer) (*conn.Conn, error) {
	config.Protocol = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	return conn.Over(ctx, life, conn.Line{Transport: c, Questions: elicit.New(a)}, placeOf(config))
}

// withClerk calls a tool of a clerk's.
func withClerk(t *testing.T, c *clerk, tool string, limit time.Duration, story func(result Result, err error, said []string, took time.Duration)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c.asked = map[string]int{}
		set := Start(t.Context(), []Server{{Name: "clerk", Command: "clerk"}}, Options{Board: &Board{}, connect: c.connect})
		defer set.Close()
		if err := set.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if limit > 0 {
			time.AfterFunc(limit, cancel)
		}
		began := time.Now()
		var said []string
		result, err := set.Call(ctx, "clerk__"+tool, nil, func(p Progress) { said = append(said, p.Message) })
		took := time.Since(began)
		synctest.Wait()
		story(result, err, said, took)
	})
}

// script answers the requests of each method in turn; the last answer stays.
func script(answers map[string][]string) func(context.Context, string, int) (string, error) {
	return func(ctx context.Context, method string, asked int) (string, error) {
		given := answers[method]
		if len(given) == 0 {
			<-ctx.Done()
			return "", ctx.Err()
		}
		return given[min(asked, len(given))-1], nil
	}
}

const (
	begun   = `{"task":{"taskId":"t1","status":"working","statusMessage":"Reading","createdAt":"","ttl":null,"pollInterval":2000}}`
	writing = `{"taskId":"t1","status":"working","statusMessage":"Writing","pollInterval":0.001}`
	done    = `{"taskId":"t1","status":"completed"}`
	report  = `{"content":[{"type":"text","text":"The report."}]}`
)

func TestACallThatIsATask(t *testing.T) {
	const (
		cancelled = `{"taskId":"t1","status":"cancelled"}`
		asks      = `{"status":"input_required","statusMessage":"Which?"}`
		busy      = "error: busy"
		oddly     = `{"status":"working","pollInterval":"500"}`
		noResult  = `the server "clerk" gave no result: `
	)
	for name, c := range map[string]struct {
		call, get, result []string // the answers; the last one stays
		cancel            string
		text              string
		failed            bool
		err               string
		said              []string
		gets              int // requests; 0 means any
	}{
		"to its end":         {get: []string{writing, done}, result: []string{report}, text: "The report.", said: []string{"Reading", "Writing"}, gets: 2},
		"done at once":       {call: []string{`{"task":{"taskId":"t1","status":"completed"}}`}, result: []string{report}, text: "The report."},
		"which is none":      {call: []string{report}, text: "The report."},
		"that asks":          {get: []string{asks}, result: []string{report}, text: "The report.", said: []string{"Reading", "Which?"}},
		"that failed":        {get: []string{`{"status":"failed","statusMessage":"No paper."}`}, result: []string{"error: failed"}, text: "No paper.", failed: true, said: []string{"Reading", "No paper."}},
		"failed by a result": {get: []string{`{"status":"failed"}`}, result: []string{report}, text: "The report.", failed: true, said: []string{"Reading"}},
		"cancelled there":    {get: []string{`{"status":"cancelled","statusMessage":"Closing time"}`}, result: []string{report}, err: "it cancelled the task itself: Closing time"},
		"in disorder":        {get: []string{`{"status":7}`}, cancel: cancelled, err: "it does not say how its task is"},
		"without a result":   {get: []string{done}, result: []string{"error: lost"}, err: "it answered with error -32000: lost"},
		// A server that cannot say for a moment how its task is has not lost it; one that cannot say it for good is told that nobody waits any more.
		"unknown for a moment": {get: []string{busy, busy, writing, busy, busy, done}, result: []string{report}, text: "The report.", gets: 6},
		"in odd types":         {get: []string{oddly, oddly, oddly, done}, result: []string{report}, text: "The report.", gets: 4},
		"unknown for good":     {get: []string{writing, busy}, cancel: cancelled, err: noResult + "it answered with error -32000: busy; its task was cancelled", gets: 4},
		"nor cancelled":        {get: []string{busy}, cancel: busy, err: noResult + "it answered with error -32000: busy; the server may still be working on it", gets: 3},
		"busy while it asks":   {get: []string{asks}, result: []string{busy}, cancel: cancelled, err: noResult + "it answered with error -32000: busy; its task was cancelled", gets: 1},
		"of another session":   {get: []string{"session over"}, err: noResult + "it has forgotten the task with our session", gets: 1},
	} {
		t.Run(name, func(t *testing.T) {
			if c.call == nil {
				c.call = []string{begun}
			}
			k := &clerk{answer: script(map[string][]string{"tools/call": c.call, "tasks/get": c.get, "tasks/result": c.result, "tasks/cancel": {c.cancel}})}
			withClerk(t, k, "slow", 0, func(result Result, err error, said []string, _ time.Duration) {
				if result.Text != c.text || result.Failed != c.failed || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %+v, %v", result, err)
				}
				if c.said != nil && !slices.Equal(said, c.said) {
					t.Errorf("it said %q, want %q", said, c.said)
				}
				if c.gets > 0 && k.asked["tasks/get"] != c.gets || (k.asked["tasks/cancel"] > 0) != (c.cancel != "") || k.asked["tools/call"] != 1 {
					t.Errorf("it was asked %v", k.asked)
				}
			})
		})
	}
}

// A person who stops a call learns whether the server has stopped, too.
func TestAStoppedCallIsConfirmedOrSaidNotToBe(t *testing.T) {
	working := map[string][]string{"tools/call": {begun}, "tasks/get": {writing}}
	confirmed := map[string][]string{"tools/call": {begun}, "tasks/get": {writing}, "tasks/cancel": {`{"taskId":"t1","status":"cancelled"}`}}
	refused := map[string][]string{"tools/call": {begun}, "tasks/get": {writing}, "tasks/cancel": {"error: too late"}}
	for name, c := range map[string]struct {
		*clerk
		tool string
		sure bool
		took time.Duration
	}{
		"a task that is cancelled":               {&clerk{answer: script(confirmed)}, "slow", true, 3 * time.Second},
		"a task that is not":                     {&clerk{answer: script(refused)}, "slow", false, 3 * time.Second},
		"a task of a server that is silent":      {&clerk{answer: script(working)}, "slow", false, 3*time.Second + letGo},
		"a call":                                 {&clerk{answer: script(nil)}, "plain", true, 3 * time.Second},
		"a call of a server that cannot be told": {&clerk{answer: script(nil), deaf: true}, "plain", false, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			withClerk(t, c.clerk, c.tool, 3*time.Second, func(_ Result, err error, _ []string, took time.Duration) {
				if !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnconfirmed) == c.sure || took != c.took {
					t.Errorf("got %v after %v", err, took)
				}
				want := `the call of "clerk__` + c.tool + `" was stopped`
				if !c.sure {
					want += ", and the server may still be working on it"
				}
				if err.Error() != want {
					t.Errorf("got %q, want %q", err, want)
				}
				c.mu.Lock()
				defer c.mu.Unlock()
				if c.tool == "slow" && (c.asked["tasks/cancel"] != 1 || c.ids[len(c.ids)-1] != `{"taskId":"t1"}`) {
					t.Errorf("it was asked %v about %q", c.asked, c.ids)
				}
				if c.tool == "plain" && !slices.Contains(c.told, "notifications/cancelled") {
					t.Errorf("it was told %q", c.told)
				}
			})
		})
	}
}
