package ui

import (
	"io"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// key routes a key: what always works, the top dialog, the list of commands, the chat, the composer.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	defer func() { m.dialogs.typed = time.Now() }()
	if !key.Matches(k, m.keys.leave) {
		m.left = time.Time{} // the next ctrl+c is about what is typed now
	}
	if cmd, known := m.globalKey(k); known {
		return cmd
	}
	if m.dialogs.top() != nil {
		return m.dialogKey(k, time.Now())
	}
	if then, known := m.prompt.Choose(k); known {
		return m.chosen(then)
	}
	if cmd, known := m.chatKey(k); known {
		return cmd
	}
	m.typeInto(k)
	return nil
}

// dialogKey gives a key to the top dialog. One that came too early for it does what it did before: letters go to the draft, esc stops the turn.
func (m *model) dialogKey(k tea.KeyPressMsg, now time.Time) tea.Cmd {
	early := m.dialogs.early(now)
	switch {
	case m.dialogs.keeps(k, now):
		m.typeInto(k)
		if early && k.Text != "" && !beginsElse(m.dialogs.top(), k) {
			return m.footer.show("Too soon to answer: kept in your draft")
		}
	case early && key.Matches(k, m.keys.stop):
		m.stop()
	default:
		return m.dialogs.key(k)
	}
	return nil
}

func (m *model) typeInto(k tea.KeyPressMsg) {
	if k.Code == tea.KeyEnter && k.Mod == 0 {
		return
	}
	m.prompt.Key(k)
}

// globalKey are the keys that work whatever is open.
func (m *model) globalKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch {
	case key.Matches(k, m.keys.leave):
		return m.leave(), true
	case key.Matches(k, m.keys.suspend):
		return m.options.shell.Suspend(m.ctx), true
	case key.Matches(k, m.keys.redraw):
		return screen.Redraw(), true
	case key.Matches(k, m.keys.pager):
		if m.transcript.Empty() {
			return reply(screen.Flash{Text: "There is nothing to show yet"}), true
		}
		all := m.transcript.Unfolded()
		return screen.Pager(func(w io.Writer) error { return all.Dump(w, 0) }), true
	case key.Matches(k, m.keys.mouse):
		m.mouse = !m.mouse
		if m.mouse {
			return reply(screen.Flash{Text: "The wheel scrolls again"}), true
		}
		return reply(screen.Flash{Text: "The mouse selects now; ctrl+t gives the wheel back"}), true
	case fold(&m.look, k, m.keys):
		m.restyle()
		return nil, true
	}
	return nil, false
}

func (m *model) chatKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	empty := m.prompt.Empty()
	switch {
	case key.Matches(k, m.keys.send):
		return m.submit(), true
	case key.Matches(k, m.keys.stop):
		m.stop()
	case key.Matches(k, m.keys.goOn):
		return goOn(m, ""), true
	case key.Matches(k, m.keys.leaveEmpty) && empty:
		return tea.Quit, true
	case key.Matches(k, m.keys.back) && empty && len(m.talk.queue) > 0:
		m.prompt.Set(m.talk.unqueue())
	case key.Matches(k, m.keys.copy):
		return screen.Copy(m.transcript.Text(true)), true
	default:
		return nil, scroll(m.transcript, k, m.keys, empty)
	}
	return nil, true
}

// paste gives a text to the top dialog if that has a place for one, else to the draft: what was copied may be gone elsewhere.
func (m *model) paste(msg tea.PasteMsg) tea.Cmd {
	if d, ok := m.dialogs.top().(interface{ writing() bool }); ok && d.writing() && !m.dialogs.keeps(msg, time.Now()) {
		return m.dialogs.key(msg)
	}
	m.dialogs.typed, m.left = time.Now(), time.Time{}
	m.prompt.Paste(msg.Content)
	return nil
}

// leave is ctrl+c: it closes a dialog, clears the draft, or stops the turn; again, while the footer says so, it leaves.
func (m *model) leave() tea.Cmd {
	if time.Since(m.left) < flashTime {
		return tea.Quit
	}
	m.left = time.Now()
	var cmd tea.Cmd
	switch c, asks := m.dialogs.top().(*confirm); {
	case m.dialogs.top() != nil && (!asks || c.trial != nil) && !m.dialogs.early(time.Now()):
		cmd = m.dialogs.leave()
	case !asks && !m.prompt.Empty():
		m.prompt.Clear()
	default:
		m.stop()
	}
	return tea.Batch(cmd, m.footer.show("Press ctrl+c again to leave"))
}

// stop ends the running turn; what waits in line comes back into the composer.
func (m *model) stop() {
	m.offers.errand.leave()
	if m.talk.busy() {
		m.talk.turn.cancel()
	}
	m.prompt.PutBack(m.talk.unqueueAll()...)
}

// submit takes what is in the composer: a command, a question, or, while a turn runs, something that waits in line.
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
	return tea.Batch(store, m.do(question{input: in}))
}

// do carries out an input, or the next step of a question, now or when its time has come.
func (m *model) do(q question) tea.Cmd {
	isPrompt, err := m.offers.knows(q.input)
	if err != nil {
		m.prompt.PutBack(q.input)
		return m.footer.show(sentence(err))
	}
	if name, arg, ok := parseCommand(q.input); ok && !isPrompt {
		return m.command(q, name, arg)
	}
	if m.occupied() {
		m.talk.enqueue(q)
		return m.choice.seek(m.ctx)
	}
	q, wait := m.offers.step(q)
	if wait != nil {
		return wait
	}
	for _, note := range q.notes {
		m.notice(transcript.Warn, note)
	}
	return m.ask(q.messages...)
}

// command carries out a slash command.
func (m *model) command(q question, name, arg string) tea.Cmd {
	c, nearest, ok := findCommand(name)
	switch {
	case !ok:
		m.prompt.PutBack(q.input)
		return m.footer.show(noCommand(name, nearest))
	case c.between && (m.talk.busy() || m.offers.errand.active()):
		m.talk.enqueue(q)
		return nil
	}
	return tea.Batch(c.run(m, arg), m.next())
}

// read goes on with a question for which a server was read. What a server wrote in the person's name is shown before it is sent.
func (m *model) read(msg readMsg) tea.Cmd {
	notice, ok := m.offers.read(msg)
	if notice != "" {
		m.notice(transcript.Warn, notice)
	}
	switch {
	case !ok:
		m.prompt.PutBack(append([]attach.Input{msg.input}, m.talk.unqueueAll()...)...)
	case msg.call != nil:
		m.dialogs.open(newPreview(msg.question))
	default:
		return m.do(msg.question)
	}
	return nil
}

// chosen acts on a choice from the list of completions.
func (m *model) chosen(then composer.Choice) tea.Cmd {
	switch {
	case then.Template != nil:
		return m.offers.fillIn(*then.Template)
	case then.Send:
		return m.submit()
	}
	return nil
}

// occupied tells whether a question has to wait.
func (m *model) occupied() bool {
	return m.talk.busy() || m.offers.errand.active() || !m.choice.ready()
}
