package ui

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// Input passes through submit, which empties the composer, parse, which distinguishes commands from questions, and ask,
// which sends a question. While something else runs, both are queued as typed. If a question needs data from a server,
// a command reads it, and resolved continues with the result.

// question is your message on its way to the model.
type question struct {
	input    attach.Input       // as it was typed; put back into the composer if it is not sent
	call     *attach.Call       // the prompt that it uses, with all arguments; nil until these are known
	messages []provider.Message // the messages to send; nil until they are known
	allowed  []string           // files that you agreed to attach
	notes    []string           // content that the model does not get
}

type (
	// resolvedMsg is a question whose data from servers was read, or the error.
	resolvedMsg struct {
		question
		missing []mcpclient.PromptArgument // arguments that the prompt still needs
		doubt   string                     // why there is no such prompt, or ""
		err     error
	}
	// askMsg is a question to continue with.
	askMsg struct{ question }
)

// abandoned returns an input that you cancelled to an empty composer.
func abandoned(in attach.Input) composer.Change {
	return func(p *composer.Composer) {
		if p.Empty() {
			p.PutBack(in)
		}
	}
}

// doubted returns an input to the composer for you to edit. Sent as it is, it is a message.
func doubted(in attach.Input) composer.Change { return func(p *composer.Composer) { p.Doubt(in) } }

// submit takes the draft from the composer. With a list of completions, it takes the chosen one, and sends a command.
// With nothing in the composer, it may continue a stopped turn, or the queue.
func (m *model) submit() tea.Cmd {
	if m.prompt.EndsLine() || m.prompt.Listed() > 0 && !m.prompt.Complete() {
		return nil
	}
	if m.prompt.Empty() && m.enterContinues(time.Now()) {
		return goOn(m, "")
	}
	in := m.prompt.Take()
	if in.Text == "" && m.talk.queue.release() || m.talk.queue.back(in) {
		return m.next()
	}
	if in.Text == "" {
		return nil
	}
	m.transcript.End()
	var store tea.Cmd
	if file, from := m.options.History, m.welcome.here.Folder; m.prompt.Said(in, from) && file != "" && in.Images == nil {
		store = func() tea.Msg {
			if err := composer.AppendHistory(file, in, from); err != nil {
				return screen.Flash{Text: err.Error()}
			}
			return nil
		}
	}
	return tea.Batch(store, m.parse(in))
}

// parse returns the command or question in an input.
func (m *model) parse(in attach.Input) tea.Cmd {
	if name, arg, ok := in.Command(); ok && !m.resolver.prompts(in) {
		return m.command(in, name, arg)
	}
	return m.ask(question{input: in})
}

// command runs a slash command, or queues it.
func (m *model) command(in attach.Input, name, arg string) tea.Cmd {
	c, doubt := findCommand(name, arg)
	if doubt != "" {
		return askAgain(in, name, doubt)
	}
	if c.between && (m.talk.busy() || m.resolver.active()) || c.asks() && m.occupied() {
		m.talk.queue.add(in)
		return m.models.seek()
	}
	return tea.Batch(c.run(m, arg), m.next())
}

// ask sends a question, reads the data it needs first, or queues it.
func (m *model) ask(q question) tea.Cmd {
	switch {
	case m.occupied():
		m.talk.queue.add(q.input)
		return m.models.seek()
	case q.messages == nil && (m.talk.chat.Wants(q.input) != "" || q.input.Images != nil):
		return m.resolver.begin(q, &m.dialogs, &m.status)
	case q.messages == nil:
		q.messages = []provider.Message{q.input.Said()}
	}
	for _, note := range q.notes {
		m.transcript.Notice(transcript.Warn, note)
	}
	return m.send(q.messages...)
}

// resolved continues with a question. A prompt is shown before it is sent, because a server wrote it, and it is sent as
// your message.
func (m *model) resolved(msg resolvedMsg) tea.Cmd {
	m.resolver.stop = nil
	m.status.end(event.Done)
	unasked, _ := errors.AsType[*attach.Unasked](msg.err)
	switch {
	case unasked != nil:
		m.dialogs.Open(msg.askFor(*unasked))
		return nil
	case msg.err != nil:
		m.talk.queue.held = true
		m.prompt.PutBack(msg.input)
		return refused(msg.err, m.transcript)
	case msg.doubt != "":
		m.talk.queue.held = true
		return askAgain(msg.input, msg.input.Wants(), msg.doubt)
	case len(msg.missing) > 0:
		fillIn(msg.question, msg.missing, &m.dialogs)
		return nil
	case msg.call == nil:
		return m.ask(msg.question)
	}
	m.dialogs.Open(msg.preview())
	return nil
}

