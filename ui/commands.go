package ui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// What the slash commands do. Each has the whole chat in its hand, like the keys.

func showHelp(m *model, _ string) tea.Cmd {
	m.dialogs.open(&page{title: "Help", draw: func(width int, st *look.Look) []string {
		var cmds, keys [][2]string
		for _, c := range commands() {
			cmds = append(cmds, [2]string{strings.TrimSpace("/" + c.name + " " + c.args), c.help})
		}
		for _, k := range m.keys.rows() {
			keys = append(keys, [2]string{k.Help().Key, k.Help().Desc})
		}
		out := append([]string{"", "  " + st.Heading.Render("Commands")}, columns(cmds, width, st)...)
		out = append(out, "", "  "+st.Heading.Render("Keys"))
		out = append(out, columns(keys, width, st)...)
		note := "To select with the mouse hold shift (option on a Mac) while dragging, or press ctrl+t first."
		return prose(append(out, ""), note, width, st, st.Dim.Render)
	}})
	return nil
}

func retry(m *model, _ string) tea.Cmd {
	if !m.choice.ready() {
		return reply(screen.Flash{Text: "There is no model to ask yet"})
	}
	question, err := m.talk.takeBack()
	if question == nil {
		return reply(screen.Flash{Text: "There is no question to ask again"})
	}
	m.transcript.TakeBack()
	if err != nil {
		m.notice(transcript.Warn, err.Error())
	}
	return m.ask(question...)
}

func goOn(m *model, _ string) tea.Cmd {
	switch {
	case m.occupied():
		return nil
	case !m.talk.stopped:
		return reply(screen.Flash{Text: "The last answer was not stopped"})
	}
	return m.begin(m.talk.resume(m.ctx))
}

func clearAll(m *model, _ string) tea.Cmd {
	err := m.talk.renew(m.options.NewSession)
	m.transcript.Clear()
	m.footer.used = 0
	m.status.set(status.State{})
	if err != nil {
		m.notice(transcript.Warn, err.Error())
	}
	return nil
}

func copyCommand(m *model, arg string) tea.Cmd {
	return screen.Copy(m.transcript.Text(arg != "all"))
}

func setThink(m *model, arg string) tea.Cmd {
	switch think := provider.Think(arg); think {
	case provider.ThinkAuto, provider.ThinkOn, provider.ThinkOff:
		m.talk.chat.Think = think
		return tellThink(m.ctx, m.talk.chat.Model, m.talk.chat.Name, think)
	}
	now := m.talk.chat.Think
	if now == "" {
		now = provider.ThinkAuto
	}
	return reply(screen.Flash{Text: fmt.Sprintf("Thinking is %q; say /think auto, on or off", now)})
}

// tellThink says what was set, or that the model cannot do it.
func tellThink(ctx context.Context, model provider.Model, name string, think provider.Think) tea.Cmd {
	return func() tea.Msg {
		if think == provider.ThinkOn && name != "" {
			if info, err := model.Describe(ctx, name); err == nil && info.CannotThink() {
				return screen.Flash{Text: sanitize.Line(name) + " cannot think: /model chooses one that can"}
			}
		}
		return screen.Flash{Text: "Thinking: " + string(think)}
	}
}

func setStatus(m *model, arg string) tea.Cmd {
	switch style := status.Style(arg); style {
	case status.StyleSentence, status.StyleName:
		m.talk.chat.Style = style
		return reply(screen.Flash{Text: "Running tools are told by " + arg})
	}
	return reply(screen.Flash{Text: "Say /status sentence or /status name"})
}

func setSystem(m *model, arg string) tea.Cmd {
	switch arg {
	case "":
		if m.talk.chat.System == "" {
			return reply(screen.Flash{Text: "There are no instructions of yours; set them with /system TEXT"})
		}
		m.notice(transcript.Info, "Your instructions: "+m.talk.chat.System)
	case "-":
		m.talk.chat.System = ""
		return reply(screen.Flash{Text: "Your instructions are removed"})
	default:
		m.talk.chat.System = sanitize.Text(arg)
		return reply(screen.Flash{Text: "Your instructions are set, from the next question on"})
	}
	return nil
}
