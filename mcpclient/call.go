package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

// Call runs a tool by its Name with JSON arguments (an object). progress may be nil; it is called from one goroutine at a time, and not after
// Call has returned. The error says in one sentence why there is no result: unknown tool, timeout, server gone, end of ctx.
func (s *Set) Call(ctx context.Context, name string, arguments json.RawMessage, progress func(Progress)) (Result, error) {
	p, tool, err := s.find(name)
	if err != nil {
		return Result{}, err
	}
	if arguments, err = objectOf(arguments); err != nil {
		return Result{}, fmt.Errorf("the arguments of %q are not a JSON object: %w", name, err)
	}
	o := operation{fmt.Sprintf("the tool %q", tool.Name), "result", "while the tool ran"}
	var result Result
	err = s.do(ctx, p, o, func(ctx context.Context, c *connection) (err error) {
		result, err = c.Call(ctx, tool, arguments, p.secrets.hideInProgress(progress))
		return err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return Result{}, &stoppedError{fmt.Sprintf("the call of %q was stopped%s", name, andFate(err)), context.Cause(ctx), err}
	case err != nil:
		return Result{}, err
	}
	if p.config.Insider != nil {
		result.Sources = append(result.Sources, p.config.Insider.Sources(tool.ServerTool, arguments)...)
	}
	return p.secrets.hideInResult(result), nil
}

// objectOf returns arguments as a server takes them: an object, also when there are none.
func objectOf(arguments json.RawMessage) (json.RawMessage, error) {
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

// stoppedError says that the caller's context ended. It matches the context's cause and the error of the call.
type stoppedError struct {
	text  string
	cause error
	call  error
}

func (e *stoppedError) Error() string   { return e.text }
func (e *stoppedError) Unwrap() []error { return []error{e.cause, e.call} }

// operation describes a request in the words of its errors.
type operation struct {
	who, thing string // `the tool "shop__buy"`, "result"
	meanwhile  string // "while the tool ran"
}

// do makes a request of a server, and makes it again where the server, restarted most likely, has not looked at it.
func (s *Set) do(ctx context.Context, p *peer, o operation, request func(context.Context, *connection) error) error {
	var why error
	for range 2 {
		c, err := s.connection(ctx, p)
		switch {
		case err != nil && ctx.Err() != nil:
			return fmt.Errorf("%w; %w", err, ErrUnasked)
		case err != nil:
			return err
		}
		if err = s.once(ctx, p, c, o, request); !missed(err) {
			return p.secrets.Error(err)
		}
		s.lose(p, c, err)
		why = err
	}
	return p.secrets.Error(fmt.Errorf("the server %q gave no %s: %w", p.config.Name, o.thing, why))
}

// missed reports whether a request has not come to its server.
func missed(err error) bool { return errors.Is(err, conn.ErrSessionLost) || conn.Unreachable(err) }

var errTooLong = errors.New("the tool's time is up")

// once makes a request, and says why it failed. While the server waits for an answer of the Host, its time stands still.
func (s *Set) once(ctx context.Context, p *peer, c *connection, o operation, request func(context.Context, *connection) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if p.timer.Wait(ctx, p.config.ToolTimeout) {
			cancel(errTooLong)
		}
	}()
	err := request(ctx, c)
	switch {
	case err == nil, missed(err):
		return err
	case errors.Is(context.Cause(ctx), errTooLong):
		return fmt.Errorf("%s gave no %s within %v%s; tool_timeout_sec gives it longer", o.who, o.thing, p.config.ToolTimeout, andFate(err))
	case ctx.Err() != nil:
		return err
	}
	return s.wentWrong(p, c, o, err)
}

// ask makes a request of a server. The error says in a sentence that the server gave no such thing, and why.
func (s *Set) ask(ctx context.Context, server, thing string, request func(context.Context, *connection) error) (*peer, error) {
	s.mu.Lock()
	p := s.named(server)
	s.mu.Unlock()
	if p == nil {
		return nil, fmt.Errorf("%w %q", ErrNoServer, server)
	}
	err := s.do(ctx, p, operation{fmt.Sprintf("the server %q", server), thing, "while it was asked"}, request)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return p, err
}

// andFate ends the error of a call that was given up, unless its server confirmed that.
func andFate(err error) string {
	for _, known := range []error{ErrUnasked, ErrUnconfirmed} {
		if errors.Is(err, known) {
			return ", and " + known.Error()
		}
	}
	return ""
}

// Insider previews the calls of a built-in server, which the protocol has no way to do: *builtin.Server.
type Insider interface {
	// Preview is what a call would change, as a unified diff; "" for nothing. The error says why the call would fail.
	Preview(ctx context.Context, tool string, arguments json.RawMessage) (diff string, err error)
	// Caution says in a few words why a call must be asked for, whatever else is allowed; "" if it need not be.
	Caution(tool string, arguments json.RawMessage) string
	// Sources are the addresses that a call reads, as far as its arguments show them.
	Sources(tool string, arguments json.RawMessage) []string
}

// Preview says what a call is about to change, as a unified diff of the file as it is now; "" if that is not known. Nothing is touched, and only
// built-in servers are asked. The error is one sentence that says why the call would fail. The diff is file content and must pass sanitize on its
// way to a terminal.
func (s *Set) Preview(ctx context.Context, name string, arguments json.RawMessage) (diff string, err error) {
	p, tool, arguments, ok := s.inside(name, arguments)
	if !ok {
		return "", nil
	}
	const long = 5 * time.Second // you are waiting to be asked
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	diff, err = p.config.Insider.Preview(ctx, tool, arguments)
	return p.secrets.Text(diff), p.secrets.Error(err)
}

// Caution says in a few words why a call must be asked for, whatever else is allowed: a file that usually holds secrets. It is "" if it need not
// be. Like a preview it comes from built-in servers only, and the words must pass sanitize.
func (s *Set) Caution(name string, arguments json.RawMessage) string {
	p, tool, arguments, ok := s.inside(name, arguments)
	if !ok {
		return ""
	}
	return p.secrets.Text(p.config.Insider.Caution(tool, arguments))
}

// inside finds the tool of a built-in server. What is wrong with the call is for Call to say.
func (s *Set) inside(name string, arguments json.RawMessage) (p *peer, tool string, object json.RawMessage, ok bool) {
	p, t, err := s.find(name)
	if err != nil || p.config.Insider == nil {
		return nil, "", nil, false
	}
	object, err = objectOf(arguments)
	return p, t.ServerTool, object, err == nil
}
