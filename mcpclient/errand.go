package mcpclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

// errand is what a server is wanted for, in the words of errors.
type errand struct {
	who, thing string // who shall give what: `the tool "shop__buy"`, "result"
	meanwhile  string // what went on when it was not given: "while the tool ran"
}

// brought says why an errand brought nothing; nil when it did. A server that is gone, or has forgotten us, is given up here, and made again.
func (e errand) brought(ctx context.Context, s *Set, p *peer, c *connection, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, conn.ErrSessionLost):
		s.lose(ctx, p, c, err)
	case errors.Is(context.Cause(ctx), errTooLong):
		err = fmt.Errorf("%s gave no %s within %v%s; tool_timeout_sec gives it longer", e.who, e.thing, p.config.ToolTimeout, andFate(err))
	case ctx.Err() == nil:
		err = s.wentWrong(ctx, p, c, e, err)
	}
	return p.secrets.Error(err)
}

// twice runs an errand, and once more where the server, started anew most likely, has not looked at it: it may safely go out again.
func (e errand) twice(p *peer, once func() error) error {
	err := once()
	if errors.Is(err, conn.ErrSessionLost) {
		if err = once(); errors.Is(err, conn.ErrSessionLost) {
			return fmt.Errorf("the server %q gave no %s: it does not know the session that it began just now", p.config.Name, e.thing)
		}
	}
	return err
}

// ask makes a request of a server that a person waits for. The error says in a sentence that the server gave no such thing, and why.
func (s *Set) ask(ctx context.Context, server, thing string, request func(context.Context, *connection) error) (p *peer, c *connection, err error) {
	s.mu.Lock()
	p = s.named(server)
	s.mu.Unlock()
	if p == nil {
		return nil, nil, fmt.Errorf("%w %q", ErrNoServer, server)
	}
	e := errand{fmt.Sprintf("the server %q", server), thing, "while it was asked"}
	err = e.twice(p, func() (err error) {
		c, err = s.askOnce(ctx, p, e, request)
		return err
	})
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return p, c, err
}

func (s *Set) askOnce(ctx context.Context, p *peer, e errand, request func(context.Context, *connection) error) (*connection, error) {
	c, err := s.connection(ctx, p)
	if err != nil {
		return nil, err
	}
	ctx, cancel := p.withToolTime(ctx)
	defer cancel()
	return c, e.brought(ctx, s, p, c, request(ctx, c))
}

// andFate is what the errors of calls that were given up end with: what is known of their server, unless it was told.
func andFate(err error) string {
	for _, known := range []error{ErrUnasked, ErrUnconfirmed} {
		if errors.Is(err, known) {
			return ", and " + known.Error()
		}
	}
	return ""
}
