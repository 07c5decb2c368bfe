package ui

import (
	"cmp"
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// noModel is shown in place of the model's name.
const noModel = "no model"

// suggested is the model that is offered to someone who has none.
const suggested = "qwen3:8b"

type (
	// findModelMsg asks to look for a model again.
	findModelMsg struct{}
	// foundModelMsg is what became of looking for a model.
	foundModelMsg struct {
		info provider.Info
		err  error
	}
	// useModelMsg asks to talk to another model.
	useModelMsg struct{ name string }
	// usedModelMsg is a model that was asked for by name: it is there, or not.
	usedModelMsg struct {
		name string
		info provider.Info
		err  error
	}
	// listModelsMsg asks for the list of models.
	listModelsMsg struct{}
	// modelsMsg is the list.
	modelsMsg struct {
		infos []provider.Info
		err   error
	}
	// pullModelMsg asks to fetch a model.
	pullModelMsg struct{ name string }
	// startServerMsg asks to start the model server.
	startServerMsg struct{}
	// demoMsg asks for the built-in model.
	demoMsg struct{}
)

func findModel(ctx context.Context, chat *provider.Chat, last string) tea.Cmd {
	model, name := chat.Model, chat.Name
	return func() tea.Msg {
		info, err := provider.Choose(ctx, model, name, last)
		return foundModelMsg{info, err}
	}
}

func useModel(ctx context.Context, model provider.Model, name string) tea.Cmd {
	return func() tea.Msg {
		info, err := model.Describe(ctx, name)
		return usedModelMsg{name, info, err}
	}
}

func listModels(ctx context.Context, model provider.Model) tea.Cmd {
	library, ok := model.(provider.Library)
	if !ok {
		return reply(flashMsg{"This server cannot list its models: say /model NAME"})
	}
	return func() tea.Msg {
		infos, err := library.List(ctx)
		return modelsMsg{infos, err}
	}
}

// modelPicker lists the models. What is typed and not there can be fetched.
func modelPicker(infos []provider.Info, current string) *picker {
	p := &picker{title: "Models"}
	for i, info := range infos {
		badge := " "
		if info.Name == current {
			badge, p.at = "●", i
		}
		p.rows = append(p.rows, row{label: info.Name, detail: describe(info), badge: badge, pick: useModelMsg{info.Name}})
	}
	p.other = func(name string) row {
		return row{label: name, detail: "fetch it", badge: "↓", pick: pullModelMsg{name}}
	}
	p.keys = "enter · type to filter, or a name to fetch · esc"
	return p
}

// describe tells of a model what matters when choosing: "8.2B · 5.2 GB · tools · thinking".
func describe(info provider.Info) string {
	var words []string
	if info.Params != "" {
		words = append(words, info.Params)
	}
	if info.Size > 0 {
		words = append(words, bytesText(info.Size))
	}
	for _, can := range []struct {
		yes  bool
		word string
	}{{info.Tools, "tools"}, {info.Thinking, "thinking"}, {info.Vision, "vision"}} {
		if can.yes {
			words = append(words, can.word)
		}
	}
	return strings.Join(words, " · ")
}

// offer is the dialog for when there is no model to talk to: it says so in one sentence and offers ways on.
func offer(err error, wanted string, o Options) *picker {
	kind, title := provider.KindFailed, "The model cannot be used"
	if e, ok := errors.AsType[*provider.Error](err); ok {
		kind = e.Kind
	}
	missing, down := kind == provider.KindMissing, kind == provider.KindUnavailable
	switch {
	case missing:
		title = "The model is not here"
	case down:
		title = "No model server"
	}
	if wanted == "" {
		wanted = suggested
	}
	_, canPull := o.Chat.Model.(provider.Library)
	p := &picker{title: title, text: sentence(err), fixed: true, keys: "↑↓ choose · enter"}
	add := func(possible bool, label, detail string, pick tea.Msg) {
		if possible {
			p.rows = append(p.rows, row{label: label, detail: detail, pick: pick})
		}
	}
	add(down && o.StartServer != nil, "Start Ollama", "runs: ollama serve", startServerMsg{})
	add(missing && canPull, "Fetch "+wanted, "with a progress bar; can be stopped", pullModelMsg{wanted})
	add(missing && canPull, "Choose another model", "", listModelsMsg{})
	add(true, "Try again", "", findModelMsg{})
	add(o.Demo != nil && !o.IsDemo, "Use the demo", "a small built-in stand-in; tools are real", demoMsg{})
	add(true, "Quit", "", tea.QuitMsg{})
	return p
}

// sentence is an error as people read it: what happened, then what to try.
func sentence(err error) string {
	text := sanitize.Text(err.Error())
	if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Hint != "" {
		hint := sanitize.Text(e.Hint)
		text += " " + strings.ToUpper(hint[:1]) + hint[1:]
		if !strings.HasSuffix(text, ".") {
			text += "."
		}
	}
	return text
}

// remember stores the model for the next start.
func remember(store func(string) error, name string) tea.Cmd {
	if store == nil {
		return nil
	}
	return func() tea.Msg {
		if err := store(name); err != nil {
			return noticeMsg{noticeWarn, "The model is not remembered for the next start: " + err.Error()}
		}
		return nil
	}
}

// startServer starts the model server and then looks for a model again.
func startServer(ctx context.Context, start func(context.Context) error) tea.Cmd {
	return func() tea.Msg {
		if err := start(ctx); err != nil {
			return foundModelMsg{err: &provider.Error{Kind: provider.KindUnavailable, Text: err.Error(), Err: err}}
		}
		return findModelMsg{}
	}
}

// updateModels takes the messages about models. While the model is being looked for or changed nothing is sent: it waits in line.
func (m *model) updateModels(msg tea.Msg) (cmd tea.Cmd, known bool) {
	chat := m.talk.chat
	switch msg := msg.(type) {
	case findModelMsg:
		m.waitForModel("looking for a model…")
		return findModel(m.ctx, chat, m.options.LastModel), true
	case foundModelMsg:
		return m.settleModel(msg.info, msg.err, chat.Name), true
	case useModelMsg:
		m.waitForModel(msg.name)
		return useModel(m.ctx, chat.Model, msg.name), true
	case usedModelMsg:
		if msg.err != nil {
			return m.settleModel(msg.info, msg.err, msg.name), true
		}
		return tea.Batch(m.settleModel(msg.info, nil, ""), remember(m.options.UseModel, msg.name)), true
	case listModelsMsg:
		return listModels(m.ctx, chat.Model), true
	case modelsMsg:
		m.showModels(msg)
		return nil, true
	case pullModelMsg:
		return m.pull(msg.name), true
	case pulledMsg:
		return reply(useModelMsg{msg.name}), true
	case pullFailedMsg:
		if msg.err != nil {
			m.notice(noticeError, sentence(msg.err))
		}
		if m.talk.ready {
			return nil, true
		}
		return reply(findModelMsg{}), true
	case startServerMsg:
		m.waitForModel("starting Ollama…")
		return startServer(m.ctx, m.options.StartServer), true
	case demoMsg:
		chat.Model, chat.Name, m.options.IsDemo = m.options.Demo(), "", true
		return findModel(m.ctx, chat, ""), true
	}
	return nil, false
}

func (m *model) waitForModel(words string) {
	m.talk.ready, m.footer.model = false, words
}

// settleModel takes the model that was looked for, or offers ways on when it cannot be had. An earlier one stays in use.
func (m *model) settleModel(info provider.Info, err error, wanted string) tea.Cmd {
	chat := m.talk.chat
	if err != nil {
		m.footer.model = cmp.Or(m.modelInUse, noModel)
		m.talk.ready = m.modelInUse != ""
		m.dialogs.open(offer(err, wanted, m.options))
		return nil
	}
	chat.Name, m.modelInUse = info.Name, info.Name
	m.footer.model, m.talk.ready = info.Name, true
	if m.options.IsDemo {
		m.footer.model += " (demo)"
	}
	return m.next()
}

func (m *model) showModels(msg modelsMsg) {
	if msg.err != nil {
		m.notice(noticeError, sentence(msg.err))
		return
	}
	m.dialogs.open(modelPicker(msg.infos, m.talk.chat.Name))
}

func (m *model) pull(name string) tea.Cmd {
	library, ok := m.talk.chat.Model.(provider.Library)
	if !ok {
		return reply(flashMsg{"This server cannot fetch models"})
	}
	p, cmd := startPull(m.ctx, library, name)
	m.dialogs.open(p)
	return cmd
}

// chooseModel is /model.
func chooseModel(m *model, name string) tea.Cmd {
	if name == "" {
		return reply(listModelsMsg{})
	}
	return reply(useModelMsg{name})
}
