package link

import (
	"context"
	"errors"
	"time"

	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/login"
	"github.com/mark3labs/mcp-go/mcp"
)

// Between two streams there is a pause, which keeps a server that ends them at once from being asked without end. With refusals in a row it grows: who
// says no each time is asked less and less.
const (
	listenPause        = 5 * time.Second
	longestListenPause = 5 * time.Minute
)

// maxRefusals in a row mean that the server is gone.
const maxRefusals = 3

// Listen keeps the stream of announcements open that the newest revision has, until life ends; with others there is nothing to do. It is how such a
// server is known to be there: there is no session, and nothing else that goes on between two calls. A server that does not know the question
// has no stream, and is left alone. The error says why nobody is there, or lets us in, any more.
func (l *Link) Listen(life context.Context) error {
	if !l.wire.modern() {
		return nil
	}
	unreachable := 0 // in a row
	for pause := listenPause; life.Err() == nil; {
		err := l.listenOnce(life, pause)
		switch {
		case fault.Unreachable(err):
			unreachable, pause = unreachable+1, listenPause // that it is gone is known soon
		case err != nil:
			unreachable, pause = 0, min(2*pause, longestListenPause)
		default:
			unreachable, pause = 0, listenPause
		}
		switch {
		case unreachable == maxRefusals, errors.Is(err, login.ErrNeeded):
			return fault.Of(err)
		case errors.Is(err, mcp.ErrMethodNotFound):
			return nil
		}
	}
	return nil
}

// listenOnce listens until the stream ends, or other announcements are wanted; then nothing has gone wrong. Before it returns the former it pauses.
func (l *Link) listenOnce(life context.Context, pause time.Duration) error {
	filter := l.filter()
	if filter.IsEmpty() {
		select {
		case <-l.wire.news.refilter:
		case <-life.Done():
		}
		return nil
	}
	ctx, stop := context.WithCancel(life)
	defer stop()
	over := make(chan error, 1)
	go func() { over <- l.client.Listen(ctx, filter) }()
	var err error
	select {
	case <-l.wire.news.refilter:
		return nil
	case err = <-over:
		l.wire.deaf.Store(true)
	}
	select {
	case <-life.Done():
	case <-l.wire.news.refilter:
	case <-time.After(pause):
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
	w.news.note(func(n *News) { n.Prompts, n.Resources = true, true })
}

// filter is what we want to hear of, as far as the server tells it.
func (l *Link) filter() mcp.SubscriptionFilter {
	can := l.client.GetServerCapabilities()
	return mcp.SubscriptionFilter{
		ToolsListChanged:      can.Tools != nil && can.Tools.ListChanged,
		PromptsListChanged:    can.Prompts != nil && can.Prompts.ListChanged,
		ResourcesListChanged:  can.Resources != nil && can.Resources.ListChanged,
		ResourceSubscriptions: l.wire.news.following(),
	}
}
