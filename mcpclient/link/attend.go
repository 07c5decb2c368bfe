package link

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// newsPause bounds the work a server can make us do by telling things without end.
const newsPause = 200 * time.Millisecond

// Attend hears what the server tells by itself, and asks it to tell what people should know, until life ends or the link is lost. hear is called with
// the news, however many there are some time apart. patience bounds each question to the server.
func (l *Link) Attend(life context.Context, patience time.Duration, hear func(News)) {
	if l.wire.asked.Listener() == nil { // who listens has asked before anybody could use the link
		l.askForLog(life, patience, logLevel)
	}
	for {
		select {
		case <-life.Done():
			return
		case <-l.lost:
			return
		case <-l.wire.news.wake:
			news, wanted := l.wire.news.take()
			hear(news)
			for _, uri := range wanted {
				l.subscribe(life, patience, uri)
			}
		}
		select {
		case <-life.Done():
			return
		case <-time.After(newsPause):
		}
	}
}

// Follow has the server asked, in a while, to say when a resource changes, if it can.
func (l *Link) Follow(uri string) { l.wire.news.want(uri) }

// ToolsChanged has one element when the server has said that its tools are others now.
func (l *Link) ToolsChanged() <-chan struct{} { return l.wire.listChanged }

// TellRoots tells the server that the roots are others now, unless it was told of none, or asks when it wants to know, as since 2026-07-28 all do.
func (l *Link) TellRoots() {
	if l.wire.offersRoots && !l.wire.modern() {
		l.wire.tellRoots()
	}
}

// askForLog asks a server that keeps a log for what it has to say from a level on.
func (l *Link) askForLog(ctx context.Context, patience time.Duration, level mcp.LoggingLevel) {
	if l.client.GetServerCapabilities().Logging == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	//nolint:staticcheck // deprecated with the revisions that need it, which most servers still speak
	_, _ = promptly(ctx, func() (any, error) {
		return nil, l.client.SetLevel(ctx, mcp.SetLevelRequest{Params: mcp.SetLevelParams{Level: level}})
	})
}

// subscribe asks a server to say when a resource changes, if it can.
func (l *Link) subscribe(life context.Context, patience time.Duration, uri string) {
	if can := l.client.GetServerCapabilities().Resources; can == nil || !can.Subscribe {
		return
	}
	if l.wire.modern() {
		l.wire.news.follow(uri)
		return
	}
	ctx, cancel := context.WithTimeout(life, patience)
	defer cancel()
	//nolint:staticcheck // deprecated with the revisions that need it, which most servers still speak
	_, _ = promptly(ctx, func() (any, error) {
		return nil, l.client.Subscribe(ctx, mcp.SubscribeRequest{Params: mcp.SubscribeParams{URI: uri}})
	})
}
