package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/transcript"
)

// Offers is what servers offer besides tools: *mcpclient.Set.
type Offers interface {
	attach.Source
	Complete(ctx context.Context, ref mcpclient.Ref, argument, typed string, known map[string]string) ([]string, error)
	Updated() []mcpclient.Resource
}

// Messages about prompts and resources.
type (
	// readMsg is a question for which a server was read, or why it cannot be.
	readMsg struct {
		question
		err error
	}
	// onwardMsg is a question that may take its next step.
	onwardMsg struct{ question }
	// leftMsg is an input that the person gave up.
	leftMsg struct{ input attach.Input }
	// editMsg is what a prompt says, for the person to edit.
	editMsg struct{ input attach.Input }
	// addressMsg has a template's values: it becomes an address in the draft.
	addressMsg struct {
		template mcpclient.Resource
		values   map[string]string
	}
)

// offers makes messages of questions with what servers offer besides tools.
type offers struct {
	ctx    context.Context // of commands
	source Offers          // nil: there are none
	chat   *provider.Chat  // that says what the model can take
	prompt *composer.Composer
	open   func(dialog)
	say    func(string) tea.Cmd // a word about the last key
	errand errand
}

// step takes a question nearer to the model. Where that takes long, or needs the person, there is a command, and a message comes back.
func (o *offers) step(q question) (_ question, wait tea.Cmd) {
	switch {
	case q.messages != nil:
		return q, nil
	case q.call != nil:
		return q, o.fetch(q)
	}
	if call, ok, _ := o.call(q.input); ok {
		return q, o.ask(q, call)
	}
	switch {
	case o.named(q.input):
		return q, o.find(q)
	case o.source != nil && q.input.Wants() != "":
		return q, o.attach(q)
	}
	q.messages = []provider.Message{{Role: provider.RoleUser, Text: q.input.Text, Foreign: q.input.Foreign}}
	return q, nil
}

// knows tells whether an input asks for a prompt. The error says in a sentence what is wrong with how it does.
func (o *offers) knows(in attach.Input) (yes bool, err error) {
	_, known, err := o.call(in)
	return known || o.named(in), err
}

// named tells whether an input is written like one that asks for a prompt of a server.
func (o *offers) named(in attach.Input) bool {
	return o.source != nil && strings.HasPrefix(in.Wants(), "/")
}

// find waits for the server of which an input names a prompt that is not known: it may be starting. Whether it has one the error says.
func (o *offers) find(q question) tea.Cmd {
	reader, wants := o.reader(), q.input.Wants()
	return o.errand.read(o.ctx, wants, func(ctx context.Context) readMsg {
		_, ok, err := reader.Find(ctx, q.input)
		if !ok && err == nil {
			err = errors.New(noCommand(wants[1:], ""))
		}
		return readMsg{q, err}
	})
}

// call finds the prompt that an input asks for, of those that are known.
func (o *offers) call(in attach.Input) (call attach.Call, ok bool, err error) {
	if o.source == nil {
		return attach.Call{}, false, nil
	}
	return attach.Parse(in, o.source.Prompts())
}

func (o *offers) reader() attach.Reader {
	return attach.Reader{Source: o.source, Means: o.chat.Means()}
}

// attach reads the resources that a question mentions.
func (o *offers) attach(q question) tea.Cmd {
	reader := o.reader()
	return o.errand.read(o.ctx, q.input.Wants(), func(ctx context.Context) readMsg {
		message, notes, err := reader.Question(ctx, q.input)
		q.messages, q.notes = []provider.Message{message}, notes
		return readMsg{q, err}
	})
}

// ask asks for what a prompt still needs, and then for the prompt. Arguments in the line are for who knows what they want: then only those that
// are needed are asked for.
func (o *offers) ask(q question, call attach.Call) tea.Cmd {
	blanks := blanksOf(call.Prompt.Arguments)
	if len(call.Arguments) > 0 {
		blanks = blanksOf(call.Missing())
	}
	q.call = &call
	if len(blanks) == 0 {
		return o.fetch(q)
	}
	f := newAskValues(o.ctx, o.source, mcpclient.Ref{Server: call.Prompt.Server, Prompt: call.Prompt.Name}, blanks, call.Arguments)
	f.title, f.about, f.back = call.Name(), look.About(call.Prompt.Title, call.Prompt.Description), leftMsg{q.input}
	f.done = func(values map[string]string) tea.Msg {
		call.Arguments = values
		return onwardMsg{q}
	}
	o.open(f)
	return f.suggest()
}

// fetch gets the messages of a prompt.
func (o *offers) fetch(q question) tea.Cmd {
	reader := o.reader()
	return o.errand.read(o.ctx, q.call.Name(), func(ctx context.Context) readMsg {
		var err error
		q.messages, q.notes, err = reader.Fill(ctx, *q.call)
		return readMsg{q, err}
	})
}

// read takes what was read. The notice says what was wrong; there is none where the person left it.
func (o *offers) read(msg readMsg) (notice string, ok bool) {
	o.errand.over()
	if msg.err == nil {
		return "", true
	}
	if errors.Is(msg.err, errLeft) || errors.Is(msg.err, context.Canceled) {
		return "", false
	}
	return sentence(msg.err), false
}

// fillIn asks for the variables of a template.
func (o *offers) fillIn(template mcpclient.Resource) tea.Cmd {
	f := newAskValues(o.ctx, o.source, mcpclient.Ref{Server: template.Server, Template: template.URI}, blanksOfTemplate(template), nil)
	f.title, f.about = composer.Mention(template.Server, template.URI), look.About(template.Title, template.Description)
	f.done = func(values map[string]string) tea.Msg { return addressMsg{template, values} }
	o.open(f)
	return f.suggest()
}

// address puts the address that a template became into the draft.
func (o *offers) address(msg addressMsg) tea.Cmd {
	uri, err := msg.template.Fill(msg.values)
	if err != nil {
		return o.say(sentence(err))
	}
	o.prompt.Complete(composer.Mention(msg.template.Server, uri) + " ")
	return nil
}

// changed tells the composer and the conversation that servers offer something else now, and says what of it was attached.
func (o *offers) changed(t *transcript.Transcript) tea.Cmd {
	if o.source == nil {
		return nil
	}
	o.prompt.Refresh()
	name := t.MarkChanged(o.source.Updated())
	if name == "" {
		return nil
	}
	return o.say(fmt.Sprintf("%s has changed; mention it again to read it anew", sanitize.Line(name)))
}
