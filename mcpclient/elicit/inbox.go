package elicit

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Inbox is the Host of a chat: it queues the elicitations of all servers and returns them one at a time. The screen
// gets them with Next and answers them. Without a screen they are declined. All methods are safe for concurrent use.
type Inbox struct {
	screen bool

	mu       sync.Mutex
	declined map[string]bool      // servers whose elicitations are declined for this session
	closed   map[string]int       // how many elicitations of a server you closed in a row
	rested   map[string]time.Time // when a server that cancelled an elicitation may ask again
	queue    []*Question          // open elicitations, oldest first
	open     *Question            // the last elicitation that Next returned
	notices  []string
	noticed  map[string]int // the number of notices by key
	changed  chan struct{}  // closed when a field above changes; nil if no goroutine waits
}

var _ Host = (*Inbox)(nil)

// NewInbox returns an inbox. screen reports whether a screen takes the elicitations.
func NewInbox(screen bool) *Inbox {
	return &Inbox{screen: screen, noticed: map[string]int{}, declined: map[string]bool{}, closed: map[string]int{},
		rested: map[string]time.Time{}}
}

// Asking implements loop.Asker.
func (d *Inbox) Asking() (server string, changed <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	changed = d.nextChange()
	if len(d.queue) > 0 {
		return d.queue[0].Server, changed
	}
	return "", changed
}

// nextChange returns a channel that is closed at the next change. d.mu is held.
func (d *Inbox) nextChange() <-chan struct{} {
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	return d.changed
}

// wait waits until done, which it calls after every change with d.mu held, reports true. The error is that of ctx.
func (d *Inbox) wait(ctx context.Context, done func() bool) error {
	for {
		d.mu.Lock()
		if done() {
			d.mu.Unlock()
			return nil
		}
		changed := d.nextChange()
		d.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// wake wakes the waiting goroutines. d.mu is held.
func (d *Inbox) wake() {
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

const maxMessage = 4000 // bytes of a server's message

// Elicit implements Host.
func (d *Inbox) Elicit(ctx context.Context, e Elicitation) (Response, error) {
	if err := d.rest(ctx, e.Server); err != nil {
		return Response{}, err
	}
	e.Message = sanitize.Clip(e.Message, maxMessage)
	q := &Question{Elicitation: e, inbox: d, over: make(chan struct{})}
	var err error
	if e.URL != "" {
		q.Visit, err = ReadVisit(e.URL)
	} else {
		q.Form, err = Parse(e.Schema)
	}
	switch {
	case err != nil:
		d.notify("invalid "+e.Server, "Server %q asked for input that aloud cannot show: %v", e.Server, err)
		return Response{}, err
	case !d.screen:
		d.notify("no screen "+e.Server, "Server %q asked for input, which only the full-screen chat can show. Declined: %s",
			e.Server, sanitize.Clip(sanitize.Line(e.Message), 200))
		return Response{Action: Decline}, nil
	}
	return d.ask(ctx, q)
}

const (
	maxNotices       = 50 // kept until they are read
	maxNoticesPerKey = 10
)

// notify adds a notice. It drops those of a key after the first few, because a server could cause any number.
func (d *Inbox) notify(key, format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notifyLocked(key, format, args...)
}

func (d *Inbox) notifyLocked(key, format string, args ...any) {
	d.noticed[key]++
	switch n := d.noticed[key]; {
	case n == maxNoticesPerKey:
		d.addNotice(format+" (more notices like this are hidden)", args...)
	case n < maxNoticesPerKey:
		d.addNotice(format, args...)
	}
}

// addNotice adds a sanitized notice. d.mu is held.
func (d *Inbox) addNotice(format string, args ...any) {
	d.notices = append(d.notices, sanitize.Line(fmt.Sprintf(format, args...)))
	d.notices = d.notices[max(0, len(d.notices)-maxNotices):]
	d.wake()
}

// Notices returns the sanitized notices since the last call.
func (d *Inbox) Notices() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	notices := d.notices
	d.notices = nil
	return notices
}

// Told waits until there are notices, and returns them, or the error of ctx.
func (d *Inbox) Told(ctx context.Context) (notices []string, err error) {
	err = d.wait(ctx, func() bool {
		notices, d.notices = d.notices, nil
		return len(notices) > 0
	})
	return notices, err
}
