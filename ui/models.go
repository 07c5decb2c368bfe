package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// modelMsg is the result of a search for a model.
type modelMsg struct {
	search int    // its number
	wanted string // its name; "" for any
	info   provider.Info
	named  bool // you have named it, so that a change needs no report
	err    error
}

// models has the model in use, and searches for one. Questions are queued while a search runs.
type models struct {
	chat     *live.Chat
	remember func(name string) error         // see Options.UseModel
	launch   func(ctx context.Context) error // see Options.StartServer
	isDemo   bool
	inUse    string        // the name of the last model found; "" before
	info     provider.Info // describes it
	doing    string        // the step of the search, for the footer; "" if none runs
	search   int           // the number of the last search, whose result counts
	around   Around        // other places for models
	moved    *Moved        // where you chose to go on; nil if here
	later    tea.Msg       // handled when the turn has ended, because a turn keeps its model; nil if none
}

func newModels(o Options, chat *live.Chat) models {
	m := models{chat: chat, remember: o.UseModel, launch: o.StartServer, isDemo: len(o.Demo) > 0, around: o.Around}
	if m.isDemo { // the server has no such model
		m.remember = nil
	}
	return m
}

func (c *models) ready() bool { return c.inUse != "" && c.doing == "" }

// label returns the footer's text for the model.
func (c *models) label() string {
	switch {
	case c.doing != "":
		return c.doing
	case c.inUse == "":
		return "no model"
	case c.isDemo:
		return "demo model"
	}
	return c.inUse
}

// about describes the model for the welcome; "" while one is looked for.
func (c *models) about() string {
	if c.inUse == "" && c.doing == "" {
		return "none"
	}
	return look.Dotted(sanitize.Line(c.info.Name), dialog.Describe(c.info))
}

// begin begins a search and returns its number.
func (c *models) begin(step string) (search int) {
	c.doing = step
	c.search++
	return c.search
}

// find looks for a model.
func (c *models) find() tea.Cmd {
	n := c.begin("looking for a model…")
	wanted, search := c.chat.Search()
	return screen.Go(func(ctx context.Context, send func(tea.Msg)) {
		info, err := search(ctx)
		send(modelMsg{search: n, wanted: wanted, info: info, err: err})
	})
}

// seek looks for a model, unless there is one or a search runs.
func (c *models) seek() tea.Cmd {
	if c.inUse != "" || c.doing != "" {
		return nil
	}
	return c.find()
}

// update handles messages about models; busy means that a turn runs.
func (c *models) update(msg tea.Msg, busy bool, dialogs *dialog.Stack) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case dialog.SetThink:
		if busy {
			c.later = msg
		} else {
			c.chat.Think(msg.Now())
		}
	case dialog.FindModel, dialog.UseModel:
		use, named := msg.(dialog.UseModel)
		switch {
		case busy:
			c.later = msg
		case named:
			cmd = c.use(use.Name)
		default:
			cmd = c.find()
		}
	case modelMsg:
		cmd = c.settle(msg, dialogs)
	case dialog.ListModels:
		cmd = c.list(dialogs)
	case dialog.PullModel:
		cmd = c.pull(msg.Name, dialogs)
	case dialog.Pulled:
		cmd = c.pulled(msg)
	case dialog.StartServer:
		cmd = c.start()
	case dialog.ListPlaces:
		cmd = c.listPlaces(msg.Look, nil, dialogs)
	case dialog.Connect:
		cmd = c.connect(msg.Address)
	case connectedMsg:
		cmd = c.connected(msg, dialogs)
	case dialog.ChoosePlace:
		dialogs.Open(dialog.NewKeep(msg.Place, c.around.File))
	case dialog.UsePlace:
		c.moved = &Moved{Place: msg.Place, Keep: msg.Keep}
		cmd = tea.Quit
	case dialog.Quit:
		cmd = tea.Quit
	default:
		return nil, false
	}
	return cmd, true
}

// turnEnded changes the model, if you chose one during the turn.
func (c *models) turnEnded(dialogs *dialog.Stack) tea.Cmd {
	msg := c.later
	c.later = nil
	cmd, _ := c.update(msg, false, dialogs)
	return cmd
}

