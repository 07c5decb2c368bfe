package elicit

import (
	"context"
	"slices"
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

// maxQueued is how many elicitations of one server may be in the queue.
const maxQueued = 3

// ask queues an elicitation and waits for the response. The error is that of ctx, or errBusy.
func (d *Inbox) ask(ctx context.Context, q *Question) (Response, error) {
	if err := d.enqueue(q); err != nil {
		return Response{}, err
	}
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

// enqueue queues an elicitation, or declines it if you declined all of its server.
func (d *Inbox) enqueue(q *Question) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.declined[q.Server] {
		q.response.Action = Decline
		close(q.over)
		return nil
	}
	queued := 0
	for _, other := range d.queue {
		if other.Server == q.Server {
			queued++
		}
	}
	if queued >= maxQueued {
		return errBusy
	}
	d.queue = append(d.queue, q)
	d.wake()
	return nil
}

// settle closes an elicitation that is still open.
func (d *Inbox) settle(q *Question, r Response, takenBack bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.Index(d.queue, q)
	if i < 0 {
		return
	}
	d.queue = slices.Delete(d.queue, i, i+1)
	if d.open == q {
		d.open = nil
	}
	q.response, q.takenBack = r, takenBack
	close(q.over)
	d.wake()
}

// Next waits until the elicitation that it last returned is closed, and returns the next one. The error is that of ctx.
func (d *Inbox) Next(ctx context.Context) (*Question, error) {
	for {
		d.mu.Lock()
		if d.open == nil && len(d.queue) > 0 {
			d.open = d.queue[0]
			defer d.mu.Unlock()
			return d.open, nil
		}
		changed := d.nextChange()
		d.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Answer answers the elicitation. It does nothing if the elicitation is closed already.
func (q *Question) Answer(r Response) { q.inbox.settle(q, r, false) }

// DeclineAll declines the elicitation, and all others of its server in this session.
func (q *Question) DeclineAll() {
	q.inbox.mu.Lock()
	q.inbox.declined[q.Server] = true
	q.inbox.addNotice("All input requests of %s are declined until you restart aloud", q.Server)
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

// TakenBack reports, once Over is closed, whether the server cancelled the elicitation before it was answered.
func (q *Question) TakenBack() bool {
	q.inbox.mu.Lock()
	defer q.inbox.mu.Unlock()
	return q.takenBack
}
