// Package ui is the chat on the screen, and the only package that knows Bubble Tea.
//
// The way of a key: the top dialog, else the keys of the whole chat, else the composer. What a child wants goes up as a small message;
// model, the only tea.Model, routes it. The way of the news: a turn's pump gathers events (turn.go), the scribe writes them into the
// transcript, which draws only what is in view. Update and View never wait, read or write: that is done in commands.
package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
)

// rowsAtExit is how much of the conversation is left on the normal screen.
const rowsAtExit = 5000

// Run shows the chat until the person leaves, then prints the conversation to the normal screen.
// Standard input and output must be terminals.
func Run(ctx context.Context, o Options) error {
	return run(ctx, o, colorprofile.NewWriter(os.Stdout, os.Environ()))
}

func run(ctx context.Context, o Options, after io.Writer, opts ...tea.ProgramOption) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newModel(ctx, o)
	_, err := tea.NewProgram(m, append(opts, tea.WithContext(ctx))...).Run()
	cancel()
	if errors.Is(err, tea.ErrInterrupted) || ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic) {
		err = nil // asked to leave from outside
	}
	id := m.talk.recorder.ID()
	err = errors.Join(err, m.talk.quit(o.Recorder), m.transcript.dump(after, rowsAtExit))
	if id != "" && m.talk.conv.Len() > 0 {
		fmt.Fprintf(after, "\nTo go on: aloud --resume %s\n", id)
	}
	return err
}

// model is the whole chat. It routes and joins; the parts know how to do their work.
type model struct {
	ctx     context.Context // of commands: Bubble Tea hands none to Update
	options Options
	keys    keyMap
	look    look

	width, height int
	regions       regions
	panel         []string // the top dialog, drawn

	transcript *transcript
	scribe     *scribe
	status     statusBar
	prompt     *prompt
	completion completion
	footer     footer
	dialogs    dialogs
	talk       talk

	modelInUse string    // the model that answered for itself last
	typed      time.Time // when a key last went to the composer
	left       time.Time // when ctrl+c was pressed last
	mouse      bool      // the wheel is ours
}

// Messages to the root. Those about models are in models.go.
type (
	boardMsg struct {
		servers []status.Server
		version int
	}
	historyMsg struct {
		entries []string
		err     error
	}
	noticeMsg struct {
		kind noticeKind
		text string
	}
	flashMsg   struct{ text string } // a word about the last key
	unflashMsg struct{ n int }
)

func newModel(ctx context.Context, o Options) *model {
	m := &model{
		ctx: ctx, options: o, keys: newKeyMap(), mouse: true,
		look:       look{styles: newStyles(true), dark: true, method: ansi.WcWidth},
		transcript: newTranscript(),
		talk:       talk{chat: o.Chat, conv: o.Conversation, recorder: o.Recorder},
	}
	m.prompt = newPrompt(m.look.styles)
	m.scribe = newScribe(m.transcript)
	m.transcript.restyle(&m.look)
	m.transcript.load(o.Conversation)
	m.footer.model = "looking for a model…"
	return m
}

// Init asks for what is not known yet. None of it holds up the first frame.
func (m *model) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, findModel(m.ctx, m.talk.chat, m.options.LastModel), m.watchBoard(0), loadHistory(m.options.History))
}

// Update routes a message to the part it is for.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.route(msg)
	m.arrange()
	return m, cmd
}

func (m *model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.prompt.resize(m.width-1, m.height/3)
	case tea.BackgroundColorMsg:
		m.look.dark, m.look.styles = msg.IsDark(), newStyles(msg.IsDark())
		m.restyle()
	case tea.ModeReportMsg:
		m.measure(msg)
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.paste(msg)
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case batchMsg:
		return m.apply(msg)
	case tickMsg:
		return m.tick()
	case answeredMsg:
		m.answer(msg.decision)
	case boardMsg:
		m.footer.servers = msg.servers
		return m.watchBoard(msg.version)
	case historyMsg:
		m.prompt.history.load(msg.entries)
		if msg.err != nil {
			m.notice(noticeWarn, msg.err.Error())
		}
	case noticeMsg:
		m.notice(msg.kind, msg.text)
	case flashMsg:
		return m.footer.show(msg.text)
	case unflashMsg:
		m.footer.unshow(msg.n)
	default:
		if cmd, known := m.updateModels(msg); known {
			return cmd
		}
		return m.dialogs.tell(msg)
	}
	return nil
}

