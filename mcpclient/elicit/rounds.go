package elicit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// busyPause is the first pause for a server that asks to be asked again later.
const busyPause = time.Second

// Satisfy answers what a server asks before it answers a request. again reports that it asked for something and got it: the request must be
// sent again, with the parameters added.
func (q *Questions) Satisfy(ctx context.Context, r *transport.JSONRPCResponse, round int) (params map[string]json.RawMessage, again bool, err error) {
	if r.Error != nil {
		again, err = q.visitAll(ctx, r.Error)
		return nil, again, err
	}
	var wants struct {
		ResultType string `json:"resultType"`
		Requests   map[string]struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		} `json:"inputRequests"`
		State json.RawMessage `json:"requestState"`
	}
	switch {
	case json.Unmarshal(r.Result, &wants) != nil || wants.ResultType != "input_required":
		return nil, false, nil
	case len(wants.Requests) == 0 && wants.State == nil:
		return nil, false, errors.New("it asks for input and does not say for which")
	}
	params = map[string]json.RawMessage{}
	if wants.State != nil {
		params["requestState"] = wants.State
	}
	if len(wants.Requests) == 0 { // it is busy, and wants to be asked again later
		select {
		case <-time.After(busyPause * time.Duration(round)):
			return params, true, nil
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
	answers := map[string]any{}
	for _, id := range slices.Sorted(maps.Keys(wants.Requests)) { // one after the other: you answer no two at once
		one := wants.Requests[id]
		result, refused := q.Answer(ctx, one.Method, one.Params)
		switch {
		case ctx.Err() != nil:
			return nil, false, ctx.Err()
		case refused != nil:
			return nil, false, fmt.Errorf("it asked for %.60q and got no answer: %s", one.Method, refused.Message)
		}
		answers[id] = result
	}
	params["inputResponses"], err = json.Marshal(answers)
	return params, err == nil, err
}

// visitAll asks you to visit the pages that a server wants visited before it answers.
func (q *Questions) visitAll(ctx context.Context, refused *mcp.JSONRPCErrorDetails) (visited bool, err error) {
	if refused.Code != mcp.URL_ELICITATION_REQUIRED || q.Host == nil {
		return false, nil
	}
	raw, _ := json.Marshal(refused.Data)
	var wants struct {
		Pages []json.RawMessage `json:"elicitations"`
	}
	if json.Unmarshal(raw, &wants) != nil || len(wants.Pages) == 0 {
		return false, nil
	}
	for _, page := range wants.Pages {
		e, err := q.readElicitation(page)
		if err != nil || e.URL == "" {
			return false, fmt.Errorf("it wants a page to be visited, which is none: %w", cmp.Or(err, errors.New("it has no url")))
		}
		if visited, err := q.visit(ctx, e); err != nil || !visited {
			return false, err
		}
	}
	return true, nil
}

// noFields is a form that you only confirm.
var noFields = json.RawMessage(`{"type":"object","properties":{}}`)

// visit asks you to visit a page, and waits until the server or you say that this is done.
func (q *Questions) visit(ctx context.Context, page Elicitation) (visited bool, err error) {
	waiting, stop := q.awaitPage(ctx, page.ID)
	defer stop()
	got, err := q.askHost(ctx, page)
	if err != nil || got.Action != Accept {
		return false, err
	}
	got, err = q.askHost(waiting, Elicitation{
		Server: page.Server, Schema: noFields, ID: page.ID,
		Message: "When you are done on the page, go on: the call is then made again.",
	})
	if waiting.Err() != nil && ctx.Err() == nil {
		return true, nil
	}
	return err == nil && got.Action == Accept, err
}
