package screen

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// frameGap is the minimum time between two frames, and between two keys that are drawn at once. A change after a longer
// pause is drawn at once.
const frameGap = 8 * time.Millisecond

// Terminal is the terminal of a program. In and Out are usually standard input and output.
type Terminal struct {
	In            io.Reader
	Out           io.Writer
	Env           []string
	Width, Height int                  // 0 means the size of Out, which must then be a terminal
	Colors        colorprofile.Profile // that Out shows
}

// Standard returns the terminal that aloud was started in. Its colours are detected here, once, because that starts
// a process within tmux.
func Standard() Terminal {
	env := os.Environ()
	return Terminal{In: keyboard(), Out: os.Stdout, Env: env, Colors: colorprofile.Detect(os.Stdout, env)}
}

// Program shows a model in a terminal. It draws a frame when the model's view changes: Bubble Tea's own renderer would
// wait for the next tick of a timer and wake up sixty times a second.
//
// It uses only the content, the cursor, the mouse mode and the window title of a view. It always reports focus and
// pasted text. Commands must write to the terminal through this package (see Write): Bubble Tea's own commands have no
// effect.
type Program struct {
	Drawn func() // called after the first frame is written; may be nil

	model    tea.Model
	terminal Terminal
	display  *display
	tea      *tea.Program
	last     time.Time   // when the last frame was drawn
	waiting  bool        // a drawMsg is pending
	pressed  time.Time   // when the last key was drawn at once
	rest     *time.Timer // calls collectEarly
	start    func(Work)
}

// NewProgram returns a program that is ready to Run.
func NewProgram(model tea.Model, t Terminal) *Program { return &Program{model: model, terminal: t} }

// Run shows the model until it quits or ctx ends, restores the terminal, and waits for the end of all Work. It may be
// called once.
func (p *Program) Run(ctx context.Context) (err error) {
	t := p.terminal
	if p.display, err = newDisplay(t); err != nil {
		return err
	}
	if err := p.display.enter(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var working sync.WaitGroup
	p.start = func(w Work) { working.Go(func() { w.run(ctx, cancel, p.Send) }) }
	defer func() {
		err = errors.Join(err, p.display.leave())
		cancel(nil)
		working.Wait()
		if cause := context.Cause(ctx); errors.Is(cause, tea.ErrProgramPanic) {
			err = cause
		}
	}()
	// The ticker writes the output of Bubble Tea's own commands, which are not used, so it should run rarely.
	p.tea = tea.NewProgram(root{p},
		tea.WithContext(ctx), tea.WithoutRenderer(), tea.WithFPS(1), tea.WithoutSignalHandler(),
		tea.WithInput(t.In), tea.WithOutput(io.Discard), tea.WithEnvironment(t.Env),
		tea.WithWindowSize(p.display.width, p.display.height), tea.WithColorProfile(t.Colors))
	defer watchSize(t.Out, p.Send)()
	p.rest = time.AfterFunc(quiet, collectEarly)
	defer p.rest.Stop()
	_, err = p.tea.Run()
	return err
}

// Send sends a message to the model. It may be called from any goroutine while the program runs, and blocks until the
// message is received.
func (p *Program) Send(msg tea.Msg) { p.tea.Send(msg) }

type (
	drawMsg    struct{} // time to draw the next frame
	redrawMsg  struct{}
	writeMsg   string
	releaseMsg struct {
		run  func() error
		done func(error) tea.Msg
	}
)

// root is the model that Bubble Tea runs. It calls View after each message.
type root struct{ *Program }

// Init sends the terminal's colours and size to the model at once, so that the first frame is complete.
func (p root) Init() tea.Cmd {
	cmds := []tea.Cmd{p.model.Init()}
	size := tea.WindowSizeMsg{Width: p.display.width, Height: p.display.height}
	for _, msg := range []tea.Msg{tea.ColorProfileMsg{Profile: p.display.colors}, size} {
		_, cmd := p.Update(msg)
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
}

func (p root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case drawMsg:
		p.waiting = false
		return p, nil
	case redrawMsg:
		p.display.redraw()
		return p, nil
	case writeMsg:
		p.display.write(string(msg))
		return p, nil
	case Work:
		p.start(msg)
		return p, nil
	case releaseMsg:
		return p, tea.Exec(&visit{display: p.display, run: msg.run}, msg.done)
	case tea.WindowSizeMsg:
		p.display.resize(msg.Width, msg.Height)
	case tea.ModeReportMsg:
		p.display.report(msg)
	case tea.KeyPressMsg:
		if now := time.Now(); now.Sub(p.pressed) >= frameGap {
			p.pressed, p.last, p.waiting = now, time.Time{}, false
		}
	}
	p.rest.Reset(quiet)
	model, cmd := p.model.Update(msg)
	p.model = model
	return p, cmd
}

// View draws the model's view. Messages in quick succession are drawn together, but a key does not wait for them.
func (p root) View() tea.View {
	if p.waiting {
		return tea.View{}
	}
	if early := frameGap - time.Since(p.last); early > 0 {
		p.waiting = true
		time.AfterFunc(early, func() { p.Send(drawMsg{}) })
		return tea.View{}
	}
	p.display.draw(p.model.View())
	p.last = time.Now()
	if p.Drawn != nil {
		p.Drawn()
		p.Drawn = nil
	}
	return tea.View{}
}

// Write returns a command that writes an escape sequence to the terminal.
func Write(sequence string) tea.Cmd { return Reply(writeMsg(sequence)) }

// Redraw returns a command that draws the whole screen again.
func Redraw() tea.Cmd { return Reply(redrawMsg{}) }

// Background returns a command that requests the terminal's background colour. Most terminals reply, with a
// tea.BackgroundColorMsg.
func Background() tea.Cmd { return Write(ansi.RequestBackgroundColor) }

// Release returns a command that restores the terminal, calls run, and takes control of the terminal again. No message
// is handled meanwhile. The model receives the message that done returns for the error of run.
func Release(run func() error, done func(error) tea.Msg) tea.Cmd {
	return Reply(releaseMsg{run, done})
}

// visit implements tea.ExecCommand, for which Bubble Tea stops reading keys.
type visit struct {
	display *display
	run     func() error
}

func (v *visit) Run() error {
	err := v.display.leave()
	if err == nil {
		err = v.run()
	}
	return errors.Join(err, v.display.enter())
}

// SetStdin, SetStdout and SetStderr do nothing: run uses those of the process.
func (v *visit) SetStdin(io.Reader)  {}
func (v *visit) SetStdout(io.Writer) {}
func (v *visit) SetStderr(io.Writer) {}
