package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
)

// Call makes a call. If the server has announced that its tools have changed, it waits for the new list first. progress
// may be nil. It is called from one goroutine at a time, and not after Call has returned. The error is for an unknown
// tool, a timeout, a lost server, the end of ctx, ErrToolChanged and ErrOutdated. A tool that fails returns a Result.
func (s *Set) Call(
	ctx context.Context, call mcpclient.Call, progress func(mcpclient.Progress),
) (mcpclient.Result, error) {
	p, tool, err := s.find(call.Tool)
	if err != nil {
		return mcpclient.Result{}, err
	}
	alive := make(chan struct{}, 1)
	harmless := tool.Trusted && (tool.ReadOnly || tool.Idempotent)
	o := operation{fmt.Sprintf("tool %q", tool.Name), "result", "during the call", alive, harmless}
	report := p.secrets.hideInProgress(progress)
	var result mcpclient.Result
	var unfit error // why the tool is not called
	err = s.do(ctx, p, o, func(ctx context.Context, c *connection) (err error) {
		if err := s.awaitTools(ctx, p, c); err != nil {
			return err
		}
		if tool, unfit = s.judged(call); unfit != nil {
			return nil
		}
		result, err = c.Call(ctx, tool, call.Arguments, call.Basis, func(news mcpclient.Progress) {
			select {
			case alive <- struct{}{}:
			default:
			}
			if report != nil {
				report(news)
			}
		})
		return err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		text := fmt.Sprintf("the call of %q was stopped%s", call.Tool, fateOf(err))
		return mcpclient.Result{}, &conn.Error{Kind: context.Cause(ctx), Text: text, Cause: err}
	case err != nil:
		return mcpclient.Result{}, err
	case unfit != nil:
		return mcpclient.Result{}, unfit
	case result.Outdated:
		return mcpclient.Result{}, &conn.Error{Kind: mcpclient.ErrOutdated, Text: p.secrets.Text(result.Text)}
	}
	if p.config.Insider != nil {
		result.Sources = append(result.Sources, p.config.Insider.Sources(tool.ServerTool, call.Arguments)...)
	}
	return p.secrets.hideInResult(result), nil
}

// judged returns the tool of a call as it is now, or an error if it is not the judged one.
func (s *Set) judged(call mcpclient.Call) (mcpclient.Tool, error) {
	_, tool, err := s.find(call.Tool)
	if err != nil {
		return mcpclient.Tool{}, err
	}
	if now := mcpclient.FingerprintOf(tool); call.Judged != "" && now != call.Judged {
		what := strings.Join(now.Differences(call.Judged), ", ")
		return mcpclient.Tool{}, toolChanged("tool %q has changed: %s", call.Tool, what)
	}
	return tool, nil
}

func toolChanged(format string, args ...any) error {
	return &conn.Error{Kind: mcpclient.ErrToolChanged, Text: fmt.Sprintf(format, args...)}
}

// operation describes a request.
type operation struct {
	who, thing string          // `tool "shop__buy"`, "result"
	during     string          // "during the call"
	alive      <-chan struct{} // receives when progress is reported; nil if it never is
	harmless   bool            // sending it again changes nothing
}

// do sends a request to a server, which may have restarted. It sends the request again if it was not processed, or if
// the session was lost and the request is harmless.
func (s *Set) do(ctx context.Context, p *peer, o operation, request func(context.Context, *connection) error) error {
	var why error
	for range 2 {
		c, err := s.connection(ctx, p)
		switch {
		case err != nil && ctx.Err() != nil:
			return fmt.Errorf("%w; %w", err, mcpclient.ErrUnasked)
		case err != nil:
			return err
		}
		if err = s.once(ctx, p, c, o, request); !o.repeatable(err) {
			return p.secrets.Error(err)
		}
		s.lose(p, c, err)
		why = err
	}
	return p.secrets.Error(fmt.Errorf("server %q returned no %s: %w", p.config.Name, o.thing, why))
}

// repeatable reports whether a request with an error may be sent again over a new connection.
func (o operation) repeatable(err error) bool {
	return errors.Is(err, conn.ErrSessionLost) || conn.Unreachable(err) ||
		o.harmless && errors.Is(err, conn.ErrSessionEnded)
}

// maxTimeouts is how many times its timeout a request may take if it reports progress.
const maxTimeouts = 10

var (
	errSilent  = errors.New("no progress within the timeout of the call")
	errTooLong = errors.New("time limit of the call")
)

// once sends a request. Its timeout limits the time without progress. All its limits are paused while the server waits
// for the Host.
func (s *Set) once(
	ctx context.Context, p *peer, c *connection, o operation, request func(context.Context, *connection) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	timeout, limit := p.config.ToolTimeout, maxTimeouts*p.config.ToolTimeout
	watch := func(limit time.Duration, alive <-chan struct{}, reason error) {
		if p.timer.Wait(ctx, limit, alive) {
			cancel(reason)
		}
	}
	var watches sync.WaitGroup
	watches.Go(func() { watch(timeout, o.alive, errSilent) })
	watches.Go(func() { watch(limit, nil, errTooLong) })
	defer watches.Wait()
	defer cancel(nil)
	err := request(ctx, c)
	switch {
	case err == nil, o.repeatable(err):
		return err
	case errors.Is(context.Cause(ctx), errSilent):
		return fmt.Errorf("%s sent no %s and no progress for %v%s. tool_timeout_sec sets the limit",
			o.who, o.thing, timeout, fateOf(err))
	case errors.Is(context.Cause(ctx), errTooLong):
		return fmt.Errorf("%s sent no %s within %v%s. The limit is ten times tool_timeout_sec",
			o.who, o.thing, limit, fateOf(err))
	case ctx.Err() != nil:
		return err
	}
	return s.requestError(p, c, o, err)
}

// ask sends a request for a prompt or a resource.
func (s *Set) ask(
	ctx context.Context, server, thing string, request func(context.Context, *connection) error,
) (*peer, error) {
	s.mu.Lock()
	p, err := s.namedLocked(server)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	err = s.do(ctx, p, operation{fmt.Sprintf("server %q", server), thing, "during the request", nil, true}, request)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return p, err
}

// fateOf returns the end of the error of a cancelled call, or "" if the server confirmed the cancellation.
func fateOf(err error) string {
	for _, known := range []error{mcpclient.ErrUnasked, mcpclient.ErrUnconfirmed} {
		if errors.Is(err, known) {
			return ", and " + known.Error()
		}
	}
	return ""
}

// Preview returns the change that a call would make as a unified diff, or "" if unknown, and what it was made from, for
// Call.Basis. Only built-in servers support it. It returns an error if the call would fail. The diff must pass sanitize
// before it is displayed.
func (s *Set) Preview(ctx context.Context, name string, arguments json.RawMessage) (diff, basis string, err error) {
	p, tool, ok := s.inside(name)
	if !ok {
		return "", "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	diff, basis, err = p.config.Insider.Preview(ctx, tool, arguments)
	return p.secrets.Text(diff), basis, p.secrets.Error(err)
}

// Caution returns a short reason why a call always needs approval, such as a file that usually holds secrets, or "" if
// it does not. Only built-in servers support it. The text must pass sanitize before it is displayed.
func (s *Set) Caution(name string, arguments json.RawMessage) string {
	p, tool, ok := s.inside(name)
	if !ok {
		return ""
	}
	return p.secrets.Text(p.config.Insider.Caution(tool, arguments))
}

// inside finds the tool of a built-in server. ok is false for tools of other servers.
func (s *Set) inside(name string) (p *peer, tool string, ok bool) {
	p, t, err := s.find(name)
	if err != nil || p.config.Insider == nil {
		return nil, "", false
	}
	return p, t.ServerTool, true
}
