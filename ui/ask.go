package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/transcript"
)

// How what you type goes: submit takes it from the composer, parse makes a command or a question of it, ask takes a
// question to the model. Where something must be fetched first, one command resolves it and resolved goes on.

// Offers is what servers offer besides tools: *mcpclient.Set.
type Offers interface {
	attach.Source
	dialog.Completer
	Updated() []mcpclient.Resource
}

// question is what you ask, on its way to the model.
type question struct {
	input    attach.Input       // as it was written; when nothing comes of it, it is put back into the composer
	call     *attach.Call       // of the prompt that it asks for; nil: none, or it is not known yet
	filled   bool               // the arguments of the call are complete
	messages []provider.Message // that it has become; nil: not yet
	notes    []string           // what of it the model does not get
}

// waiting is a question or a command that waits for its time.
type waiting struct {
	input attach.Input
	begun bool // something was done for it already: others wait behind it
	do    func() tea.Cmd
}

type (
	// resolvedMsg is a question for which a server was read, or why it cannot be.
	resolvedMsg struct {
		question
		err error
	}
	// askMsg is a question that can go on.
	askMsg struct{ question }
	// leftMsg is an input that you gave up.
	leftMsg struct{ input attach.Input }
	// editMsg is what a prompt says, for you to edit.
	editMsg struct{ text string }
	// addressMsg has a template's values: it becomes an address in the draft.
	addressMsg struct {
		template mcpclient.Resource
		values   map[string]string
	}
)

// submit takes what is in the composer.
func (m *model) submit() tea.Cmd {
	in := m.prompt.Take()
	if in.Text == "" {
		return nil
	}
	m.transcript.End()
	var store tea.Cmd
	if m.prompt.Said(in) {
		store = storeHistory(m.options.History, in.Text)
	}
	return tea.Batch(store, m.parse(in))
}

// parse makes a command or a question of an input.
func (m *model) parse(in attach.Input) tea.Cmd {
	call, err := m.resolver.call(in)
	name, arg, isCommand := parseCommand(in)
	switch {
	case err != nil:
		m.prompt.PutBack(in)
		return m.footer.show(dialog.Sentence(err))
	case isCommand && call == nil && !m.resolver.named(in):
		return m.command(in, name, arg)
	}
	return m.ask(question{input: in, call: call})
}

// command carries out a slash command, now or when its time has come.
func (m *model) command(in attach.Input, name, arg string) tea.Cmd {
	c, nearest, ok := findCommand(name)
	switch {
	case !ok:
		m.prompt.PutBack(in)
		return m.footer.show(noCommand(name, nearest))
	case c.between && (m.talk.busy() || m.operation.active()):
		m.talk.enqueue(waiting{input: in, do: func() tea.Cmd { return m.command(in, name, arg) }})
		return nil
	}
	return tea.Batch(c.run(m, arg), m.next())
}

// ask takes a question to the model, now or when its time has come.
func (m *model) ask(q question) tea.Cmd {
	if m.occupied() {
		begun := q.filled || q.messages != nil
		m.talk.enqueue(waiting{q.input, begun, func() tea.Cmd { return m.ask(q) }})
		return m.choice.seek(m.ctx)
	}
	if q.messages == nil {
		if wait := m.resolver.begin(q); wait != nil {
			return wait
		}
		q.messages = []provider.Message{{Role: provider.RoleUser, Text: q.input.Text, Foreign: q.input.Foreign}}
	}
	for _, note := range q.notes {
		m.notice(transcript.Warn, note)
	}
	return m.send(q.messages...)
}

// resolved goes on with a question. What a server wrote in your name is shown before it is sent.
func (m *model) resolved(msg resolvedMsg) tea.Cmd {
	m.operation.over()
	switch {
	case msg.err != nil:
		if !errors.Is(msg.err, errStopped) && !errors.Is(msg.err, context.Canceled) {
			m.notice(transcript.Warn, dialog.Sentence(msg.err))
		}
		m.prompt.PutBack(append([]attach.Input{msg.input}, m.talk.unqueueAll()...)...)
		return nil
	case msg.call == nil, msg.messages == nil:
		return m.ask(msg.question)
	}
	m.dialogs.Open(dialog.NewPreview(dialog.Preview{
		Name: msg.call.Name(), Messages: msg.messages, Notes: msg.notes, Send: askMsg{msg.question}, Leave: leftMsg{msg.input},
		Edit: func(text string) tea.Msg { return editMsg{text} },
	}))
	return nil
}

// resolver makes messages of questions with what servers offer besides tools.
type resolver struct {
	ctx       context.Context // of commands
	source    Offers          // nil: there are none
	chat      *provider.Chat  // that says what the model can take
	prompt    *composer.Composer
	open      func(dialog.Dialog)
	say       func(string) tea.Cmd // a word about the last key
	operation *operation
}

// named reports whether an input is written like one that asks for a prompt of a server.
func (r *resolver) named(in attach.Input) bool {
	return r.source != nil && strings.HasPrefix(in.Wants(), "/")
}

// call finds the prompt that an input asks for; nil if none of those that are known is meant. The error says what is
// wrong with how it does.
func (r *resolver) call(in attach.Input) (*attach.Call, error) {
	if r.source == nil {
		return nil, nil
	}
	call, ok, err := attach.Parse(in, r.source.Prompts())
	if !ok {
		return nil, err
	}
	return &call, err
}

