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
)

// Offers is what servers offer besides tools: *mcpclient.Set.
type Offers interface {
	attach.Source
	Complete(ctx context.Context, ref mcpclient.Ref, argument, typed string, known map[string]string) ([]string, error)
	Updated() []mcpclient.Resource
}

// Messages about prompts and resources.
type (
	// readMsg is what became of a question that mentions resources.
	readMsg struct {
		text    string
		message provider.Message
		notes   []string
		err     error
	}
	// filledMsg has the values for a prompt, by the names of its arguments.
	filledMsg struct {
		call attach.Call
		text string // the line that asked for it
	}
	// promptMsg is a prompt as the server has filled it in.
	promptMsg struct {
		call     attach.Call
		text     string
		messages []provider.Message
		notes    []string
		err      error
	}
	// addressMsg has a template's values: it becomes an address in the draft.
	addressMsg struct {
		template mcpclient.Resource
		values   map[string]string
	}
	// sayMsg says the messages of a prompt.
	sayMsg struct {
		messages []provider.Message
		notes    []string
	}
	// draftMsg puts a text into the composer, unless something else is there by now.
	draftMsg struct{ text string }
)

// offered routes the messages about prompts and resources.
func (m *model) offered(msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case readMsg:
		return m.questionRead(msg), true
	case filledMsg:
		return m.fetchPrompt(msg), true
	case promptMsg:
		return m.promptFetched(msg), true
	case addressMsg:
		return m.address(msg), true
	case sayMsg:
		return m.say(msg.notes, msg.messages...), true
	case draftMsg:
		m.redraft(msg.text)
		return nil, true
	}
	return nil, false
}

// errLeft is why something is not read that a person did not want any more.
var errLeft = errors.New("it was left")

func (m *model) desk() attach.Desk {
	return attach.Desk{Source: m.options.Offers, Means: m.talk.chat.Means()}
}

// reads tells whether something is being read for the next question.
func (m *model) reads() bool { return m.reading != nil }

// stopReading gives up what is being read; who asked for it gets their text back.
func (m *model) stopReading() {
	if m.reading != nil {
		m.reading(errLeft)
	}
}

// startReading is a command that reads what is needed for the next question. esc ends it.
func (m *model) startReading(work func(context.Context) tea.Msg) tea.Cmd {
	ctx, cancel := context.WithCancelCause(m.ctx)
	m.reading = cancel
	return tea.Batch(m.footer.show("Reading from the server… esc leaves it"), func() tea.Msg {
		defer cancel(nil)
		return work(ctx)
	})
}

// endReading tells whether that went well; else the text is back in the composer, and what was wrong is said.
func (m *model) endReading(text string, err error) bool {
	m.reading = nil
	m.footer.unshow(m.footer.flashes)
	if err == nil {
		return true
	}
	m.redraft(text)
	if !errors.Is(err, errLeft) && !errors.Is(err, context.Canceled) {
		m.notice(noticeWarn, sentence(err))
	}
	m.takeBackQueue()
	return false
}

// redraft puts a text back into the composer.
func (m *model) redraft(text string) {
	if m.prompt.empty() {
		m.prompt.set(text)
		m.prompt.completion.close()
	}
}

// pose asks a question: at once, or when the resources that it mentions have been read.
func (m *model) pose(text string) tea.Cmd {
	if m.options.Offers == nil || len(attach.Mentions(text)) == 0 {
		return m.ask(provider.Message{Role: provider.RoleUser, Text: text})
	}
	desk, pasted := m.desk(), m.prompt.pasted
	return m.startReading(func(ctx context.Context) tea.Msg {
		message, notes, err := desk.Question(ctx, text, pasted...)
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return readMsg{text, message, notes, err}
	})
}

func (m *model) questionRead(msg readMsg) tea.Cmd {
	if !m.endReading(msg.text, msg.err) {
		return nil
	}
	return m.say(msg.notes, msg.message)
}

