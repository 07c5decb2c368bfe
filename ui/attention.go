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

// attention knows whether you look at the window. If not, the window's title, the taskbar and notifications say what needs you.
type attention struct {
	options       *Options
	showsProgress bool      // the terminal shows progress
	looked        bool      // the window is in front, as far as the terminal tells
	failed        bool      // the last turn failed, and you have not looked since
	began         time.Time // when the turn did
}

// patient is how long a turn takes at least for its end to be worth a notification.
const patient = 10 * time.Second

func (a *attention) begin(now time.Time) { a.began, a.failed = now, false }

// follow finds out what the terminal can do, and whether you look. If you type, turn the wheel or come back from the shell, you do: not every
// terminal that reports when it loses the focus also reports when it gets it back, and none does while the shell has it.
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

// scene is what you want to know of the chat while you look elsewhere.
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

// title is the window's title. What matters comes first, since tabs are narrow, and in the narrowest a dot says that aloud waits.
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

// progress is what the taskbar shows: that aloud works, how far it is if that is known, that it waits for you, that it has failed.
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

// end notifies you of a turn that took so long that you may not have waited for it. One that you stopped is no news.
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

// shortName is a model's name without where it comes from: "hf.co/someone/Qwen3-8B-GGUF:Q4_K_M" is "Qwen3-8B-GGUF:Q4_K_M".
func shortName(model string) string {
	name := sanitize.Line(model)
	name = name[strings.LastIndexByte(name, '/')+1:]
	if name == "" {
		return "The model"
	}
	return look.CutMiddle(name, 24)
}