// begin is the command that takes a question nearer to the model; nil if it can go as it is.
func (r *resolver) begin(q question) tea.Cmd {
	switch {
	case q.call != nil && !q.filled:
		if blanks := missing(q.call); len(blanks) > 0 {
			return r.fillIn(q, blanks)
		}
	case q.call == nil && (r.source == nil || q.input.Wants() == ""):
		return nil
	}
	what := q.input.Wants()
	if q.call != nil {
		what = q.call.Name()
	}
	reader := attach.Reader{Source: r.source, Means: r.chat.Means()}
	state := status.State{Phase: status.Reading, Text: status.Attaching(what), Since: time.Now()}
	return r.operation.begin(r.ctx, state, func(ctx context.Context) tea.Msg {
		q, err := resolve(ctx, reader, q)
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return resolvedMsg{q, err}
	})
}

// resolve reads what a question needs. A prompt that was not known, as its server may have been starting, may come back
// without messages: then its arguments are asked for first.
func resolve(ctx context.Context, reader attach.Reader, q question) (_ question, err error) {
	wants := q.input.Wants()
	if q.call == nil && !strings.HasPrefix(wants, "/") {
		var message provider.Message
		message, q.notes, err = reader.Question(ctx, q.input)
		q.messages = []provider.Message{message}
		return q, err
	}
	if q.call == nil {
		call, ok, err := reader.Find(ctx, q.input)
		if err != nil || !ok {
			if err == nil {
				err = errors.New(noCommand(wants[1:], ""))
			}
			return q, err
		}
		if q.call = &call; len(missing(q.call)) > 0 {
			return q, nil
		}
	}
	q.messages, q.notes, err = reader.Fill(ctx, *q.call)
	return q, err
}

// missing are the arguments of a prompt that are asked for: all, or only those that are needed if some were typed.
func missing(call *attach.Call) []mcpclient.PromptArgument {
	if len(call.Arguments) > 0 {
		return call.Missing()
	}
	return call.Prompt.Arguments
}

// fillIn asks for the arguments of a prompt.
func (r *resolver) fillIn(q question, blanks []mcpclient.PromptArgument) tea.Cmd {
	call := *q.call
	v := dialog.NewValues(r.ctx, r.source, mcpclient.Ref{Server: call.Prompt.Server, Prompt: call.Prompt.Name}, blanks, call.Arguments)
	v.Title, v.Description, v.Left = call.Name(), look.About(call.Prompt.Title, call.Prompt.Description), leftMsg{q.input}
	v.Done = func(values map[string]string) tea.Msg {
		call.Arguments = values
		q.call, q.filled = &call, true
		return askMsg{q}
	}
	r.open(v)
	return v.Suggest()
}

// fillTemplate asks for the variables of a template.
func (r *resolver) fillTemplate(template mcpclient.Resource) tea.Cmd {
	var blanks []mcpclient.PromptArgument
	for _, name := range template.Variables() {
		blanks = append(blanks, mcpclient.PromptArgument{Name: name})
	}
	v := dialog.NewValues(r.ctx, r.source, mcpclient.Ref{Server: template.Server, Template: template.URI}, blanks, nil)
	v.Title, v.Description = composer.Mention(template.Server, template.URI), look.About(template.Title, template.Description)
	v.Done = func(values map[string]string) tea.Msg { return addressMsg{template, values} }
	r.open(v)
	return v.Suggest()
}

// address puts the address that a template became into the draft.
func (r *resolver) address(msg addressMsg) tea.Cmd {
	uri, err := msg.template.Fill(msg.values)
	if err != nil {
		return r.say(dialog.Sentence(err))
	}
	r.prompt.Complete(composer.Mention(msg.template.Server, uri) + " ")
	return nil
}

// changed tells the composer and the conversation that servers offer something else now, and says what of it was
// attached.
func (r *resolver) changed(t *transcript.Transcript) tea.Cmd {
	if r.source == nil {
		return nil
	}
	r.prompt.Refresh()
	name := t.MarkChanged(r.source.Updated())
	if name == "" {
		return nil
	}
	return r.say(fmt.Sprintf("%s has changed; mention it again to read the new text", sanitize.Line(name)))
}

// enqueue puts something in line. What was begun goes first.
func (t *talk) enqueue(w waiting) {
	at := len(t.queue)
	if w.begun {
		at = 0
	}
	t.queue = slices.Insert(t.queue, at, w)
}

// dequeue takes what waits first, if its time has come.
func (t *talk) dequeue() (waiting, bool) {
	if t.busy() || len(t.queue) == 0 {
		return waiting{}, false
	}
	next := t.queue[0]
	t.queue = t.queue[1:]
	return next, true
}

// unqueue takes back what was put in line last, as it was written.
func (t *talk) unqueue() attach.Input {
	last := t.queue[len(t.queue)-1]
	t.queue = t.queue[:len(t.queue)-1]
	return last.input
}

// unqueueAll takes back all that waits.
func (t *talk) unqueueAll() (inputs []attach.Input) {
	for _, w := range t.queue {
		inputs = append(inputs, w.input)
	}
	t.queue = nil
	return inputs
}
