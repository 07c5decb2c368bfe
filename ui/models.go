package ui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

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
	// pullModelMsg asks to fetch a model.
	pullModelMsg struct{ name string }
	// startServerMsg asks to start the model server.
	startServerMsg struct{}
	// askHostMsg asks for the address of another server.
	askHostMsg struct{}
	// useHostMsg asks to talk to the server at another address.
	useHostMsg struct{ host string }
	// demoMsg asks for the built-in model.
	demoMsg struct{}
	// readyMsg says that there is a model, or that a dialog is closed: what waits may be asked.
	readyMsg struct{}
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

// listModels is a command that fills the list of models.
func listModels(ctx context.Context, library provider.Library, p *picker, current string) tea.Cmd {
	return func() tea.Msg {
		infos, err := library.List(ctx)
		if err != nil {
			return rowsMsg{picker: p, text: sentence(err)}
		}
		return rowsMsg{picker: p, rows: modelRows(infos, current)}
	}
}

// remember stores the model for the next start.
func remember(store func(string) error, name string) tea.Cmd {
	if store == nil {
		return nil
	}
	return func() tea.Msg {
		if err := store(name); err != nil {
			return noticeMsg{transcript.Warn, "The model is not remembered for the next start: " + err.Error()}
		}
		return nil
	}
}

// startServer starts the model server and then looks for a model again.
func startServer(ctx context.Context, start func(context.Context) error) tea.Cmd {
	return func() tea.Msg {
		if err := start(ctx); err != nil {
			return foundModelMsg{err: as(provider.KindUnavailable, err)}
		}
		return findModelMsg{}
	}
}

// as is err with another kind, which decides what is offered; its words stay.
func as(kind provider.Kind, err error) error {
	e := provider.Error{Text: err.Error(), Err: err}
	if known, ok := errors.AsType[*provider.Error](err); ok {
		e = *known
	}
	e.Kind = kind
	return &e
}

// choice is the model that is talked to, and the search for it. While a model is looked for or changed nothing is asked: it waits in line.
type choice struct {
	chat    *provider.Chat
	options *Options
	open    func(dialog) // asks the person
	busy    func() bool  // a turn runs: it keeps its model
	inUse   string       // the model that was found last
	doing   string       // what is being done to find one, as it is shown
}

func (c *choice) ready() bool { return c.inUse != "" && c.doing == "" }

// words are what is shown in the model's place.
func (c *choice) words() string {
	switch {
	case c.doing != "":
		return c.doing
	case c.inUse == "":
		return "no model"
	case c.options.IsDemo:
		return "demo model"
	}
	return c.inUse
}

// find looks for a model to begin with.
func (c *choice) find(ctx context.Context) tea.Cmd {
	c.doing = "looking for a model…"
	return findModel(ctx, c.chat, c.options.LastModel)
}

// seek looks for a model, unless there is one or it is looked for already.
func (c *choice) seek(ctx context.Context) tea.Cmd {
	if c.inUse != "" || c.doing != "" {
		return nil
	}
	return c.find(ctx)
}

// update takes the messages about models.
func (c *choice) update(ctx context.Context, msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg.(type) {
	case useModelMsg, findModelMsg, useHostMsg, demoMsg:
		if c.busy() {
			return tea.Tick(frame, func(time.Time) tea.Msg { return msg }), true
		}
	}
	switch msg := msg.(type) {
	case findModelMsg:
		return c.find(ctx), true
	case foundModelMsg:
		return c.settle(msg.info, msg.err, c.chat.Name), true
	case useModelMsg:
		return c.use(ctx, msg.name), true
	case usedModelMsg:
		if msg.err != nil {
			return c.settle(msg.info, msg.err, msg.name), true
		}
		if c.options.IsDemo { // the server has no such model
			return c.settle(msg.info, nil, ""), true
		}
		return tea.Batch(c.settle(msg.info, nil, ""), remember(c.options.UseModel, msg.name)), true
	case listModelsMsg:
		return c.list(ctx), true
	case pullModelMsg:
		return c.pull(ctx, msg.name), true
	case pulledMsg:
		return c.use(ctx, msg.name), true
	case pullFailedMsg:
		return c.pullFailed(msg), true
	case startServerMsg:
		c.doing = "starting Ollama…"
		return startServer(ctx, c.options.StartServer), true
	case askHostMsg:
		c.open(hostPicker(""))
		return nil, true
	case useHostMsg:
		return c.useHost(ctx, msg.host), true
	case demoMsg:
		c.chat.Model, c.chat.Name, c.options.IsDemo = c.options.Demo(), "", true
		return c.find(ctx), true
	}
	return nil, false
}

// settle takes the model that was looked for, or offers ways on when it cannot be had. An earlier one stays in use.
func (c *choice) settle(info provider.Info, err error, wanted string) tea.Cmd {
	c.doing = ""
	if err != nil {
		c.open(offer(err, wanted, *c.options))
		return nil
	}
	c.chat.Name, c.inUse = info.Name, info.Name
	c.chat.Chosen()
	return reply(readyMsg{})
}

// use changes to another model.
func (c *choice) use(ctx context.Context, name string) tea.Cmd {
	c.doing = name
	return useModel(ctx, c.chat.Model, name)
}

// useHost looks for a model at another address.
func (c *choice) useHost(ctx context.Context, host string) tea.Cmd {
	model, start, err := c.options.At(host)
	if err != nil {
		c.open(hostPicker(sentence(err)))
		return nil
	}
	c.chat.Model, c.options.StartServer = model, start
	flags := slices.Clone(c.options.Flags)
	if at := slices.Index(flags, "--host"); at >= 0 {
		flags = slices.Delete(flags, at, at+2)
	}
	c.options.Flags = append(flags, "--host", host)
	return c.find(ctx)
}

// list opens the list of models.
func (c *choice) list(ctx context.Context) tea.Cmd {
	library, ok := c.chat.Model.(provider.Library)
	if !ok {
		return reply(screen.Flash{Text: "This server cannot list its models: say /model NAME"})
	}
	p := modelPicker()
	c.open(p)
	return listModels(ctx, library, p, c.inUse)
}

func (c *choice) pull(ctx context.Context, name string) tea.Cmd {
	puller, ok := c.chat.Model.(provider.Puller)
	if !ok {
		return reply(screen.Flash{Text: "This server cannot fetch models"})
	}
	p := startPull(ctx, puller, name)
	c.open(p)
	return p.step
}

// pullFailed says why. When there is no model yet it asks anew.
func (c *choice) pullFailed(msg pullFailedMsg) tea.Cmd {
	cancelled, kind := msg.err == nil, provider.KindMissing
	switch {
	case c.inUse != "" && cancelled:
		return nil
	case c.inUse != "":
		return reply(noticeMsg{transcript.Error, sentence(msg.err)})
	case cancelled:
		return reply(findModelMsg{})
	}
	if e, ok := errors.AsType[*provider.Error](msg.err); ok && e.Kind == provider.KindUnavailable {
		kind = e.Kind
	}
	return c.settle(provider.Info{}, as(kind, msg.err), msg.name)
}

// chooseModel is /model.
func chooseModel(m *model, name string) tea.Cmd {
	if name == "" {
		return m.choice.list(m.ctx)
	}
	return m.choice.use(m.ctx, name)
}