// say begins a turn, with a word before about what the model does not get.
func (m *model) say(notes []string, messages ...provider.Message) tea.Cmd {
	for _, note := range notes {
		m.notice(noticeWarn, note)
	}
	return m.ask(messages...)
}

// callOf finds the prompt that an input asks for.
func (m *model) promptOf(text string) (call attach.Call, ok bool, err error) {
	if m.options.Offers == nil || !strings.HasPrefix(text, "/") {
		return attach.Call{}, false, nil
	}
	return attach.Parse(text, m.options.Offers.Prompts())
}

// askPrompt asks for what a prompt still needs, and then for the prompt. Arguments in the line are for who knows what they want: then only those
// that are needed are asked for.
func (m *model) askPrompt(call attach.Call, text string) tea.Cmd {
	blanks := blanksOf(call.Prompt.Arguments)
	if len(call.Arguments) > 0 {
		blanks = blanksOf(call.Missing())
	}
	if len(blanks) == 0 {
		return m.fetchPrompt(filledMsg{call, text})
	}
	f := newAskValues(m.ctx, m.options.Offers, mcpclient.Ref{Server: call.Prompt.Server, Prompt: call.Prompt.Name}, blanks, call.Arguments)
	f.title, f.about, f.back = call.Name(), about(call.Prompt.Title, call.Prompt.Description), draftMsg{text}
	f.done = func(values map[string]string) tea.Msg {
		call.Arguments = values
		return filledMsg{call, text}
	}
	m.dialogs.open(f)
	return f.suggest()
}

func (m *model) fetchPrompt(filled filledMsg) tea.Cmd {
	desk, pasted := m.desk(), m.prompt.pasted
	return m.startReading(func(ctx context.Context) tea.Msg {
		messages, notes, err := desk.Fill(ctx, filled.call, pasted...)
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return promptMsg{filled.call, filled.text, messages, notes, err}
	})
}

func (m *model) promptFetched(msg promptMsg) tea.Cmd {
	if m.endReading(msg.text, msg.err) {
		m.dialogs.open(newPreview(msg))
	}
	return nil
}

// choose acts on a choice from the list of completions.
func (m *model) choose(chosen *match, entered bool) tea.Cmd {
	switch {
	case chosen == nil:
		return nil
	case chosen.template != nil:
		template := *chosen.template
		f := newAskValues(m.ctx, m.options.Offers, mcpclient.Ref{Server: template.Server, Template: template.URI}, blanksOfTemplate(template), nil)
		f.title, f.about = chosen.insert, about(template.Title, template.Description)
		f.done = func(values map[string]string) tea.Msg { return addressMsg{template, values} }
		m.dialogs.open(f)
		return f.suggest()
	}
	m.prompt.complete(chosen.insert)
	if entered && chosen.send {
		return m.submit()
	}
	return nil
}

// address puts the address that a template became into the draft.
func (m *model) address(msg addressMsg) tea.Cmd {
	uri, err := msg.template.Fill(msg.values)
	if err != nil {
		return m.footer.show(sentence(err))
	}
	m.prompt.complete("@" + msg.template.Server + ":" + uri + " ")
	return nil
}

// offersChanged takes what servers have told: there may be other things to complete, and attached resources may have changed.
func (m *model) offersChanged() tea.Cmd {
	if m.options.Offers == nil {
		return nil
	}
	m.prompt.refreshFits()
	m.prompt.hasResources = len(m.options.Offers.Resources()) > 0
	changed := m.options.Offers.Updated()
	if len(changed) == 0 {
		return nil
	}
	name := ""
	for _, e := range m.transcript.entries {
		if u, ok := e.(*userEntry); ok {
			if marked := u.mark(changed); marked != "" {
				name = marked
				m.transcript.changed()
			}
		}
	}
	if name == "" {
		return nil
	}
	return m.footer.show(fmt.Sprintf("%s has changed; mention it again to read it anew", sanitize.Line(name)))
}
