package elicit

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/aloudchat/aloud/sanitize"
)

// Inbox is the Host of a chat: it hands you the questions of all servers, one at a time. The screen takes them with Next and gives the answers
// back; without a screen, what you would have to answer is declined. All methods are safe for concurrent use.
type Inbox struct {
	person bool

	mu       sync.Mutex
	declined map[string]bool // servers of which you want no questions in this session
	queue    []*Question     // that are not over, in the order in which they came
	open     *Question       // the one that Next gave out
	notices  []string
	told     map[string]int // how often a kind of notice was told
	changed  chan struct{}  // closed when something of this changes; nil if no one waits
}

var _ Host = (*Inbox)(nil)

// NewInbox makes an inbox. person reports whether a screen takes the questions.
func NewInbox(person bool) *Inbox {
	return &Inbox{person: person, told: map[string]int{}, declined: map[string]bool{}}
}

// Asking implements loop.Asker.
func (d *Inbox) Asking() (server string, changed <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	changed = d.change()
	if len(d.queue) > 0 {
		return d.queue[0].Server, changed
	}
	return "", changed
}

// change is what is closed at the next change. d.mu is held.
func (d *Inbox) change() <-chan struct{} {
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	return d.changed
}

// news wakes the waiting goroutines. d.mu is held.
func (d *Inbox) news() {
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

// mostMessage is how many bytes of a server's message are kept.
const mostMessage = 4000

// Elicit implements Host: it asks you to fill in a form, or to visit a page.
func (d *Inbox) Elicit(ctx context.Context, e Elicitation) (Elicited, error) {
	e.Message = sanitize.Clip(e.Message, mostMessage)
	q := &Question{Elicitation: e, inbox: d, over: make(chan struct{})}
	var err error
	if e.URL != "" {
		q.Visit, err = ReadVisit(e.URL)
	} else {
		q.Form, err = Parse(e.Schema)
	}
	switch {
	case err != nil:
		d.tell("shown "+e.Server, "The server %q asked something that cannot be shown: %v.", e.Server, err)
		return Elicited{}, err
	case !d.person:
		d.tell("nobody "+e.Server, "The server %q asked something that only the full-screen chat can show, so it was declined: %s", e.Server, sanitize.Clip(sanitize.Line(e.Message), 200))
		return Elicited{Action: Decline}, nil
	}
	return d.ask(ctx, q)
}

const (
	mostNotices = 50 // that are kept until they are read
	mostTold    = 10 // of one kind
)

// tell keeps a sentence for you, the first mostTold times for a key, as a server could go on forever.
func (d *Inbox) tell(key, format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.told[key]++
	switch n := d.told[key]; {
	case n == mostTold:
		d.note(format+" (more of this is not told)", args...)
	case n < mostTold:
		d.note(format, args...)
	}
}

// note keeps a safe sentence. d.mu is held.
func (d *Inbox) note(format string, args ...any) {
	d.notices = append(d.notices, sanitize.Line(fmt.Sprintf(format, args...)))
	if extra := len(d.notices) - mostNotices; extra > 0 {
		d.notices = d.notices[extra:]
	}
	d.news()
}

// Notices returns the safe sentences since the last call.
func (d *Inbox) Notices() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	notices := d.notices
	d.notices = nil
	return notices
}

// Told is Notices that waits until there are some, or for ctx's end.
func (d *Inbox) Told(ctx context.Context) ([]string, error) {
	for {
		d.mu.Lock()
		changed := d.change()
		d.mu.Unlock()
		if notices := d.Notices(); len(notices) > 0 {
			return notices, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// errBusy is the answer to a server that asks too much at once.
var errBusy = errors.New("too many questions of this server wait for an answer: ask again later")