// preview shows a prompt before it is sent.
func (q question) preview() dialog.Dialog {
	return dialog.NewPreview(dialog.Preview{
		Name: q.call.Name(), Messages: q.messages, Notes: q.notes, Send: askMsg{q}, Leave: abandoned(q.input),
		Edit: func(text string) tea.Msg { return doubted(attach.Served(text)) },
	})
}

// askFor asks for a file before it is read.
func (q question) askFor(file attach.Unasked) dialog.Dialog {
	q.allowed = append(slices.Clip(q.allowed), file.Path)
	return dialog.NewAttach(file.Path, file.Why, askMsg{q}, abandoned(q.input))
}

// resolver reads from servers the prompt or resources that a question names. The status row shows it meanwhile.
type resolver struct {
	chat *live.Chat
	stop func() // nil if nothing is being read
}

func (r *resolver) active() bool { return r.stop != nil }

// leave stops reading.
func (r *resolver) leave() {
	if r.active() {
		r.stop()
	}
}

// prompts reports whether an input has the form of a server's prompt, "/server:prompt".
func (r *resolver) prompts(in attach.Input) bool {
	return strings.HasPrefix(r.chat.Wants(in), "/")
}

// begin returns the command that reads the data for a question. For a prompt that is known already, it asks for the
// arguments at once.
func (r *resolver) begin(q question, dialogs *dialog.Stack, row *statusBar) tea.Cmd {
	reader, prompt := r.chat.Reader(), r.prompts(q.input)
	reader.Allowed = q.allowed
	if prompt && q.call == nil {
		call, ok, err := attach.Parse(q.input, reader.Source.Prompts())
		if blanks := missing(call); ok && err == nil && len(blanks) > 0 {
			q.call = &call
			fillIn(q, blanks, dialogs)
			return nil
		}
	}
	row.start()
	what := status.Attaching(cmp.Or(r.chat.Wants(q.input), "images"))
	row.set(&status.State{Phase: status.Reading, Text: what, Since: time.Now()})
	begin, stop := screen.Start(func(ctx context.Context, send func(tea.Msg)) {
		msg := resolvedMsg{question: q}
		if msg.err = msg.read(ctx, reader, prompt); msg.err != nil {
			msg.err = cmp.Or(ctx.Err(), msg.err)
		}
		send(msg)
	})
	r.stop = stop
	return begin
}

// read reads the resources that a question mentions, or the prompt that it uses. It waits for a server that is still
// starting. It does not read a prompt with missing arguments.
func (msg *resolvedMsg) read(ctx context.Context, reader attach.Reader, prompt bool) (err error) {
	if prompt && msg.call == nil {
		msg.call, err = reader.Find(ctx, msg.input)
		switch none := new(attach.CallError); {
		case msg.call == nil && errors.As(err, &none):
			msg.doubt = strings.TrimSuffix(dialog.Sentence(err), ".")
			return nil
		case err != nil:
			return err
		case msg.call == nil:
			msg.doubt = noCommand(strings.TrimPrefix(msg.input.Wants(), "/"), reader.Source.Prompts()...)
			return nil
		}
		if msg.missing = missing(*msg.call); len(msg.missing) > 0 {
			return nil
		}
	}
	msg.messages, msg.notes, err = reader.Messages(ctx, msg.input, msg.call)
	return err
}

// missing returns the arguments of a prompt to ask for: all of them, or only the required ones if some were typed.
func missing(call attach.Call) []mcpclient.PromptArgument {
	if len(call.Arguments) > 0 {
		return call.Missing()
	}
	return call.Prompt.Arguments
}

// fillIn asks for the arguments of a prompt.
func fillIn(q question, blanks []mcpclient.PromptArgument, dialogs *dialog.Stack) {
	call := *q.call
	dialogs.Open(dialog.NewValues(dialog.Values{
		Title: call.Name(), Description: look.Described(call.Prompt.Title, call.Prompt.Description),
		Blanks: blanks, Known: call.Arguments, Left: abandoned(q.input),
		Done: func(values map[string]string) tea.Msg {
			call.Arguments = values
			return askMsg{question{input: q.input, call: &call}}
		},
	}))
}