// key routes a key: what always works, the top dialog, the list of commands, the chat, the composer.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	if cmd, known := m.globalKey(k); known {
		return cmd
	}
	if top := m.dialogs.top(); top != nil {
		if c, ok := top.(*confirm); ok && writes(k) && c.typing(time.Now()) {
			m.typeInto(k) // who is typing goes on typing
			return nil
		}
		return m.dialogs.key(k)
	}
	if m.completion.open() {
		if cmd, known := m.completionKey(k); known {
			return cmd
		}
	}
	if cmd, known := m.chatKey(k); known {
		return cmd
	}
	m.typeInto(k)
	return nil
}

// writes tells whether a key changes the draft.
func writes(k tea.KeyPressMsg) bool {
	return k.Text != "" || k.Code == tea.KeyBackspace || k.Code == tea.KeyEnter
}

func (m *model) typeInto(k tea.KeyPressMsg) {
	m.typed = time.Now()
	if k.Code == tea.KeyEnter && k.Mod == 0 {
		return
	}
	m.prompt.key(k)
	m.completion.follow(m.prompt.value())
}

// globalKey are the keys that work whatever is open.
func (m *model) globalKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch {
	case key.Matches(k, m.keys.leave):
		return m.leave(), true
	case key.Matches(k, m.keys.suspend):
		return tea.Suspend, true
	case key.Matches(k, m.keys.redraw):
		return tea.ClearScreen, true
	case key.Matches(k, m.keys.pager):
		var b strings.Builder
		if err := m.transcript.dump(&b, 0); err != nil {
			return reply(flashMsg{err.Error()}), true
		}
		return openPager([]byte(b.String())), true
	case key.Matches(k, m.keys.mouse):
		m.mouse = !m.mouse
		if m.mouse {
			return reply(flashMsg{"The wheel scrolls again"}), true
		}
		return reply(flashMsg{"The mouse selects now; ctrl+t gives the wheel back"}), true
	case key.Matches(k, m.keys.details):
		m.look.details = !m.look.details
		m.restyle()
		return nil, true
	case key.Matches(k, m.keys.thinking):
		m.look.thinking = !m.look.thinking
		m.restyle()
		return nil, true
	}
	return nil, false
}

func (m *model) completionKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "up":
		m.completion.move(-1)
	case "down":
		m.completion.move(1)
	case "esc":
		m.completion.hide()
	case "tab":
		m.prompt.set(m.completion.chosen())
		m.completion.follow(m.prompt.value())
	case "enter":
		m.prompt.set(m.completion.chosen())
		return m.submit(), true
	default:
		return nil, false
	}
	return nil, true
}

func (m *model) chatKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	empty := m.prompt.empty()
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
		text, _ := m.talk.unqueue()
		m.prompt.set(text)
	case key.Matches(k, m.keys.copy):
		return copyText(m.ctx, m.transcript.text(true)), true
	case key.Matches(k, m.keys.pageUp):
		m.transcript.page(-1)
	case key.Matches(k, m.keys.pageDown):
		m.transcript.page(1)
	case key.Matches(k, m.keys.top), key.Matches(k, m.keys.first) && empty:
		m.transcript.home()
	case key.Matches(k, m.keys.bottom), key.Matches(k, m.keys.last) && empty:
		m.transcript.end()
	default:
		return nil, false
	}
	return nil, true
}

func (m *model) wheel(msg tea.MouseWheelMsg) {
	switch msg.Button {
	case tea.MouseWheelUp:
		m.transcript.scroll(-3)
	case tea.MouseWheelDown:
		m.transcript.scroll(3)
	}
}

func (m *model) paste(msg tea.PasteMsg) tea.Cmd {
	if m.dialogs.top() != nil {
		return m.dialogs.key(msg)
	}
	m.typed = time.Now()
	m.prompt.paste(msg.Content)
	m.completion.follow(m.prompt.value())
	return nil
}

// leave is ctrl+c: it clears the draft, or stops the turn; twice in a row it leaves.
func (m *model) leave() tea.Cmd {
	const twice = 3 * time.Second
	if time.Since(m.left) < twice {
		return tea.Quit
	}
	m.left = time.Now()
	if !m.prompt.empty() {
		m.prompt.set("")
		m.completion.follow("")
	} else {
		m.stop()
	}
	return m.footer.show("Press ctrl+c again to leave")
}

// stop ends the running turn; what waits in line comes back into the composer.
func (m *model) stop() {
	if m.talk.busy() {
		m.talk.turn.cancel()
	}
	m.takeBackQueue()
}

func (m *model) takeBackQueue() {
	if len(m.talk.queue) == 0 {
		return
	}
	waiting := append(m.talk.queue, m.prompt.text())
	m.talk.queue = nil
	m.prompt.set(strings.TrimSpace(strings.Join(waiting, "\n\n")))
}

