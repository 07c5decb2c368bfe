// Package inbox answers what MCP servers ask: it hands their questions to you, one at a time, and has the chat's model write for them.
//
// An Inbox is the mcpclient.Host of a chat. The screen takes the questions with Next and gives the answers back; without a screen, what you
// would have to answer is declined. Nothing here draws.
package inbox

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/sanitize"
)

// Inbox is where servers ask. All methods are safe for concurrent use.
type Inbox struct {
	person bool
	writer chan struct{} // holds one token while the model writes: one server is served after the other

	mu       sync.Mutex
	chat     *loop.Chat // nil: there is none yet
	modes    map[string]string
	allowed  map[string]bool // servers whose sampling you allowed for this session
	accounts map[string]*account
	unwanted map[string]*unwanted // by server
	queue    []*Question          // that are not over, in the order in which they came
	open     *Question            // the one that Next gave out
	writing  string               // the server that the model writes for
	notices  []string
	told     map[string]int // how often a kind of notice was told
	changed  chan struct{}  // closed when something of this changes; nil if no one waits
}

var (
	_ mcpclient.Host = (*Inbox)(nil)
	_ loop.Asker     = (*Inbox)(nil)
)

// New makes an inbox. person reports whether a screen takes the questions; modes are the configured ask modes of sampling by server, "ask" where
// one is missing.
func New(person bool, modes map[string]string) *Inbox {
	return &Inbox{
		person: person, modes: modes, writer: make(chan struct{}, 1),
		allowed: map[string]bool{}, accounts: map[string]*account{}, told: map[string]int{}, unwanted: map[string]*unwanted{},
	}
}

// Use has the chat's model write from now on.
func (d *Inbox) Use(chat *loop.Chat) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.chat = chat
}

// SetModes changes the ask modes of sampling, when the configuration did.
func (d *Inbox) SetModes(modes map[string]string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.modes = modes
}

// Asking implements loop.Asker.
func (d *Inbox) Asking() (provider.Ask, <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	changed := d.change()
	switch {
	case len(d.queue) > 0:
		return provider.Ask{Server: d.queue[0].Server}, changed
	case d.writing != "":
		return provider.Ask{Server: d.writing, Model: true}, changed
	}
	return provider.Ask{}, changed
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

// Elicit implements mcpclient.Host: it asks you to fill in a form, or to visit a page.
func (d *Inbox) Elicit(ctx context.Context, e mcpclient.Elicitation) (mcpclient.Elicited, error) {
	e.Message = sanitize.Clip(e.Message, mostMessage)
	q := &Question{Kind: Form, Server: e.Server, Elicitation: e}
	var err error
	if e.URL != "" {
		q.Kind = Page
		q.Visit, err = ReadVisit(e.URL)
	} else {
		q.Form, err = elicit.Parse(e.Schema)
	}
	switch {
	case err != nil:
		d.tell("shown "+e.Server, mostTold, "The server %q asked something that cannot be shown: %v.", e.Server, err)
		return mcpclient.Elicited{}, err
	case !d.person:
		d.tell("nobody "+e.Server, mostTold, "The server %q asked something that only the full-screen chat can show, so it was declined: %s", e.Server, sanitize.Clip(sanitize.Line(e.Message), 200))
		return mcpclient.Elicited{Action: mcpclient.Decline}, nil
	}
	a, err := d.ask(ctx, q)
	if err != nil || a.Action != mcpclient.Accept {
		return mcpclient.Elicited{Action: a.Action}, err
	}
	if q.Kind == Page {
		return mcpclient.Elicited{Action: mcpclient.Accept}, nil
	}
	return mcpclient.Elicited{Action: mcpclient.Accept, Content: a.Content}, nil
}

const (
	mostNotices = 50 // that are kept until they are read
	mostTold    = 10 // of one kind
)

// tell keeps a sentence for you, the first most times for a key, as a server could go on forever; 0 means every time.
func (d *Inbox) tell(key string, most int, format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.told[key]++
	switch n := d.told[key]; {
	case n == most && most > 1:
		d.note(format+" (more of this is not told)", args...)
	case n <= most || most == 0:
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
