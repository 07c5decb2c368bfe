// Package ui is the chat on the screen. Only it and the packages below it use Bubble Tea.
//
// The table of keys (keys.go) gives a key its action. It goes to the first that uses it: an action that is always
// possible, the top dialog, another action, the composer. Parts do not know each other: they get what they need as
// arguments and send requests as messages, which model, the only tea.Model, routes. A turn's pump gathers events
// (turn.go), and the scribe writes them into the transcript, which draws only what is in view. Update and View never
// wait, read or write: commands do. The status row moves by one timer (statusbar.go), which runs only while something
// moves.
//
// The packages below do not depend on the chat. In reading order: ui/look has styles and shared drawing, ui/markdown
// draws answers, ui/transcript the conversation, ui/composer the input, ui/screen the terminal, and ui/dialog
// everything that asks for an answer. Here, ui.go and input.go route, view.go joins the parts, ask.go sends your input
// to the model, commands.go has the slash commands, and talk.go and turn.go the conversation.
package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// model is the whole chat. It routes messages and joins the parts, which do the work.
type model struct {
	options Options
	keys    keymap
	chord   chord
	look    look.Look

	width, height int
	regions       regions
	panel         []string // the top dialog, drawn
	attached      []string // the files that the draft attaches, drawn

	welcome    welcome
	transcript *transcript.Transcript
	scribe     *transcript.Scribe
	status     statusBar
	clock      clock
	prompt     *composer.Composer
	attaching  attaching
	footer     footer
	find       finder
	mouse      mouse
	dialogs    dialog.Stack
	talk       talk
	models     models
	resolver   resolver

	stopping bool // the running turn was stopped and has not ended

	attention attention
}

// Messages to the root. Those about models are in models.go.
type (
	// noticeMsg is a sentence for the transcript.
	noticeMsg struct {
		kind transcript.Kind
		text string
	}
	unflashMsg struct{ n int }
	// answeredMsg is your answer to a request for approval.
	answeredMsg struct {
		turn     *turn
		decision event.Decision
	}
)

func newModel(o Options) *model {
	if o.Keys == nil {
		o.Keys = Bind(nil, nil)
	}
	chat := live.New(o.Parts)
	m := &model{
		options: o, keys: o.Keys, attention: attention{notify: o.Notify, looked: true},
		look: look.New(o.Theme),
		welcome: welcome{
			version: o.Version, demo: o.Demo, key: keymap(o.Keys).of(doComplete, ""), noTools: o.Tools == nil,
		},
		transcript: transcript.New(),
		talk:       talk{chat: chat, queue: queue{chat: chat}},
		models:     newModels(o, chat),
		resolver:   resolver{chat: chat},
		attaching:  attaching{stopList: func() {}, stopMeasure: func() {}},
	}
	m.look.DetailsKey = m.keys.of(doDetails, "")
	m.prompt = composer.New(offered(), o.Offers, m.look.Styles)
	m.prompt.OfferFiles(o.Files)
	m.prompt.Set(o.Draft)
	m.scribe = transcript.NewScribe(m.transcript)
	m.transcript.Restyle(&m.look)
	m.talk.show(m.transcript, &m.status, &m.footer)
	if o.History != "" {
		earlier, err := composer.ReadHistory(o.History)
		m.prompt.Remember(earlier)
		if err != nil {
			o.Warnings = append(o.Warnings, err)
		}
	}
	for _, err := range o.Warnings {
		m.transcript.Notice(transcript.Warn, dialog.Sentence(err))
	}
	return m
}

// Init starts everything that the first frame does not need.
func (m *model) Init() tea.Cmd {
	return tea.Batch(screen.Background(), m.models.find(), watchServers(m.options.Board), watchInbox(m.options.Inbox),
		m.options.shell.Watch(), lookAround(m.options.Here))
}

// Update routes a message to its part.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	draft, answer := m.dialogs.Begin(msg, time.Now())
	typed := typeBehind(draft, "", m.prompt, &m.footer)
	m.attention.follow(msg)
	if m.look.Follow(msg) {
		m.restyle()
	}
	cmd := m.route(msg)
	attach := m.attaching.follow(msg, m.prompt, m.talk.chat, m.talk.busy())
	m.talk.queue.follow(m.prompt)
	m.arrange()
	now := time.Now()
	return m, tea.Batch(answer, typed, cmd, attach, illustrate(msg, m.transcript), m.beat(now, m.dialogs.End(now)))
}