// submit takes what is in the composer: a command, a question, or, while a turn runs, something that waits in line.
func (m *model) submit() tea.Cmd {
	text := m.prompt.take()
	m.completion.follow("")
	if text == "" {
		return nil
	}
	m.transcript.end()
	var store tea.Cmd
	if m.prompt.history.add(text) {
		store = storeHistory(m.options.History, text)
	}
	return tea.Batch(store, m.do(text))
}

// do carries out an input, now or when its time has come.
func (m *model) do(text string) tea.Cmd {
	if name, arg, ok := parseCommand(text); ok {
		c, nearest, ok := findCommand(name)
		switch {
		case !ok:
			m.prompt.set(text)
			return reply(flashMsg{fmt.Sprintf("There is no /%s; did you mean /%s?", sanitize.Line(name), nearest)})
		case c.between && m.talk.busy():
			m.talk.enqueue(text)
			return nil
		}
		return tea.Batch(c.run(m, arg), m.next())
	}
	if !m.talk.ready && m.footer.model == noModel {
		m.talk.enqueue(text)
		return reply(findModelMsg{})
	}
	if m.talk.busy() || !m.talk.ready {
		m.talk.enqueue(text)
		return nil
	}
	return m.ask(text)
}

// next carries out what waits in line, unless something is asked first.
func (m *model) next() tea.Cmd {
	if m.dialogs.top() != nil {
		return nil
	}
	if text, ok := m.talk.dequeue(); ok {
		return m.do(text)
	}
	return nil
}

// ask begins a turn with a question.
func (m *model) ask(question string) tea.Cmd {
	m.transcript.add(newUserEntry(question))
	return m.begin(m.talk.send(m.ctx, question))
}

// begin shows a turn that has begun.
func (m *model) begin(wait tea.Cmd) tea.Cmd {
	m.scribe = newScribe(m.transcript)
	m.transcript.end()
	m.status.start()
	return tea.Batch(wait, tick())
}

// apply takes what happened in the turn.
func (m *model) apply(batch batchMsg) tea.Cmd {
	if batch.turn != m.talk.turn {
		return nil
	}
	for _, ev := range batch.events {
		m.scribe.write(ev)
		switch ev := ev.(type) {
		case provider.Status:
			m.status.set(ev.State)
		case provider.Asked:
			m.dialogs.open(newConfirm(ev, m.typed))
		case provider.Ended:
			return m.ended(ev)
		}
	}
	return batch.turn.wait
}

// ended tells how the turn ended and goes on with what waits.
func (m *model) ended(ev provider.Ended) tea.Cmd {
	m.talk.ended(ev)
	m.status.end()
	if c, ok := m.dialogs.top().(*confirm); ok {
		m.dialogs.close(c)
	}
	if u := ev.Result.Usage; u.ContextUsed > 0 {
		m.footer.used, m.footer.size = u.ContextUsed, u.ContextSize
	}
	for _, n := range farewell(ev) {
		m.notice(n.kind, n.text)
	}
	switch ev.Result.Stop.Reason {
	case provider.Cancelled, provider.Denied, provider.Failed:
		m.takeBackQueue()
		return nil
	}
	return m.next()
}

func (m *model) answer(d provider.Decision) {
	if m.talk.busy() {
		m.talk.turn.answer(d)
	}
}

// tick is the clock while a turn runs.
func (m *model) tick() tea.Cmd {
	if !m.talk.busy() {
		return nil
	}
	if m.status.tick(time.Now()) {
		m.scribe.tick()
	}
	return tick()
}

func (m *model) notice(kind noticeKind, text string) {
	m.transcript.add(newNoticeEntry(kind, text))
}

// measure takes the terminal's word on how wide it draws joined characters.
func (m *model) measure(report tea.ModeReportMsg) {
	if report.Mode != ansi.ModeUnicodeCore {
		return
	}
	if v := report.Value; v.IsSet() || v.IsReset() || v.IsPermanentlySet() {
		m.look.method = ansi.GraphemeWidth
		m.restyle()
	}
}

func (m *model) restyle() {
	m.transcript.restyle(&m.look)
	m.prompt.restyle(m.look.styles)
}

func (m *model) watchBoard(seen int) tea.Cmd {
	board := m.options.Board
	if board == nil {
		return nil
	}
	return func() tea.Msg {
		servers, version, err := board.Wait(m.ctx, seen)
		if err != nil {
			return nil
		}
		return boardMsg{servers, version}
	}
}
