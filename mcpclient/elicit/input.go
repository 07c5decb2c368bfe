package elicit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// busyPause is the first pause before a request to a busy server is sent again.
const busyPause = time.Second

// ProvideInput answers the requests that a server sends in place of a result. If it reports again, the request must be
// sent once more, with params added.
func (q *Requests) ProvideInput(ctx context.Context, r jsonrpc.Message, round int) (
	params map[string]json.RawMessage, again bool, err error,
) {
	if r.Error != nil {
		again, err = q.visitAll(ctx, r.Error)
		return nil, again, err
	}
	var wants struct {
		ResultType mcp.ResultType      `json:"resultType"`
		Requests   map[string]struct { // mcp.InputRequest fails on unknown methods
			Method mcp.MCPMethod   `json:"method"`
			Params json.RawMessage `json:"params"`
		} `json:"inputRequests"`
		State json.RawMessage `json:"requestState"`
	}
	switch {
	case json.Unmarshal(r.Result, &wants) != nil || wants.ResultType != mcp.ResultTypeInputRequired:
		return nil, false, nil
	case len(wants.Requests) == 0 && wants.State == nil:
		return nil, false, errors.New("it asks for input without a request")
	}
	params = map[string]json.RawMessage{}
	if wants.State != nil {
		params["requestState"] = wants.State
	}
	if len(wants.Requests) == 0 { // the server is busy
		select {
		case <-time.After(busyPause * time.Duration(round)):
			return params, true, nil
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
	results := map[string]any{}
	for _, id := range slices.Sorted(maps.Keys(wants.Requests)) {
		one := wants.Requests[id]
		result, refused := q.provide(ctx, one.Method, one.Params)
		switch {
		case ctx.Err() != nil:
			return nil, false, ctx.Err()
		case refused != nil:
			return nil, false, fmt.Errorf("it asked for %.60q and got no result: %s", one.Method, refused.Message)
		}
		results[id] = result
	}
	params["inputResponses"], err = json.Marshal(results)
	return params, err == nil, err
}

// provide returns the result of one request, or the error.
func (q *Requests) provide(ctx context.Context, method mcp.MCPMethod, params json.RawMessage) (any, *jsonrpc.Error) {
	if method == mcp.MethodElicitationCreate {
		if !q.begin() {
			return declined, nil
		}
		defer q.end()
	}
	return q.handle(ctx, method, params)
}

// visitAll asks you to open the pages that a server requires before it answers.
func (q *Requests) visitAll(ctx context.Context, refused *jsonrpc.Error) (visited bool, err error) {
	if refused.Code != mcp.URL_ELICITATION_REQUIRED || q.Host == nil {
		return false, nil
	}
	var wants struct {
		Pages []json.RawMessage `json:"elicitations"`
	}
	if json.Unmarshal(refused.Data, &wants) != nil || len(wants.Pages) == 0 || !q.begin() {
		return false, nil
	}
	defer q.end()
	for _, page := range wants.Pages {
		e, err := q.readElicitation(page)
		if err != nil || e.URL == "" {
			return false, errors.New("it asks you to open a page, but names no valid URL")
		}
		if visited, err := q.visit(ctx, e); err != nil || !visited {
			return false, err
		}
	}
	return true, nil
}

// noFields is a form that you only confirm.
var noFields = json.RawMessage(`{"type":"object","properties":{}}`)

// visit asks you to open a page, and waits until the server or you report that as done.
func (q *Requests) visit(ctx context.Context, page Elicitation) (visited bool, err error) {
	waiting, stop := q.awaitPage(ctx, page.ID)
	defer stop()
	got, err := q.askHost(ctx, page)
	if err != nil || got.Action != Accept {
		return false, err
	}
	got, err = q.askHost(waiting, Elicitation{
		Server: page.Server, Schema: noFields, ID: page.ID,
		Message: "Continue when you are done on the page. aloud then repeats the call.",
	})
	if waiting.Err() != nil && ctx.Err() == nil {
		return true, nil
	}
	return err == nil && got.Action == Accept, err
}
