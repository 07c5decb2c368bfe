package mcpclient

import (
	"context"
	"errors"
	"time"

	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/login"
	"github.com/mark3labs/mcp-go/mcp"
)

// listenPause keeps a server that ends the stream at once from being asked without end.
const listenPause = 5 * time.Second

// maxRefusals in a row mean that the server is gone.
const maxRefusals = 3

// attendStream keeps the stream of announcements that the newest revision has open until life ends. It is how such a server is known to be there:
// there is no session, and nothing else that goes on between two calls.
func (s *Set) attendStream(life context.Context, p *peer, c *connection) {
	if gone := c.listen(life); gone != nil {
		s.lose(life, p, c, gone)
	}
}

// listen listens until life ends, for all that we want to hear of. The error says why nobody is there, or lets us in, any more.
func (c *connection) listen(life context.Context) error {
	refusals := 0
	for life.Err() == nil {
		err := c.listenOnce(life)
		if networkRefuses(err) {
			refusals++
		} else {
			refusals = 0
		}
		if refusals == maxRefusals || errors.Is(err, login.ErrNeeded) {
			return fault.Of(err)
		}
	}
	return nil
}

// listenOnce listens until the stream ends, or other announcements are wanted. Then nothing has gone wrong.
func (c *connection) listenOnce(life context.Context) error {
	filter := c.filter()
	if filter.IsEmpty() {
		select {
		case <-c.wire.news.refilter:
		case <-life.Done():
		}
		return nil
	}
	ctx, stop := context.WithCancel(life)
	defer stop()
	over := make(chan error, 1)
	go func() { over <- c.client.Listen(ctx, filter) }()
	var err error
	select {
	case <-c.wire.news.refilter:
		return nil
	case err = <-over:
		c.wire.deaf.Store(true)
	}
	select {
	case <-life.Done():
	case <-c.wire.news.refilter:
	case <-time.After(listenPause):
	}
	return err
}

// acknowledged is called when a stream of announcements is open.
func (w *wire) acknowledged() {
	if w.deaf.CompareAndSwap(true, false) {
		w.missed()
	}
}

// missedPause is for servers, and for what stands before them, that end each stream soon: they are not asked for their lists each time.
const missedPause = time.Minute

// missed has the lists fetched anew, unless they have just been: what was announced between two streams is lost.
func (w *wire) missed() {
	now, last := time.Now().Unix(), w.fetched.Load()
	if last != 0 && now-last < int64(missedPause/time.Second) || !w.fetched.CompareAndSwap(last, now) {
		return
	}
	w.toolsChanged()
	w.news.note(func(h *heard) { h.prompts, h.resources = true, true })
}

// filter is what we want to hear of, as far as the server tells it.
func (c *connection) filter() mcp.SubscriptionFilter {
	can := c.client.GetServerCapabilities()
	return mcp.SubscriptionFilter{
		ToolsListChanged:      can.Tools != nil && can.Tools.ListChanged,
		PromptsListChanged:    can.Prompts != nil && can.Prompts.ListChanged,
		ResourcesListChanged:  can.Resources != nil && can.Resources.ListChanged,
		ResourceSubscriptions: c.wire.news.following(),
	}
}
