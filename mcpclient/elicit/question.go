package elicit

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Question is an elicitation in an Inbox. Its fields must not be changed. Only the texts of Form and Visit are
// sanitized.
type Question struct {
	Elicitation
	Form  Form  // without a URL
	Visit Visit // with a URL

	inbox     *Inbox
	over      chan struct{}
	response  Response
	takenBack bool
}

// ask queues an elicitation and waits for the response. The error is that of ctx.
func (d *Inbox) ask(ctx context.Context, q *Question) (Response, error) {
	d.enqueue(q)
	select {
	case <-q.over:
	case <-ctx.Done():
		d.settle(q, Response{Action: Cancel}, true)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if q.takenBack {
		return q.response, ctx.Err()
	}
	return q.response, nil
}

// enqueue queues an elicitation, or declines it if all of its server are declined.
func (d *Inbox) enqueue(q *Question) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queue = append(d.queue, q)
	if d.declined[q.Server] {
		d.closeLocked(q, Response{Action: Decline})
	}
	d.wake()
}

// maxClosed is how many elicitations of a server you close in a row before its further ones are declined.
const maxClosed = 3

// settle closes an elicitation that is still open. takenBack means that the server cancelled it.
func (d *Inbox) settle(q *Question, r Response, takenBack bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Contains(d.queue, q) {
		return
	}
	switch name := q.Server; {
	case takenBack:
		q.takenBack = true
		if d.open == q {
			d.rested[name] = time.Now().Add(restPause)
			d.notifyLocked("taken back "+name, "Server %q no longer needs your answer", name)
		}
	case r.Action == Accept:
		d.closed[name] = 0
	default:
		if d.closed[name]++; d.closed[name] == maxClosed && !d.declined[name] {
			d.declineLocked(name, fmt.Sprintf("You closed %d requests of server %q in a row. ", maxClosed, name))
		}
	}
	d.closeLocked(q, r)
}

// closeLocked ends an elicitation in the queue. d.mu is held.
func (d *Inbox) closeLocked(q *Question, r Response) {
	i := slices.Index(d.queue, q)
	d.queue = slices.Delete(d.queue, i, i+1)
	if d.open == q {
		d.open = nil
	}
	r.Always = d.declined[q.Server]
	q.response = r
	close(q.over)
	d.wake()
}

// declineLocked declines the further elicitations of a server, and tells you so after why. d.mu is held.
func (d *Inbox) declineLocked(server, why string) {
	d.declined[server] = true
	d.addNotice("%sAll input requests of %s are declined until you restart aloud", why, server)
}

// restPause is the pause between an elicitation that a server cancelled while you saw it, and its next one. Without it,
// a server could open and close dialogs endlessly.
const restPause = time.Second

// rest waits until a server may ask again. The error is that of ctx.
func (d *Inbox) rest(ctx context.Context, server string) error {
	d.mu.Lock()
	left := time.Until(d.rested[server])
	d.mu.Unlock()
	if left <= 0 {
		return nil
	}
	select {
	case <-time.After(left):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Next waits until the elicitation that it last returned is closed, and returns the next one. The error is that of ctx.
func (d *Inbox) Next(ctx context.Context) (q *Question, err error) {
	err = d.wait(ctx, func() bool {
		if d.open == nil && len(d.queue) > 0 {
			d.open = d.queue[0]
			q = d.open
		}
		return q != nil
	})
	return q, err
}

// Answer answers the elicitation. It does nothing if the elicitation is closed already.
func (q *Question) Answer(r Response) { q.inbox.settle(q, r, false) }

// DeclineAll declines the elicitation, and all others of its server in this session.
func (q *Question) DeclineAll() {
	q.inbox.mu.Lock()
	q.inbox.declineLocked(q.Server, "")
	open := slices.Clone(q.inbox.queue)
	q.inbox.mu.Unlock()
	for _, one := range open {
		if one.Server == q.Server {
			one.Answer(Response{Action: Decline})
		}
	}
}

// Over returns a channel that is closed when the elicitation was answered, or cancelled by its server.
func (q *Question) Over() <-chan struct{} { return q.over }
