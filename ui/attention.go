package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// attention knows whether you look at the window. If not, the window's title, the taskbar and notifications say what
// needs you.
type attention struct {
	options       *Options
	showsProgress bool      // the terminal shows progress
	looked        bool      // the terminal has the focus, or never reported it
	failed        bool      // the last turn failed, and you have not looked since
	began         time.Time // when the turn did
}

// patient is the shortest turn whose end is worth a notification.
const patient = 10 * time.Second

func (a *attention) begin(now time.Time) { a.began, a.failed = now, false }

// follow learns what the terminal can do, and whether you look at it. A key, a paste, the mouse and the return from the
// shell count as looking: some terminals report when they lose the focus and not when they get it back.
func (a *attention) follow(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.EnvMsg:
		a.showsProgress = screen.ShowsProgress(msg.Getenv)
	case tea.FocusMsg, tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg, tea.ResumeMsg:
		a.looked, a.failed = true, false
	case tea.BlurMsg:
		a.looked = false
	}
}

// scene is what the window's title and the taskbar show.
type scene struct {
	model  string // in use; "": none yet
	busy   bool   // a turn runs, or a server is read for one
	needed bool   // a turn or a server waits for you
	done   int    // percent of the step; -1 if unknown
}

func (m *model) scene() scene {
	busy := m.talk.busy()
	return scene{m.choice.inUse, busy || m.operation.active(), m.dialogs.Asks(), m.status.percent}
}

// title is the window's title. Tabs are narrow, so what matters comes first: a dot when aloud waits for you.
func (a *attention) title(s scene) string {
	if !a.options.Title {
		return ""
	}
	title := "aloud · ready"
	switch {
	case s.needed:
		title = "● aloud · needs you"
	case s.busy:
		title = "aloud · working"
	}
	if s.model != "" {
		title += " · " + shortName(s.model)
	}
	return title
}

// progress is what the taskbar shows; nil while there is nothing to show.
func (a *attention) progress(s scene) *tea.ProgressBar {
	switch {
	case !a.options.Taskbar || !a.showsProgress:
		return nil
	case s.needed:
		return tea.NewProgressBar(tea.ProgressBarWarning, 100)
	case s.busy && s.done >= 0:
		return tea.NewProgressBar(tea.ProgressBarDefault, s.done)
	case s.busy:
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	case a.failed:
		return tea.NewProgressBar(tea.ProgressBarError, 100)
	}
	return nil
}

// call shows a notification if you do not look.
func (a *attention) call(text string) tea.Cmd {
	if !a.options.Notify || a.looked {
		return nil
	}
	return screen.Notify(text)
}

// end notifies you of the end of a long turn, unless you stopped it.
func (a *attention) end(ev provider.Ended, model string, compacted bool) tea.Cmd {
	words := " has answered"
	if compacted {
		words = " has made a summary"
	}
	switch ev.Result.Stop.Reason {
	case provider.Cancelled, provider.Denied:
		return nil
	case provider.Failed:
		words = " has failed"
		a.failed = true
	}
	if time.Since(a.began) < patient {
		return nil
	}
	return a.call(shortName(model) + words)
}

func hasStalled(model string) string { return shortName(model) + " has fallen silent" }

// shortName is a model's name without its origin: "hf.co/someone/Qwen3-8B-GGUF:Q4_K_M" is "Qwen3-8B-GGUF:Q4_K_M".
func shortName(model string) string {
	name := sanitize.Line(model)
	name = name[strings.LastIndexByte(name, '/')+1:]
	if name == "" {
		return "The model"
	}
	return look.CutMiddle(name, 24)
}
