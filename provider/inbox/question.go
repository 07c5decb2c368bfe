package inbox

import (
	"context"
	"slices"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// Kind says what you are asked.
type Kind int

// The kinds of questions.
const (
	Form       Kind = iota // to fill in a form
	Page                   // whether to open a page in the browser
	Permission             // whether the model may write something for the server
	Review                 // whether what it wrote may go to the server
)

// Question is one question of a server to you. Its fields must not be changed; its texts are raw but for those of Form and Visit.
type Question struct {
	Kind        Kind
	Server      string
	Elicitation mcpclient.Elicitation // of a Form or Page
	Form        elicit.Form           // of a Form
	Visit       Visit                 // of a Page
	Sampling    mcpclient.Sampling    // of a Permission or Review
	Model       string                // that writes, or wrote
	MaxTokens   int                   // that it writes at most
	Written     string                // of a Review: what the model wrote

	inbox     *Inbox
	over      chan struct{}
	answer    Answer
	takenBack bool
}

// Answer is your answer. The zero value is none.
type Answer struct {
	Action  mcpclient.Action // Accept for yes
	Content map[string]any   // of a Form that is accepted: values by the names of its fields
	Session bool             // Accept of a Permission: and of all that the server wants of the model in this session; Decline: and of all it asks
}

// mostWaiting is how many questions of one server may wait.
const mostWaiting = 3

// ask puts a question into the line and waits for its answer. The error is ctx's, or says that the server asks too much.
func (d *Inbox) ask(ctx context.Context, q *Question) (Answer, error) {
	q.inbox, q.over = d, make(chan struct{})
	if a, is := d.turnedAway(q.Server); is {
		return a, nil
	}
	if !d.enqueue(q) {
		return Answer{}, errBusy
	}
	select {
	case <-q.over:
	case <-ctx.Done():
		d.settle(q, Answer{Action: mcpclient.Cancel}, true)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if q.takenBack {
		return q.answer, ctx.Err()
	}
	return q.answer, nil
}

func (d *Inbox) enqueue(q *Question) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	waiting := 0
	for _, other := range d.queue {
		if other.Server == q.Server {
			waiting++
		}
	}
	if waiting >= mostWaiting {
		return false
	}
	d.queue = append(d.queue, q)
	d.news()
	return true
}

// settle ends a question, unless it is over.
func (d *Inbox) settle(q *Question, a Answer, takenBack bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.Index(d.queue, q)
	if i < 0 {
		return
	}
	d.queue = slices.Delete(d.queue, i, i+1)
	if d.open == q {
		d.open = nil
		if a.Action != mcpclient.Accept {
			d.unwant(q.Server, a)
		}
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
func (q *Question) Answer(a Answer) { q.inbox.settle(q, a, false) }

// Over is closed when the question was answered, or its server does not wait for an answer any more.
func (q *Question) Over() <-chan struct{} { return q.over }

// TakenBack tells, once the question is over, whether its server gave it up before there was an answer.
func (q *Question) TakenBack() bool {
	q.inbox.mu.Lock()
	defer q.inbox.mu.Unlock()
	return q.takenBack
}
