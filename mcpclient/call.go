package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

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
		return Result{}, &stoppedError{fmt.Sprintf("the call of %q was stopped%s", name, andFate(err)), context.Cause(ctx), err}
	}
	return result, err
}

var errTooLong = errors.New("the tool's time is up")

func (s *Set) callOnce(ctx context.Context, p *peer, e errand, tool Tool, arguments json.RawMessage, progress func(Progress)) (Result, error) {
	c, err := s.connection(ctx, p)
	switch {
	case err != nil && ctx.Err() != nil:
		return Result{}, fmt.Errorf("%w; %w", err, ErrUnasked)
	case err != nil:
		return Result{}, err
	}
	ctx, cancel := p.withToolTime(ctx)
	defer cancel()
	result, err := c.Call(ctx, tool, arguments, p.secrets.hideInProgress(progress))
	if p.config.Insider != nil {
		result.Sources = append(result.Sources, p.config.Insider.Sources(tool.ServerTool, arguments)...)
	}
	return p.secrets.hideInResult(result), e.brought(ctx, s, p, c, err)
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
