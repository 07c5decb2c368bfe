package ui

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// muchForTools is the share of the context from which on tools take more than is good for an answer, in percent.
const muchForTools = 25

// toolList is what /tools shows: the servers with their tools, and what each takes of the context in every request. It follows what the servers
// offer while it is open.
type toolList struct {
	*picker
	box    Toolbox
	window int // tokens of context
	tools  []mcpclient.Tool
	on     []bool
	tokens []int
	lines  [][]int // the tools that each row stands for: one, or all of a server

	busy  func() bool // something runs: no tool can be tried
	try   func(mcpclient.Tool)
	store func(server, tool string, on bool) error // nil: not kept
	mu    sync.Mutex                               // held while it is called
}

// showTools is /tools.
func showTools(m *model, _ string) tea.Cmd {
	if m.options.Tools == nil {
		return reply(screen.Flash{Text: "This chat has no tools"})
	}
	l := &toolList{picker: &picker{}, box: m.options.Tools, window: m.talk.room(), store: m.options.RememberTool}
	l.try = m.trials.open
	l.busy = func() bool { return m.talk.busy() || m.offers.errand.active() }
	l.read()
	if len(l.tools) == 0 {
		return reply(screen.Flash{Text: "No server has offered a tool yet: see /servers"})
	}
	l.toggle = l.change
	l.keys, l.short = "space on/off · enter try it · type to filter · esc", "space on/off · enter try · type · esc"
	l.typing = "↑↓ space on/off · enter try it · esc"
	l.empty = "no server offers a tool now: see /servers"
	m.dialogs.open(l)
	return nil
}

// update takes what servers offer by now, besides what a list takes.
func (l *toolList) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case boardMsg:
		l.refresh()
		return false, nil
	case tea.KeyPressMsg:
		if shown := l.shown(); msg.String() == "enter" && l.at < len(shown) {
			return false, l.enter(shown[l.at])
		}
	}
	return l.picker.update(msg)
}

// enter tries a tool. On a server it goes to its first tool: only a space switches all of them.
func (l *toolList) enter(row int) tea.Cmd {
	switch {
	case !l.heads(row) && l.busy():
		return reply(screen.Flash{Text: "Something is running: try the tool when it is done"})
	case !l.heads(row):
		l.try(l.tools[l.lines[row][0]])
	default:
		if at, shown := slices.BinarySearch(l.shown(), row+1); shown {
			l.goTo(at)
		}
	}
	return nil
}

// refresh brings the list up to date. The row under the cursor stays under it.
func (l *toolList) refresh() {
	server, tool := l.chosen()
	before := l.at
	if !l.read() {
		return
	}
	for at, row := range l.shown() {
		if s, t := l.named(row); s == server && t == tool {
			l.at = at
			break
		}
	}
	l.at = max(0, min(l.at, len(l.shown())-1))
	l.seen.First += l.at - before
}

// chosen names what is under the cursor.
func (l *toolList) chosen() (server, tool string) {
	if shown := l.shown(); l.at < len(shown) {
		return l.named(shown[l.at])
	}
	return "", ""
}

// named names what a row stands for: a tool, or a server and no tool.
func (l *toolList) named(row int) (server, tool string) {
	t := l.tools[l.lines[row][0]]
	if l.heads(row) {
		return t.Server, ""
	}
	return t.Server, t.Name
}

// read takes the tools as they are now, and tells whether that is news.
func (l *toolList) read() (news bool) {
	tools, on := l.box.AllTools()
	if slices.Equal(on, l.on) && slices.EqualFunc(tools, l.tools, sameTool) {
		return false
	}
	known := map[string]int{}
	for i, t := range l.tools {
		known[t.Name] = i
	}
	var tokens []int
	var lines [][]int
	servers := map[string]int{} // the row of each
	for i, t := range tools {
		if old, ok := known[t.Name]; ok && sameTool(t, l.tools[old]) { // of thousands they are not counted anew for every other one
			tokens = append(tokens, l.tokens[old])
		} else {
			tokens = append(tokens, provider.ToolTokens(t))
		}
		at, ok := servers[t.Server]
		if !ok {
			at = len(lines)
			servers[t.Server] = at
			lines = append(lines, nil)
		}
		lines[at] = append(lines[at], i)
		lines = append(lines, []int{i})
	}
	l.tools, l.on, l.tokens, l.lines, l.rows = tools, on, tokens, lines, nil
	l.fill()
	return true
}

// sameTool tells whether two tools are the same in what is shown of them, here and where one is tried.
func sameTool(a, b mcpclient.Tool) bool {
	return a.Name == b.Name && a.Title == b.Title && a.Description == b.Description &&
		a.ReadOnly == b.ReadOnly && a.Destructive == b.Destructive && a.Idempotent == b.Idempotent && a.OpenWorld == b.OpenWorld &&
		bytes.Equal(a.Schema, b.Schema) && bytes.Equal(a.Output, b.Output)
}

// fill writes the rows and what heads them.
func (l *toolList) fill() {
	var all []int
	if l.rows == nil {
		l.rows = l.toolRows()
	}
	for i, tools := range l.lines {
		if l.heads(i) {
			all = append(all, tools...)
			l.rows[i] = l.serverRow(tools)
		} else {
			l.rows[i].badge = l.badge(tools[0])
		}
	}
	on, taken := l.sum(all)
	l.title = look.Plural(on, "tool")
	if on < len(all) {
		l.title = fmt.Sprintf("%d of %s", on, look.Plural(len(all), "tool"))
	}
	l.title += fmt.Sprintf(" on · %s · %s of %s tokens", share(taken, l.window), status.Count(taken), status.Count(l.window))
	l.text = ""
	if taken*100 > l.window*muchForTools {
		l.text = fmt.Sprintf("Tools take %s of the context in every request. Models choose better among few: switch off what is not needed.", share(taken, l.window))
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
			amount: l.amount(l.tokens[tools[0]]), detail: sanitize.Cut(t.Description, 400),
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

// change switches a row's tool, or all tools of a server: off when all are on. The next turn is asked with what is on then.
func (l *toolList) change(row int) tea.Cmd {
	tools := l.lines[row]
	n, _ := l.sum(tools)
	on := n < len(tools)
	var switched []mcpclient.Tool
	for _, i := range tools {
		if l.on[i] != on {
			l.on[i] = on
			l.box.Enable(l.tools[i].Server, l.tools[i].ServerTool, on)
			switched = append(switched, l.tools[i])
		}
	}
	l.fill()
	if l.store == nil {
		return nil
	}
	return func() tea.Msg { return l.remember(switched) }
}

// remember stores for the next start how the tools are switched when it is called: commands may come in another order than keys.
func (l *toolList) remember(switched []mcpclient.Tool) tea.Msg {
	l.mu.Lock()
	defer l.mu.Unlock()
	tools, on := l.box.AllTools()
	now := map[[2]string]bool{}
	for i, t := range tools {
		now[[2]string{t.Server, t.ServerTool}] = on[i]
	}
	for _, t := range switched {
		if err := l.store(t.Server, t.ServerTool, now[[2]string{t.Server, t.ServerTool}]); err != nil {
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
