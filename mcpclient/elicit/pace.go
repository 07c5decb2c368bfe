package elicit

import (
	"context"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// The time that messages cost. A server may spend one second per second, and burst more at once, so that requests are
// read at 500 a second.
const (
	burst            = time.Second
	requestCost      = 2 * time.Millisecond
	notificationCost = 100 * time.Microsecond
	byteCost         = 100 * time.Nanosecond // of the parameters: 10 MB a second
)

// pace limits the work that the messages of a server cause. The reader of the connection waits, so that the writes of
// a flooding server block. A server that sends less never waits.
type pace struct {
	mu    sync.Mutex
	spent time.Time // when the messages so far are paid for
}

// wait waits until a message may be handled, or until ctx ends or done is closed. A large message delays those after
// it, and not itself.
func (p *pace) wait(ctx context.Context, m jsonrpc.Message, done <-chan struct{}) {
	cost := notificationCost
	if m.ID != nil {
		cost = requestCost
	}
	cost += time.Duration(len(m.Params)) * byteCost
	now := time.Now()
	p.mu.Lock()
	if p.spent.Before(now) {
		p.spent = now
	}
	early := p.spent.Sub(now) - burst
	p.spent = p.spent.Add(cost)
	p.mu.Unlock()
	if early <= 0 {
		return
	}
	select {
	case <-time.After(early):
	case <-ctx.Done():
	case <-done:
	}
}
