package elicit

import (
	"context"
	"slices"
)

// Question is one question of a server to you. Its fields must not be changed; its texts are raw but for those of Form and Visit.
type Question struct {
	Elicitation
	Form  Form  // to fill in, without a URL
	Visit Visit // the page to open, with a URL

	inbox     *Inbox
	over      chan struct{}
	answer    Elicited
	takenBack bool
}

// mostWaiting is how many questions of one server may wait.
const mostWaiting = 3

// ask puts a question into the line and waits for its answer. The error is ctx's, or says that the server asks too much.
func (d *Inbox) ask(ctx context.Context, q *Question) (Elicited, error) {
	if err := d.enqueue(q); err != nil {
		return Elicited{}, err
	}
	select {
	case <-q.over:
	case <-ctx.Done():
		d.settle(q, Elicited{Action: Cancel}, true)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if q.takenBack {
		return q.answer, ctx.Err()
	}
	return q.answer, nil
}

// enqueue puts a question into the line, or declines it for you.
func (d *Inbox) enqueue(q *Question) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.declined[q.Server] {
		q.answer.Action = Decline
		close(q.over)
		return nil
	}
	waiting := 0
	for _, other := range d.queue {
		if other.Server == q.Server {
			waiting++
		}
	}
	if waiting >= mostWaiting {
		return errBusy
	}
	d.queue = append(d.queue, q)
	d.news()
	return nil
}

// settle ends a question, unless it is over.
func (d *Inbox) settle(q *Question, a Elicited, takenBack bool) {
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
	q.answer, q.takenBack = a, takenBack
	close(q.over)
	d.news()
}

// Next waits for the next question, and for the one before it to be over. The error is ctx's.
func (d *Inbox) Next(ctx context.Context) (*Question, error) {
	for {
		d.mu.Lock()
		if d.open == nil && len(d.queue) > 0 {
			d.open = d.queue[0]
			defer d.mu.Unlock()
			return d.open, nil
		}
		changed := d.change()
		d.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Answer answers the question. When it is over already nothing happens.
func (q *Question) Answer(a Elicited) { q.inbox.settle(q, a, false) }

// DeclineAll declines the question, and all that its server asks in this session.
func (q *Question) DeclineAll() {
	q.inbox.mu.Lock()
	q.inbox.declined[q.Server] = true
	q.inbox.note("Whatever %s asks is declined from now on, until aloud is started again.", q.Server)
	open := slices.Clone(q.inbox.queue)
	q.inbox.mu.Unlock()
	for _, one := range open {
		if one.Server == q.Server {
			one.Answer(Elicited{Action: Decline})
		}
	}
}

// Over is closed when the question was answered, or its server does not wait for an answer any more.
func (q *Question) Over() <-chan struct{} { return q.over }

// TakenBack tells, once the question is over, whether its server gave it up before there was an answer.
func (q *Question) TakenBack() bool {
	q.inbox.mu.Lock()
	defer q.inbox.mu.Unlock()
	return q.takenBack
}