// settle uses the model that was found, unless another search has begun since. If there is none, it offers remedies,
// and keeps an earlier model.
func (c *models) settle(msg modelMsg, dialogs *dialog.Stack) tea.Cmd {
	if msg.search != c.search {
		return nil
	}
	c.doing = ""
	if msg.err != nil {
		_, canPull := c.chat.Settings().Model.(provider.Puller)
		_, canList := c.chat.Settings().Model.(provider.Library)
		dialogs.Open(dialog.NewNoModel(dialog.NoModel{
			Err: msg.err, Wanted: msg.wanted, Pull: canPull, List: canList, Start: c.launch != nil,
			Memory: c.around.Memory, Demo: c.around.Demo, HasModel: c.inUse != "", Places: c.around.Visit != nil,
		}))
		return nil
	}
	c.inUse, c.info = msg.info.Name, msg.info
	change := c.chat.Use(msg.info) // "" if the conversation was cleared during the search
	if change != "" && !msg.named {
		return tea.Batch(screen.Reply(noticeMsg{transcript.Info, change}), screen.Reply(dialog.Closed{}))
	}
	return screen.Reply(dialog.Closed{})
}

// use changes to another model, and remembers it for the next start.
func (c *models) use(name string) tea.Cmd { return c.change(name, c.remember) }

// change changes to another model. remember may be nil.
func (c *models) change(name string, remember func(name string) error) tea.Cmd {
	n, model := c.begin(name), c.chat.Settings().Model
	return screen.Go(func(ctx context.Context, send func(tea.Msg)) {
		info, err := model.Describe(ctx, name)
		send(modelMsg{search: n, wanted: name, info: info, named: true, err: err})
		if err != nil || remember == nil {
			return
		}
		if err := remember(name); err != nil {
			send(dialog.Warning{Text: "The model is not saved for the next start: " + err.Error()})
		}
	})
}

// named runs /model: it uses a model, or lists them.
func (c *models) named(name string, dialogs *dialog.Stack) tea.Cmd {
	if name == "" {
		return c.list(dialogs)
	}
	return c.use(name)
}

// start starts the model server, and then looks for a model again.
func (c *models) start() tea.Cmd {
	n, launch := c.begin("starting Ollama…"), c.launch
	return screen.Go(func(ctx context.Context, send func(tea.Msg)) {
		if err := launch(ctx); err != nil {
			send(modelMsg{search: n, err: err})
			return
		}
		send(dialog.FindModel{})
	})
}

// list opens the list of models.
func (c *models) list(dialogs *dialog.Stack) tea.Cmd {
	library, ok := c.chat.Settings().Model.(provider.Library)
	if !ok {
		return screen.ShowFlash("This server cannot list its models · use /model NAME")
	}
	settings := c.chat.Settings()
	d, fill := dialog.NewModels(dialog.Models{
		Library: library, Current: func() string { return c.inUse }, Think: settings.Think, Wrote: settings.Pace.Wrote,
		Tools: settings.Pace.Tools,
	})
	dialogs.Open(d)
	return fill
}

func (c *models) pull(name string, dialogs *dialog.Stack) tea.Cmd {
	puller, ok := c.chat.Settings().Model.(provider.Puller)
	if !ok {
		return screen.ShowFlash("This server cannot download models")
	}
	d, begin := dialog.NewPull(puller, name)
	dialogs.Open(d)
	return begin
}

// pulled uses the downloaded model, or shows why the download failed. Without a model it searches again.
func (c *models) pulled(msg dialog.Pulled) tea.Cmd {
	if msg.Err == nil {
		return c.use(msg.Name)
	}
	var cmds []tea.Cmd
	if !errors.Is(msg.Err, context.Canceled) {
		cmds = append(cmds, screen.Reply(noticeMsg{transcript.Error, dialog.Sentence(msg.Err)}))
	}
	if c.inUse == "" {
		cmds = append(cmds, screen.Reply(dialog.FindModel{}))
	}
	return tea.Batch(cmds...)
}
