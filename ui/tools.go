package ui

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/transcript"
)

// muchForTools is the share of the context from which on tools take more than is good for an answer, in percent.
const muchForTools = 25

// toolList is what /tools shows: the servers with their tools, and what each takes of the context in every request.
type toolList struct {
	box    Toolbox
	window int // tokens of context
	tools  []mcpclient.Tool
	on     []bool
	tokens []int
	lines  [][]int // the tools that each row stands for: one, or all of a server

	store func(name string, on bool) error // nil: not kept
	mu    sync.Mutex                       // held while it is called
}

// showTools is /tools.
func showTools(m *model, _ string) tea.Cmd {
	if m.options.Tools == nil {
		return reply(flashMsg{"This chat has no tools"})
	}
	l := &toolList{box: m.options.Tools, window: m.talk.room(), store: m.options.RememberTool}
	l.tools, l.on = l.box.AllTools()
	if len(l.tools) == 0 {
		return reply(flashMsg{"No server has offered a tool yet: see /servers"})
	}
	servers := map[string]int{} // the row of each
	for i, t := range l.tools {
		l.tokens = append(l.tokens, provider.ToolTokens(t))
		at, ok := servers[t.Server]
		if !ok {
			at = len(l.lines)
			servers[t.Server] = at
			l.lines = append(l.lines, nil)
		}
		l.lines[at] = append(l.lines[at], i)
		l.lines = append(l.lines, []int{i})
	}
	p := &picker{}
	l.fill(p)
	p.toggle = func(row int) tea.Cmd {
		cmd := l.toggle(row)
		l.fill(p)
		return cmd
	}
	p.keys, p.short = "space on/off · enter try it · type to filter · esc", "space on/off · enter try · type · esc"
	p.typing = "↑↓ space on/off · enter try it · esc"
	p.enter = func(row int) tea.Cmd {
		if l.heads(row) { // a space switches all of them, and what is stored is not left to chance
			if at, shown := slices.BinarySearch(p.shown(), row+1); shown {
				p.goTo(at)
			}
			return nil
		}
		i := l.lines[row][0]
		t := newTrial(m.ctx, l.box, l.tools[i], m.tried, func() bool { return m.status.motion.runs })
		t.off = !l.on[i]
		m.dialogs.open(t)
		return nil
	}
	m.dialogs.open(p)
	return nil
}

// fill writes the list into the dialog as it is now.
func (l *toolList) fill(p *picker) {
	var all []int
	if p.rows == nil {
		p.rows = l.toolRows()
	}
	for i, tools := range l.lines {
		if l.heads(i) {
			all = append(all, tools...)
			p.rows[i] = l.serverRow(tools)
		} else {
			p.rows[i].badge = l.badge(tools[0])
		}
	}
	on, taken := l.sum(all)
	p.title = look.Plural(on, "tool")
	if on < len(all) {
		p.title = fmt.Sprintf("%d of %s", on, look.Plural(len(all), "tool"))
	}
	p.title += fmt.Sprintf(" on · %s · %s of %s tokens", share(taken, l.window), status.Count(taken), status.Count(l.window))
	p.text = ""
	if taken*100 > l.window*muchForTools {
		p.text = fmt.Sprintf("Tools take %s of the context in every request. Models choose better among few: switch off what is not needed.", share(taken, l.window))
	}
}

// heads tells whether a row is a server's: the one before its first tool.
func (l *toolList) heads(row int) bool {
	return len(l.lines[row]) > 1 || row+1 < len(l.lines) && l.lines[row][0] == l.lines[row+1][0]
}

func (l *toolList) serverRow(tools []int) row {
	on, taken := l.sum(tools)
	badge := "◐"
	switch on {
	case 0:
		badge = "○"
	case len(tools):
		badge = "✓"
	}
	detail := look.Plural(len(tools), "tool")
	if on > 0 && on < len(tools) {
		detail = fmt.Sprintf("%d of %s", on, detail)
	}
	return row{label: l.tools[tools[0]].Server, badge: badge, amount: l.amount(taken), detail: detail}
}

// toolRows are the rows of all tools, with room for those of the servers. Of thousands they are not made anew for every key.
func (l *toolList) toolRows() []row {
	rows := make([]row, len(l.lines))
	for at, tools := range l.lines {
		t := l.tools[tools[0]]
		rows[at] = row{
			label: status.Title(t.Title, t.ServerTool), also: t.Server + " " + t.ServerTool, depth: 1,
			amount: l.amount(l.tokens[tools[0]]), detail: look.Cut(t.Description, 400),
		}
	}
	return rows
}

func (l *toolList) badge(i int) string {
	if l.on[i] {
		return "✓"
	}
	return "○"
}

// sum is how many of these tools are on, and what those take.
func (l *toolList) sum(tools []int) (on, tokens int) {
	for _, i := range tools {
		if l.on[i] {
			on++
			tokens += l.tokens[i]
		}
	}
	return on, tokens
}

// amount is "412 tok  5%", in columns.
func (l *toolList) amount(tokens int) string {
	return fmt.Sprintf("%5s tok %4s", status.Count(tokens), share(tokens, l.window))
}

// toggle switches a row's tool, or all tools of a server: off when all are on. The next turn is asked with what is on then.
func (l *toolList) toggle(row int) tea.Cmd {
	tools := l.lines[row]
	n, _ := l.sum(tools)
	on := n < len(tools)
	var switched []string
	for _, i := range tools {
		if l.on[i] != on {
			l.on[i] = on
			l.box.Enable(l.tools[i].Name, on)
			switched = append(switched, l.tools[i].Name)
		}
	}
	if l.store == nil {
		return nil
	}
	return func() tea.Msg { return l.remember(switched) }
}

// remember stores for the next start how the tools are switched when it is called: commands may come in another order than keys.
func (l *toolList) remember(names []string) tea.Msg {
	l.mu.Lock()
	defer l.mu.Unlock()
	tools, on := l.box.AllTools()
	now := map[string]bool{}
	for i, t := range tools {
		now[t.Name] = on[i]
	}
	for _, name := range names {
		if err := l.store(name, now[name]); err != nil {
			return noticeMsg{transcript.Warn, "Which tools are on is not remembered for the next start: " + strings.TrimSuffix(err.Error(), ".") + "."}
		}
	}
	return nil
}

// share writes a part in percent: "5%", "<1%".
func share(part, whole int) string {
	switch percent := (part*100 + whole/2) / max(whole, 1); {
	case percent == 0 && part > 0:
		return "<1%"
	default:
		return fmt.Sprintf("%d%%", percent)
	}
}
