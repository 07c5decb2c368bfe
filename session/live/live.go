// Package live has a conversation while it goes on. It sends your messages, records and observes what happens, and can
// take a message back, continue a stopped turn, or begin a new conversation. The screen and the line mode draw it.
//
// [Chat.Send] and its siblings (turn.go) begin a turn and return its events. choice.go and model.go choose the model.
package live

import (
	"slices"
	"sync"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/status"
)

// Parts are the parts of a chat.
type Parts struct {
	Chat         loop.Chat             // the settings of its turns; New sets Session and Shared
	Choice       Choice                // of a model if Chat.Name is ""
	Conversation provider.Conversation // to continue
	At           int                   // your question, from 1, in whose place the next one begins a branch; 0 for none
	Recorder     *session.Recorder     // nil if nothing is saved; Clear and Close close it
	Sessions     *session.Store        // for Clear and Open; nil if nothing is saved
	Offers       attach.Source         // resources and prompts of servers; may be nil
	Files        attach.Files          // the working folder, whose files can be attached; may be nil
	Style        status.Style          // how running tools are described; "" means by name
}

// Chat is a conversation that goes on. Only one turn may run at a time. Until its events have ended, call only the
// methods that may be called at any time.
type Chat struct {
	parts    Parts // the parts for the next turn
	shared   *loop.Shared
	observer status.Observer
	mu       sync.Mutex // guards parts.Conversation while a turn runs, and steered
	begun    bool       // a turn has begun
	stopped  bool       // the last turn can be continued
	steered  []provider.Message

	turns    []session.Turn   // of the conversation
	branches []session.Branch // in the order in which they began; the current one as it was when it was left
	current  int              // its index
	forking  bool             // a branch begins with the next turn
	kept     int              // number of messages before that branch
}

// New returns a chat.
func New(p Parts) *Chat {
	shared := new(loop.Shared)
	p.Chat.Shared, p.Chat.Session = shared, p.Recorder.ID()
	if p.Chat.Policy == nil {
		p.Chat.Policy = mcpclient.NewPolicy(mcpclient.ApprovalAuto, nil, nil, nil)
	}
	c := &Chat{
		parts: p, shared: shared, begun: p.Conversation.Len() > 0,
		observer: status.Observer{Style: p.Style, Clock: shared.Clock, Log: p.Chat.Log, Show: func(status.State) {}},
	}
	c.parts.Chat.Steer = c.Unsteer
	c.enter(p.Recorder.Branches())
	if p.At > 0 {
		_, _ = c.Fork(p.At) // the caller has checked it
	}
	return c
}

// isStopped reports whether the last turn of a conversation was stopped.
func isStopped(conv provider.Conversation, turns []session.Turn) bool {
	for i, last := range slices.Backward(conv.Messages()) {
		if last.Role == provider.RoleSummary { // summaries are not messages
			continue
		}
		if n := len(turns); n > 0 && turns[n-1].Messages > i {
			return canGoOn(turns[n-1].Result.Stop)
		}
		return last.Partial || last.Role != provider.RoleAssistant // it was saved in the middle of a turn
	}
	return false
}

// canGoOn reports whether a stopped turn can be continued.
func canGoOn(s event.Stop) bool { return s.Reason != event.Done && s.Reason != event.GaveUp }

// Watch sets the function that gets every new state of the status line, one at a time.
func (c *Chat) Watch(show func(status.State)) { c.observer.Show = show }

// Settings returns the settings of the next turn.
func (c *Chat) Settings() loop.Chat { return c.parts.Chat }

// Think sets whether the model thinks first.
func (c *Chat) Think(think provider.Think) { c.parts.Chat.Think = think }

// Instruct replaces your instructions for the model.
func (c *Chat) Instruct(instructions string) { c.parts.Chat.System = sanitize.Text(instructions) }

// Conversation returns everything so far. It may be called at any time.
func (c *Chat) Conversation() provider.Conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.parts.Conversation
}

// keep replaces the conversation during a turn.
func (c *Chat) keep(conv provider.Conversation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parts.Conversation = conv
}

// Stopped reports whether the last turn was stopped and can be continued.
func (c *Chat) Stopped() bool { return c.stopped && c.parts.Conversation.Len() > 0 }

// Wants returns what an input needs from servers and files, as [attach.Input.Wants] does, or "" without both.
func (c *Chat) Wants(in attach.Input) string {
	if c.parts.Offers == nil && c.parts.Files == nil {
		return ""
	}
	in.Message = in.Message || c.parts.Offers == nil // there are no prompts
	return in.Wants()
}

// Reader returns a reader of what an input needs from servers and files, for the model in use. It may be used at any
// time.
func (c *Chat) Reader() attach.Reader {
	limits := c.parts.Chat.AttachLimits()
	return attach.Reader{Source: c.parts.Offers, Files: c.parts.Files, AttachLimits: limits, Model: c.parts.Chat.Model}
}

// Clear begins a new conversation, with its own session. The error is that of closing the old one.
func (c *Chat) Clear() error {
	var fresh *session.Recorder
	if c.parts.Sessions != nil {
		fresh = c.parts.Sessions.New()
	}
	c.parts.Choice = c.parts.Choice.ForNew()
	return c.replace(fresh, provider.Conversation{})
}

// Open goes on with a saved conversation. This one stays as it is, also after an error, which matches session.ErrInUse
// if another process writes the other one. wants is the model that it had, if that is another one of this provider.
func (c *Chat) Open(id string) (wants string, err error) {
	if id == c.parts.Chat.Session {
		return "", nil
	}
	r, conv, err := c.parts.Sessions.Resume(id)
	if err != nil {
		return "", err
	}
	had := r.Before()
	c.parts.Choice.Before, c.parts.Choice.From = had, "" // --model was for the conversation of the start
	if had.Model != "" && !provider.SameModel(had.Model, c.parts.Chat.Name) && !c.parts.Choice.Elsewhere() {
		wants = had.Model
	}
	return wants, c.replace(r, conv)
}

// Sessions returns the saved conversations, or nil if nothing is saved.
func (c *Chat) Sessions() *session.Store { return c.parts.Sessions }

// replace goes on with another conversation. The error is that of closing the session of this one.
func (c *Chat) replace(r *session.Recorder, conv provider.Conversation) error {
	err := c.parts.Recorder.Close()
	c.parts.Recorder, c.parts.Chat.Session = r, r.ID()
	c.begun = conv.Len() > 0
	c.keep(conv)
	c.enter(r.Branches())
	return err
}

// Saved reports whether a turn has begun and is in the session.
func (c *Chat) Saved() bool { return c.begun && c.parts.Recorder.Saved() }

// Close closes the session. It may be called more than once.
func (c *Chat) Close() error { return c.parts.Recorder.Close() }
