package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aloudchat/aloud/mcpclient/content"
	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/mark3labs/mcp-go/mcp"
)

// Progress is one notification of a running call.
type Progress struct {
	Done, Total float64 // Total 0: unknown
	Message     string
}

// Call runs a tool by its Name with JSON arguments (an object). progress may be nil; it is called from one goroutine at a time, never after Call returned.
// The error says in one sentence why no result came: unknown tool, timeout, server gone, ctx's end.
func (s *Set) Call(ctx context.Context, name string, arguments json.RawMessage, progress func(Progress)) (Result, error) {
	p, tool, err := s.find(name)
	if err != nil {
		return Result{}, err
	}
	if arguments, err = object(arguments); err != nil {
		return Result{}, fmt.Errorf("the arguments of %q are not a JSON object: %w", name, err)
	}
	e := errand{fmt.Sprintf("the tool %q", tool.Name), "result", "while the tool ran"}
	var result Result
	err = e.twice(p, func() (err error) {
		result, err = s.callOnce(ctx, p, e, tool, arguments, progress)
		return err
	})
	if ctx.Err() != nil && err != nil {
		return Result{}, &stoppedError{fmt.Sprintf("the call of %q was stopped%s", name, stillWorking(err)), context.Cause(ctx), err}
	}
	return result, err
}

var errTooLong = errors.New("the tool's time is up")

func (s *Set) callOnce(ctx context.Context, p *peer, e errand, tool Tool, arguments json.RawMessage, progress func(Progress)) (Result, error) {
	c, err := s.connection(ctx, p)
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := p.withToolTime(ctx)
	defer cancel()
	result, err := c.call(ctx, tool, arguments, p.secrets.hideInProgress(progress))
	return p.secrets.hideInResult(result), e.brought(ctx, s, p, c, err)
}

// call makes one call. It returns as soon as ctx ends, whatever the server and its transport do: what is left of the call
// ends on its own goroutine.
func (c *connection) call(ctx context.Context, tool Tool, arguments json.RawMessage, progress func(Progress)) (Result, error) {
	defer c.wire.asked.Calling(ctx)()
	params := mcp.CallToolParams{Name: tool.ServerTool, RawArguments: arguments, Task: c.asTask(tool)}
	var news <-chan Progress
	say := func(Progress) {}
	if progress != nil {
		token, box, forget := c.wire.follow()
		defer forget()
		params.Meta = &mcp.Meta{ProgressToken: token}
		news, say = box, func(p Progress) { c.wire.tell(token, p) }
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil { // a built-in server runs in here
				o = outcome{result: Result{Text: fmt.Sprintf("the tool %q crashed: %v", tool.Name, p), Failed: true}}
			}
			done <- o
		}()
		o.result, o.err = c.request(ctx, tool, params, say)
	}()
	for {
		select {
		case p := <-news:
			progress(p)
		case o := <-done:
			select {
			case p := <-news: // what came before the result is shown before it
				progress(p)
			default:
			}
			return o.result, o.err
		case <-c.stopped:
			return Result{}, errStopped
		case <-ctx.Done():
			return Result{}, abandoned(ctx, done)
		}
	}
}

// outcome is how a call went.
type outcome struct {
	result Result
	err    error
}

// request makes the call itself. say tells what the server says of it meanwhile, besides progress.
func (c *connection) request(ctx context.Context, tool Tool, params mcp.CallToolParams, say func(Progress)) (Result, error) {
	ctx, answer := withAnswer(ctx)
	_, err := c.client.CallTool(ctx, mcp.CallToolRequest{Params: params})
	switch {
	case errors.Is(err, errSessionLost):
		return Result{}, errSessionLost
	case answer.err != nil:
		return Result{}, fault.Answered(answer.err)
	case answer.result != nil:
		if t, ok := begunTask(answer.result); ok && params.Task != nil {
			return c.finishTask(ctx, tool, t, say)
		}
		return content.ReadResult(answer.result, tool.Output)
	case answer.untold.Load():
		return Result{}, &unconfirmedError{err}
	}
	if broken := answer.broken.Load(); broken != nil {
		err = *broken
	}
	return Result{}, fault.Of(err)
}

// object returns arguments as a server takes them: an object, also when there are none.
func object(arguments json.RawMessage) (json.RawMessage, error) {
	text := bytes.TrimSpace(arguments)
	if len(text) == 0 || string(text) == "null" {
		return json.RawMessage("{}"), nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	return arguments, nil
}

// stoppedError says that the caller's context ended, and matches its cause and what the call made of that.
type stoppedError struct {
	text  string
	cause error
	call  error
}

func (e *stoppedError) Error() string   { return e.text }
func (e *stoppedError) Unwrap() []error { return []error{e.cause, e.call} }
