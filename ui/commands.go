package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/markdown"
)

// What the slash commands do. Each has the whole chat in its hand, like the keys.

func showHelp(m *model, _ string) tea.Cmd {
	m.dialogs.open(&page{title: "Help", draw: func(width int, st *look) []string {
		var cmds, keys [][2]string
		for _, c := range commands() {
			cmds = append(cmds, [2]string{strings.TrimSpace("/" + c.name + " " + c.args), c.help})
		}
		for _, k := range m.keys.rows() {
			keys = append(keys, [2]string{k.Help().Key, k.Help().Desc})
		}
		out := append([]string{"", "  " + st.styles.heading.Render("Commands")}, columns(cmds, width, st)...)
		out = append(out, "", "  "+st.styles.heading.Render("Keys"))
		out = append(out, columns(keys, width, st)...)
		note := "To select with the mouse hold shift (option on a Mac) while dragging, or press ctrl+t first."
		out = append(out, "")
		for _, line := range markdown.Wrap(note, reading(width-4), st.method) {
			out = append(out, "  "+st.styles.dim.Render(line))
		}
		return out
	}})
	return nil
}

func showServers(m *model, _ string) tea.Cmd {
	if len(m.footer.servers) == 0 {
		return reply(flashMsg{"No servers are configured"})
	}
	m.dialogs.open(&page{title: "Servers", draw: func(width int, st *look) []string {
		var out []string
		for _, s := range m.footer.servers {
			out = append(out, serverRows(s, width, st)...)
		}
		return out
	}})
	return nil
}

// serverRows draws one server: its state, and for one that failed the reason and what it wrote last.
func serverRows(s status.Server, width int, st *look) []string {
	mark, words, reason := st.styles.dim.Render("○"), "off", st.styles.dim
	switch s.State {
	case status.ServerReady:
		mark = st.styles.ok.Render("●")
		words = dotted([]string{count(s.Tools, "tool"), sanitize.Line(s.Detail)})
		if s.Took >= time.Second {
			words += " · ready after " + status.Duration(s.Took)
		}
	case status.ServerStarting:
		mark, words = st.styles.accent.Render("◌"), "starting"
	case status.ServerFailed:
		mark, words, reason = st.styles.err.Render("✗"), "failed", st.styles.text
	}
	out := []string{clip("  "+mark+" "+st.styles.strong.Render(sanitize.Line(s.Name))+"  "+st.styles.dim.Render(words), max(1, width), st)}
	indent := func(text string, style func(...string) string) {
		for _, line := range markdown.Wrap(sanitize.Text(text), reading(width-6), st.method) {
			out = append(out, "    "+style(line))
		}
	}
	if s.Detail != "" && s.State != status.ServerReady {
		indent(s.Detail, reason.Render)
	}
	if s.State == status.ServerFailed {
		for _, line := range s.Stderr {
			indent(line, st.styles.dim.Render)
		}
	}
	return out
}

func retry(m *model, _ string) tea.Cmd {
	if !m.choice.ready() {
		return reply(flashMsg{"There is no model to ask yet"})
	}
	question, err := m.talk.takeBack()
	if question == "" {
		return reply(flashMsg{"There is no question to ask again"})
	}
	m.transcript.clear()
	m.transcript.load(m.talk.conv, m.talk.recorder.Turns(), m.talk.chat.Language)
	if err != nil {
		m.notice(noticeWarn, err.Error())
	}
	return m.ask(question)
}

func goOn(m *model, _ string) tea.Cmd {
	switch {
	case m.talk.busy() || !m.choice.ready():
		return nil
	case !m.talk.stopped:
		return reply(flashMsg{"The last answer was not stopped"})
	}
	return m.begin(m.talk.resume(m.ctx))
}

func clearAll(m *model, _ string) tea.Cmd {
	err := m.talk.renew(m.options.NewSession)
	m.transcript.clear()
	m.footer.used = 0
	m.status.set(status.State{})
	if err != nil {
		m.notice(noticeWarn, err.Error())
	}
	return nil
}

func copyCommand(m *model, arg string) tea.Cmd {
	return copyText(m.ctx, m.transcript.text(arg != "all"))
}

func setThink(m *model, arg string) tea.Cmd {
	switch think := provider.Think(arg); think {
	case provider.ThinkAuto, provider.ThinkOn, provider.ThinkOff:
		m.talk.chat.Think = think
		return reply(flashMsg{"Thinking: " + arg})
	}
	now := m.talk.chat.Think
	if now == "" {
		now = provider.ThinkAuto
	}
	return reply(flashMsg{fmt.Sprintf("Thinking is %q; say /think auto, on or off", now)})
}

func setStatus(m *model, arg string) tea.Cmd {
	switch style := status.Style(arg); style {
	case status.StyleSentence, status.StyleName:
		m.talk.chat.Style = style
		return reply(flashMsg{"Running tools are told by " + arg})
	}
	return reply(flashMsg{"Say /status sentence or /status name"})
}

func setSystem(m *model, arg string) tea.Cmd {
	switch arg {
	case "":
		if m.talk.chat.System == "" {
			return reply(flashMsg{"There are no instructions of yours; set them with /system TEXT"})
		}
		m.notice(noticeInfo, "Your instructions: "+m.talk.chat.System)
	case "-":
		m.talk.chat.System = ""
		return reply(flashMsg{"Your instructions are removed"})
	default:
		m.talk.chat.System = sanitize.Text(arg)
		return reply(flashMsg{"Your instructions are set, from the next question on"})
	}
	return nil
}

// count writes "1 tool", "2 tools".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
