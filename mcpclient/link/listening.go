package link

import (
	"context"
	"errors"
	"time"

	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/login"
	"github.com/mark3labs/mcp-go/mcp"
)

// Between two streams there is a pause, which keeps a server that ends them at once from being asked without end. With answers of no in a row it grows:
// who says no each time is asked less and less.
const (
	listenPause        = 5 * time.Second
	longestListenPause = 5 * time.Minute
)

// maxUnreachable is after how many attempts in a row that did not even reach it a server is gone.
const maxUnreachable = 3

// Listen keeps the stream of announcements open that the newest revision has, until life ends; with others there is nothing to do. It is how such a
// server is known to be there: there is no session, and nothing else that goes on between two calls. A server that does not know the question
// has no stream, and is left alone. The error says why nobody is there, or lets us in, any more.
func (l *Link) Listen(life context.Context) error {
	if !l.wire.modern() {
		return nil
	}
	unreachable, nextNo := 0, listenPause // how often in a row; the pause after the next answer of no
	for life.Err() == nil {
		opened, err := l.listenOnce(life)
		pause := listenPause
		switch {
		case errors.Is(err, errOthersWanted):
			continue
		case errors.Is(err, login.ErrNeeded):
			return fault.Of(err)
		case errors.Is(err, mcp.ErrMethodNotFound):
			return nil
		case opened || err == nil: // however it ended: a proxy cuts healthy ones off
			unreachable, nextNo = 0, listenPause
		case fault.Unreachable(err):
			if unreachable++; unreachable == maxUnreachable {
				return fault.Of(err)
			}
			nextNo = listenPause
		default:
			unreachable, pause, nextNo = 0, nextNo, min(2*nextNo, longestListenPause)
		}
		select {
		case <-life.Done():
		case <-l.wire.news.refilter:
		case <-time.After(pause):
		}
	}
	return nil
}

// errOthersWanted is how a stream ends that we end, because other announcements are wanted.
var errOthersWanted = errors.New("other announcements are wanted")

// listenOnce listens until the stream ends, or is to be another one, and tells whether the server had opened it.
func (l *Link) listenOnce(life context.Context) (opened bool, err error) {
	filter := l.filter()
	if filter.IsEmpty() {
		select {
		case <-l.wire.news.refilter:
		case <-life.Done():
		}
		return false, errOthersWanted
	}
	ctx, stop := context.WithCancel(life)
	defer stop()
	l.wire.opened.Store(false)
	over := make(chan error, 1)
	go func() { over <- l.client.Listen(ctx, filter) }()
	select {
	case <-l.wire.news.refilter:
		return false, errOthersWanted
	case err := <-over:
		l.wire.deaf.Store(true)
		return l.wire.opened.Load(), err
	}
}

// acknowledged is called when a stream of announcements is open.
func (w *wire) acknowledged() {
	w.opened.Store(true)
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
