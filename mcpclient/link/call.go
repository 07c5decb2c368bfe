package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aloudchat/aloud/mcpclient/content"
	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/offer"
	"github.com/mark3labs/mcp-go/mcp"
)

var errStopped = errors.New("somebody ended the connection")

// Progress is one notification of a running call.
type Progress struct {
	Done, Total float64 // Total 0: unknown
	Message     string
}

// Call runs a tool with arguments, a JSON object. progress may be nil; it is called from one goroutine at a time, never after Call returned. Call
// returns as soon as ctx ends, whatever the server and its transport do: what is left of the call ends on its own goroutine.
func (l *Link) Call(ctx context.Context, tool offer.Tool, arguments json.RawMessage, progress func(Progress)) (content.Result, error) {
	defer l.wire.asked.Calling(ctx)()
	params := mcp.CallToolParams{Name: tool.ServerTool, RawArguments: arguments, Task: l.asTask(tool)}
	var news <-chan Progress
	say := func(Progress) {}
	if progress != nil {
		token, box, forget := l.wire.follow()
		defer forget()
		params.Meta = &mcp.Meta{ProgressToken: token}
		news, say = box, func(p Progress) { l.wire.tell(token, p) }
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil { // a built-in server runs in here
				o = outcome{result: content.Result{Text: fmt.Sprintf("the tool %q crashed: %v", tool.Name, p), Failed: true}}
			}
			done <- o
		}()
		o.result, o.err = l.request(ctx, tool, params, say)
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
		case <-l.stopped:
			return content.Result{}, errStopped
		case <-ctx.Done():
			return content.Result{}, abandoned(ctx, done)
		}
	}
}

// outcome is how a call went.
type outcome struct {
	result content.Result
	err    error
}

// request makes the call itself. say tells what the server says of it meanwhile, besides progress.
func (l *Link) request(ctx context.Context, tool offer.Tool, params mcp.CallToolParams, say func(Progress)) (content.Result, error) {
	ctx, answer := withAnswer(ctx)
	_, err := l.client.CallTool(ctx, mcp.CallToolRequest{Params: params})
	switch {
	case errors.Is(err, ErrSessionLost):
		return content.Result{}, ErrSessionLost
	case answer.err != nil:
		return content.Result{}, fault.Answered(answer.err)
	case answer.result != nil:
		if t, ok := begunTask(answer.result); ok && params.Task != nil {
			return l.finishTask(ctx, tool, t, say)
		}
		return content.ReadResult(answer.result, tool.Output, l.wire.asked.Secrets)
	case answer.fate.Load() != nil:
		return content.Result{}, &givenUpError{err, *answer.fate.Load()}
	}
	if broken := answer.broken.Load(); broken != nil {
		err = *broken
	}
	return content.Result{}, fault.Of(err)
}
