// Package ui is the chat on the screen. It and the packages below it are the only ones that know Bubble Tea.
//
// The way of a key: what always works, the top dialog, the keys of the chat, the composer. What a child wants goes up as a small message;
// model, the only tea.Model, routes it. The way of the news: a turn's pump gathers events (turn.go), the scribe writes them into the
// transcript, which draws only what is in view. Update and View never wait, read or write: that is done in commands. What moves by itself,
// the status row, has one timer (motion.go), and there is none while nothing does.
//
// What is seen has packages of its own, which know nothing of the chat. In the order to read them: ui/look is how rows look, ui/markdown makes rows
// of answers, ui/transcript is the conversation as it is read, ui/composer is where a person writes, and ui/input has the lines and forms that a
// dialog asks to be filled in. Here, then: ui.go and input.go route, view.go joins the parts, talk.go and turn.go have the conversation, dialog.go
// the dialogs, each of which is a file of its own.
package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// model is the whole chat. It routes and joins; the parts know how to do their work.
type model struct {
	ctx     context.Context // of commands: Bubble Tea hands none to Update
	options Options
	keys    keyMap
	look    look.Look

	width, height int
	regions       regions
	panel         []string // the top dialog, drawn
	rule          look.Memo[ruleRow, string]

	transcript *transcript.Transcript
	scribe     *transcript.Scribe
	status     statusBar
	clock      clock
	prompt     *composer.Composer
	footer     footer
	dialogs    dialogs
	talk       talk
	choice     choice
	offers     offers

	left  time.Time // when ctrl+c was pressed last
	mouse bool      // the wheel is ours

	attention attention
	dear      dear
	trials    trials
}

// Messages to the root. Those about models are in models.go.
type (
	historyMsg struct {
		entries []string
		err     error
	}
	noticeMsg struct {
		kind transcript.Kind
		text string
	}
	unflashMsg struct{ n int }
)

func newModel(ctx context.Context, o Options) *model {
	m := &model{
		ctx: ctx, options: o, keys: newKeyMap(), mouse: true, attention: attention{looked: true},
		look:       look.New(),
		transcript: transcript.New(),
		talk:       newTalk(o.Chat, o.Conversation, o.Recorder),
	}
	m.prompt = composer.New(composer.Options{Newline: m.keys.newline, Commands: offered(), Offers: o.Offers}, m.look.Styles)
	m.scribe = transcript.NewScribe(m.transcript)
	m.transcript.Restyle(&m.look)
	m.transcript.Load(o.Conversation, o.Recorder.Turns())
	if last, ok := o.Recorder.LastTurn(); ok {
		m.footer.usage(last.Result.Usage)
	}
	for _, err := range o.Warnings {
		m.notice(transcript.Warn, sentence(err))
	}
	m.attention.options = &m.options
	m.choice = choice{chat: o.Chat, options: &m.options, open: m.dialogs.open, busy: m.talk.busy}
	m.offers = offers{ctx: ctx, source: o.Offers, chat: o.Chat, prompt: m.prompt, open: m.dialogs.open, say: m.footer.show, errand: errand{status: &m.status}}
	m.trials = trials{ctx, o.Tools, m.transcript, &m.offers.errand, &m.dialogs, map[string]*trial{}}
	return m
}

// Init asks for what is not known yet. None of it holds up the first frame.
func (m *model) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, m.choice.find(m.ctx), watchBoard(m.ctx, m.options.Board, 0), watchDesk(m.ctx, m.options.Desk),
		watchNotices(m.ctx, m.options.Desk), awaitNews(m.ctx, m.options.News), loadHistory(m.options.History), m.options.shell.Await(m.ctx))
}

// Update routes a message to the part it is for.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.dialogs.wake(time.Now())
	m.attention.follow(msg)
	if m.look.Follow(msg) {
		m.restyle()
	}
	cmd := m.route(msg)
	m.arrange()
	now := time.Now()
	m.dialogs.shown(now)
	return m, tea.Batch(cmd, m.beat(now))
}

