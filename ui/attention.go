package ui

import (
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// attention is what is known of a person's: where it is not, the window's title, the taskbar and a notification ask for it.
type attention struct {
	features features
	looked   bool      // the window is in front, as far as the terminal tells
	failed   bool      // the last turn failed, and nobody has looked since
	began    time.Time // when the turn did
}

// patient is how long a turn takes at least for its end to be worth a notification: nobody goes away for less.
const patient = 10 * time.Second

func (a *attention) begin(now time.Time) { a.began, a.failed = now, false }

// follow finds out whether a person looks. Who types, turns the wheel or comes back from the shell does: not every terminal that tells when
// it is left tells also when it is not any more, and none does while the shell has it.
func (a *attention) follow(msg tea.Msg) {
	switch msg.(type) {
	case tea.FocusMsg, tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg, tea.ResumeMsg:
		a.looked, a.failed = true, false
	case tea.BlurMsg:
		a.looked = false
	}
}

// windowTitle is what of a window its operations push and pop.
const windowTitle = 2

// keepTitle makes the terminal remember the window's title. Most terminals can, and the others take no notice.
func keepTitle(w io.Writer) { fmt.Fprint(w, ansi.WindowOp(22, windowTitle)) }

// putTitleBack gives the window the title that was kept last.
func putTitleBack(w io.Writer) { fmt.Fprint(w, ansi.WindowOp(23, windowTitle)) }

// title is the window's title. What a person wants to know comes first, since tabs are narrow, and a dot says in the narrowest that aloud waits.
func (m *model) title() string {
	if !m.options.Title {
		return ""
	}
	title := "aloud · ready"
	switch {
	case m.needed():
		title = "● aloud · needs you"
	case m.talk.busy():
		title = "aloud · working"
	}
	if m.choice.inUse != "" {
		title += " · " + shortName(m.choice.inUse)
	}
	return title
}

// needed tells whether a turn or a server waits for a person.
func (m *model) needed() bool {
	asks := m.talk.busy() && m.stall.again != nil
	m.dialogs.each(func(d dialog) {
		switch d.(type) {
		case inquiry, *confirm:
			asks = true
		}
	})
	return asks
}

// progress is what the taskbar shows: that aloud works, how far it is if that is known, that it waits for a person, that it has failed.
func (m *model) progress() *tea.ProgressBar {
	percent := m.status.percent
	switch {
	case !m.options.Taskbar || !m.attention.features.taskbar:
		return nil
	case m.needed():
		return tea.NewProgressBar(tea.ProgressBarWarning, 100)
	case m.talk.busy() && percent >= 0:
		return tea.NewProgressBar(tea.ProgressBarDefault, percent)
	case m.talk.busy():
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	case m.attention.failed:
		return tea.NewProgressBar(tea.ProgressBarError, 100)
	}
	return nil
}

// call shows a notification where nobody looks.
func (m *model) call(text string) tea.Cmd {
	if !m.options.Notify || m.attention.looked {
		return nil
	}
	return tea.Raw(m.attention.features.notification(text))
}

// callAtEnd tells of a turn that took so long that nobody may have waited for it. One that a person ended is no news.
func (m *model) callAtEnd(ev provider.Ended) tea.Cmd {
	words := " has answered"
	if m.talk.compacting {
		words = " has made a summary"
	}
	switch ev.Result.Stop.Reason {
	case provider.Cancelled, provider.Denied:
		return nil
	case provider.Failed:
		words = " has failed"
		m.attention.failed = true
	}
	if time.Since(m.attention.began) < patient {
		return nil
	}
	return m.call(shortName(m.choice.inUse) + words)
}

func needsApproval(title string) string {
	return cutMiddle(sanitize.Line(title), 40) + " needs your approval"
}

func hasStalled(model string) string { return shortName(model) + " has fallen silent" }

// shortName is a model's name without where it comes from: "hf.co/someone/Qwen3-8B-GGUF:Q4_K_M" is "Qwen3-8B-GGUF:Q4_K_M".
func shortName(model string) string {
	name := sanitize.Line(model)
	name = name[strings.LastIndexByte(name, '/')+1:]
	if name == "" {
		return "The model"
	}
	return cutMiddle(name, 24)
}

// cutMiddle leaves out the middle of a text that is longer than so many characters.
func cutMiddle(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most/2]) + "…" + string(runes[len(runes)-(most-1)/2:])
}
