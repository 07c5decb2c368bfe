package ui

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/transcript"
)

// modelMsg is the result of a search for a model.
type modelMsg struct {
	wanted string // its name; "" for any
	info   provider.Info
	named  bool // you have named it, so that a change needs no report
	err    error
}

// choice is the model in use, and the search for one. Questions are queued while a search runs.
type choice struct {
	chat    *loop.Chat
	options *Options
	open    func(dialog.Dialog)
	busy    func() bool // reports whether a turn runs, which keeps its model
	inUse   string      // the name of the last model found; "" before
	doing   string      // the step of the search, for the footer; "" if none runs
}

func (c *choice) ready() bool { return c.inUse != "" && c.doing == "" }

// label returns the footer's text for the model.
func (c *choice) label() string {
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

// find looks for a model.
func (c *choice) find(ctx context.Context) tea.Cmd {
	c.doing = "looking for a model…"
	model, name, choice := c.chat.Model, c.chat.Name, c.options.Choice
	return func() tea.Msg {
		info, err := provider.Choose(ctx, model, name, choice.Others...)
		wanted := cmp.Or(slices.Concat([]string{name}, choice.Others)...)
		return modelMsg{wanted: wanted, info: info, err: err}
	}
}

// seek looks for a model, unless there is one or a search runs.
func (c *choice) seek(ctx context.Context) tea.Cmd {
	if c.inUse != "" || c.doing != "" {
		return nil
	}
	return c.find(ctx)
}

// update handles messages about models.
func (c *choice) update(ctx context.Context, msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg.(type) {
	case dialog.UseModel, dialog.FindModel:
		if c.busy() {
			return tea.Tick(frame, func(time.Time) tea.Msg { return msg }), true
		}
	}
	switch msg := msg.(type) {
	case dialog.FindModel:
		return c.find(ctx), true
	case dialog.UseModel:
		return c.use(ctx, msg.Name), true
	case modelMsg:
		return c.settle(msg), true
	case dialog.ListModels:
		return c.list(ctx), true
	case dialog.PullModel:
		return c.pull(ctx, msg.Name), true
	case dialog.Pulled:
		return c.pulled(ctx, msg), true
	case dialog.StartServer:
		return c.start(ctx), true
	}
	return nil, false
}

// settle uses the model that was found. If there is none, it offers remedies, and keeps an earlier model.
func (c *choice) settle(msg modelMsg) tea.Cmd {
	c.doing = ""
	if msg.err != nil {
		_, canPull := c.chat.Model.(provider.Puller)
		_, canList := c.chat.Model.(provider.Library)
		c.open(dialog.NewNoModel(dialog.NoModel{
			Err: msg.err, Wanted: msg.wanted, Pull: canPull, List: canList, Start: c.options.StartServer != nil,
		}))
		return nil
	}
	c.chat.Use(msg.info)
	c.inUse = msg.info.Name
	change := c.options.Choice.Change(msg.info.Name) // not of a conversation that was cleared during the search
	c.options.Choice.Before = provider.Used{}        // it is reported once
	if change != "" && !msg.named {
		return tea.Batch(reply(noticeMsg{transcript.Info, change}), reply(dialog.Closed{}))
	}
	return reply(dialog.Closed{})
}

// use changes to another model, and remembers it for the next start.
func (c *choice) use(ctx context.Context, name string) tea.Cmd {
	c.doing = name
	model, remember := c.chat.Model, c.options.UseModel
	if c.options.IsDemo { // the server has no such model
		remember = nil
	}
	return func() tea.Msg {
		info, err := model.Describe(ctx, name)
		found := modelMsg{wanted: name, info: info, named: true, err: err}
		if err != nil || remember == nil {
			return found
		}
		if err := remember(name); err != nil {
			warning := dialog.Warning{Text: "The model is not saved for the next start: " + err.Error()}
			return tea.BatchMsg{reply(found), reply(warning)}
		}
		return found
	}
}

// named runs /model: it uses a model, or lists them.
func (c *choice) named(ctx context.Context, name string) tea.Cmd {
	if name == "" {
		return c.list(ctx)
	}
	return c.use(ctx, name)
}

// start starts the model server, and then looks for a model again.
func (c *choice) start(ctx context.Context) tea.Cmd {
	c.doing = "starting Ollama…"
	start := c.options.StartServer
	return func() tea.Msg {
		if err := start(ctx); err != nil {
			return modelMsg{err: err}
		}
		return dialog.FindModel{}
	}
}

// list opens the list of models.
func (c *choice) list(ctx context.Context) tea.Cmd {
	library, ok := c.chat.Model.(provider.Library)
	if !ok {
		return flash("This server cannot list its models · use /model NAME")
	}
	d, fill := dialog.NewModels(ctx, library, c.inUse)
	c.open(d)
	return fill
}

func (c *choice) pull(ctx context.Context, name string) tea.Cmd {
	puller, ok := c.chat.Model.(provider.Puller)
	if !ok {
		return flash("This server cannot download models")
	}
	d, begin := dialog.NewPull(ctx, puller, name)
	c.open(d)
	return begin
}

// pulled uses the downloaded model, or shows why the download failed. Without a model it searches again.
func (c *choice) pulled(ctx context.Context, msg dialog.Pulled) tea.Cmd {
	if msg.Err == nil {
		return c.use(ctx, msg.Name)
	}
	var cmds []tea.Cmd
	if !errors.Is(msg.Err, context.Canceled) {
		cmds = append(cmds, reply(noticeMsg{transcript.Error, dialog.Sentence(msg.Err)}))
	}
	if c.inUse == "" {
		cmds = append(cmds, reply(dialog.FindModel{}))
	}
	return tea.Batch(cmds...)
}