func (m *model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		first := m.height == 0
		m.width, m.height = msg.Width, msg.Height
		m.prompt.Resize(m.width-1, m.height/3)
		if first {
			return m.options.announceFrame()
		}
		return screen.Redraw()
	case screen.ContinuedMsg:
		return tea.Batch(screen.Retake(), m.options.shell.Await(m.ctx))
	case tea.KeyPressMsg:
		return m.dialogs.while(func() tea.Cmd { return m.key(msg) })
	case tea.PasteMsg:
		return m.paste(msg)
	case tea.MouseWheelMsg:
		wheel(m.transcript, msg)
	case batchMsg:
		return m.apply(msg)
	case tickMsg:
		m.clock.struck(msg)
	case meantMsg:
		return m.dialogs.while(func() tea.Cmd { return m.route(msg.msg) })
	case tryMsg, triedMsg:
		return m.trials.update(msg)
	case logInMsg:
		return m.logIn(msg.server)
	case answeredMsg:
		m.talk.answer(msg.decision)
	case boardMsg:
		m.footer.board(msg.servers)
		return tea.Batch(m.offers.changed(m.transcript), m.dialogs.tell(msg), watchBoard(m.ctx, m.options.Board, msg.version))
	case readMsg:
		return m.read(msg)
	case onwardMsg:
		return m.do(msg.question)
	case leftMsg:
		m.prompt.GiveBack(msg.input)
	case editMsg:
		m.prompt.PutBack(msg.input)
	case addressMsg:
		return m.offers.address(msg)
	case historyMsg:
		m.prompt.Remember(msg.entries)
		if msg.err != nil {
			m.notice(transcript.Warn, msg.err.Error())
		}
	case questionMsg:
		return m.inquire(msg.question)
	case overMsg:
		return m.inquired(msg.question)
	case toldMsg:
		for _, text := range msg.texts {
			m.notice(transcript.Info, text)
		}
		return watchNotices(m.ctx, m.options.Desk)
	case readyMsg:
		return m.next()
	case noticeMsg:
		m.notice(msg.kind, msg.text)
	case newsMsg:
		m.notice(msg.kind(), msg.Text)
		return awaitNews(m.ctx, m.options.News)
	case screen.Flash:
		return m.footer.show(msg.Text)
	case unflashMsg:
		m.footer.unshow(msg.n)
	default:
		if cmd, known := m.choice.update(m.ctx, msg); known {
			return cmd
		}
		return m.dialogs.tell(msg)
	}
	return nil
}

// next carries out what waits in line, unless something is asked first.
func (m *model) next() tea.Cmd {
	if m.dialogs.top() != nil || m.offers.errand.active() || !m.choice.ready() {
		return nil
	}
	if q, ok := m.talk.dequeue(); ok {
		return m.do(q)
	}
	return nil
}

// ask begins a turn with a question, or with all that a prompt says.
func (m *model) ask(messages ...provider.Message) tea.Cmd {
	for _, question := range messages {
		m.transcript.Question(question)
	}
	return m.begin(m.talk.send(m.ctx, messages...))
}

// begin shows a turn that has begun.
func (m *model) begin(wait tea.Cmd) tea.Cmd {
	m.scribe = transcript.NewScribe(m.transcript)
	m.transcript.End()
	m.status.start()
	m.attention.begin(time.Now())
	return wait
}

// apply takes what happened in the turn.
func (m *model) apply(batch batchMsg) tea.Cmd {
	if batch.turn != m.talk.turn {
		return nil
	}
	var cmds []tea.Cmd
	for _, ev := range batch.events {
		m.scribe.Write(ev)
		switch ev := ev.(type) {
		case provider.Status:
			m.status.set(ev.State)
		case provider.Compacted:
			m.footer.used = ev.After
		case provider.Asked:
			m.dialogs.open(newConfirm(ev))
			cmds = append(cmds, m.attention.call(needsApproval(ev.Call.Title)))
		case provider.Stalled:
			cmds = append(cmds, m.attention.call(hasStalled(m.choice.inUse)))
		case provider.Ended:
			return tea.Batch(append(cmds, m.ended(ev))...)
		}
	}
	return tea.Batch(append(cmds, batch.turn.wait)...)
}

// ended tells how the turn ended and goes on with what waits.
func (m *model) ended(ev provider.Ended) tea.Cmd {
	m.talk.ended(ev)
	m.status.end()
	m.dialogs.each(func(d dialog) {
		if c, ok := d.(*confirm); ok {
			m.dialogs.close(c)
		}
	})
	if m.talk.compacting {
		for _, n := range compactFarewell(ev) {
			m.notice(n.kind, n.text)
		}
	} else {
		m.transcript.Ended(ev.Result)
		m.footer.usage(ev.Result.Usage)
	}
	switch ev.Result.Stop.Reason {
	case provider.Cancelled, provider.Denied, provider.Failed:
		m.prompt.PutBack(m.talk.unqueueAll()...)
		return m.attention.end(ev, m.choice.inUse, m.talk.compacting)
	}
	next := m.next()
	if m.talk.busy() {
		return next // there is more to come before a person is needed
	}
	return tea.Batch(next, m.attention.end(ev, m.choice.inUse, m.talk.compacting))
}

func (m *model) notice(kind transcript.Kind, text string) {
	m.transcript.Notice(kind, text)
}

// restyle draws everything anew, in the look that is wanted now.
func (m *model) restyle() {
	m.transcript.Restyle(&m.look)
	m.prompt.Restyle(m.look.Styles)
}