func (m *model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.prompt.Resize(m.width-1, m.height/3)
	case screen.ContinuedMsg:
		return screen.Retake()
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.paste(msg)
	case tea.MouseMsg:
		return m.mouse.update(msg, &m.dialogs, m.transcript, time.Now())
	case batchMsg:
		return m.apply(msg)
	case tickMsg:
		if msg.strike == m.clock.strike {
			m.clock.due = time.Time{}
		}
	case dialog.ByKey:
		return m.route(msg.Msg)
	case dialog.LogIn:
		return openLogin(&m.dialogs, m.options, msg.Server)
	case answeredMsg:
		msg.turn.answer(msg.decision)
	case dialog.ServersChanged:
		m.footer.setServers(msg.Servers)
		m.prompt.Refresh()
		return m.dialogs.Tell(msg)
	case hereMsg:
		m.welcome.here = msg.here
		m.footer.setFolder(msg.here.Folder)
	case resolvedMsg:
		return m.resolved(msg)
	case askMsg:
		return m.ask(msg.question)
	case openMsg:
		return m.talk.open(msg.id, m.transcript, &m.status, &m.footer, &m.models)
	case branchMsg:
		return m.talk.branch(msg, m.transcript, &m.status, &m.footer, m.prompt)
	case composer.Change:
		msg(m.prompt)
	case findMsg:
		m.find.find(m.transcript)
	case questionMsg:
		m.dialogs.Open(dialog.NewQuestion(msg.Question, m.options.OpenPage))
		return m.attention.call(dialog.AsksYou(msg.Question))
	case questionOverMsg:
		return m.dialogs.CloseFor(msg.Question)
	case dialog.Closed:
		return tea.Batch(m.dialogs.Tell(msg), m.next())
	case dialog.Warning:
		m.transcript.Notice(transcript.Warn, msg.Text)
	case noticeMsg:
		m.transcript.Notice(msg.kind, msg.text)
	case screen.Flash:
		return m.footer.show(msg.Text)
	case unflashMsg:
		m.footer.unflash(msg)
	default:
		if cmd, known := m.models.update(msg, m.talk.busy(), &m.dialogs); known {
			return cmd
		}
		return m.dialogs.Tell(msg)
	}
	return nil
}

// next takes the first input from the queue, unless a dialog is open or the queue is held.
func (m *model) next() tea.Cmd {
	if m.dialogs.Top() != nil || m.occupied() || m.talk.queue.held || len(m.talk.queue.inputs) == 0 {
		return nil
	}
	return m.parse(m.talk.queue.take())
}

// send begins a turn with your message, or with the messages of a prompt.
func (m *model) send(messages ...provider.Message) tea.Cmd {
	for _, question := range messages {
		m.transcript.Question(question)
	}
	return m.begin(func(ctx context.Context) event.Events { return m.talk.chat.Send(ctx, messages...) })
}

// begin begins and shows a turn.
func (m *model) begin(events source) tea.Cmd {
	m.stopping = false
	m.scribe = transcript.NewScribe(m.transcript)
	m.transcript.End()
	m.status.start()
	m.attention.began = time.Now()
	return m.talk.begin(events)
}

// apply handles a batch of the turn's events.
func (m *model) apply(batch batchMsg) tea.Cmd {
	if batch.turn != m.talk.turn {
		return nil
	}
	m.status.set(batch.state)
	var cmds []tea.Cmd
	for _, ev := range batch.events {
		m.scribe.Write(ev)
		switch ev := ev.(type) {
		case event.Running:
			m.scribe.Run(ev.Calls, ev.Worked)
		case event.Compacted:
			m.footer.fill.Tokens, m.footer.fill.Estimated = ev.After, true
		case event.Asked:
			decide := func(d event.Decision) tea.Msg { return answeredMsg{batch.turn, d} }
			m.dialogs.Open(dialog.NewApproval(ev, m.options.Config, batch.turn, decide))
			cmds = append(cmds, m.attention.call(dialog.NeedsApproval(ev.Call.Title)))
		case event.Stalled:
			cmds = append(cmds, m.attention.call("no output from the model"))
		case event.Ended:
			return tea.Batch(append(cmds, m.ended(ev))...)
		}
	}
	return tea.Batch(append(cmds, batch.turn.wait)...)
}

// ended shows the end of the turn, and continues with the queue.
func (m *model) ended(ev event.Ended) tea.Cmd {
	turn, summary := m.talk.end(ev.Result)
	m.dialogs.CloseFor(turn)
	if ev.Conversation.Len() != turn.before {
		m.footer.fill, m.footer.model = ev.Result.Usage.Fill(), ev.Result.Model
	}
	m.status.end(ev.Result.Stop.Reason)
	if summary {
		compacted(m.transcript, ev)
	} else {
		m.transcript.Ended(ev.Result)
	}
	next := tea.Batch(m.models.turnEnded(&m.dialogs), m.next())
	if m.talk.busy() {
		return next // the queue continues: no notification yet
	}
	return tea.Batch(next, m.attention.end(ev.Result.Stop.Reason))
}

// restyle draws everything in the current look.
func (m *model) restyle() {
	m.transcript.Restyle(&m.look)
	m.prompt.Restyle(m.look.Styles)
}

// illustrate shows a decoded picture, and begins to decode the next one in view.
func illustrate(msg tea.Msg, t *transcript.Transcript) tea.Cmd {
	if show, ok := msg.(transcript.Decoded); ok {
		show()
	}
	decode := t.Undecoded()
	if decode == nil {
		return nil
	}
	return screen.Go(func(ctx context.Context, send func(tea.Msg)) { send(decode(ctx)) })
}
