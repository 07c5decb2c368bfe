package dialog

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// muchForTools is the share of the context, in percent, above which a warning is shown.
const muchForTools = 25

// longestAbout is how many bytes of a tool's description are shown.
const longestAbout = 4000

// Toolbox lists and switches tools: *mcpclient.Set.
type Toolbox interface {
	AllTools() (tools []mcpclient.Tool, on []bool)
	Enable(server, tool string, on bool)
}

// Tools is the list of servers and their tools, and what each takes of the context. It follows what the servers offer
// while it is open. Give it to NewTools.
type Tools struct {
	Box    Toolbox
	Window int                                      // tokens of context
	Store  func(server, tool string, on bool) error // remembers a switched tool; nil: it is not remembered
	Open   func(Dialog)                             // shows what a tool is for

	list
	groups []group    // what the rows stand for
	mu     sync.Mutex // held while Store is called
}

// group is what a row stands for: all tools of a server, or one of them.
type group struct {
	tools  []mcpclient.Tool
	on     int // how many of them are on
	tokens int // what those take
}

// BoardChanged says that the state of a server, or what it offers, has changed.
type BoardChanged struct{}

// NewTools returns the list; ok is false if there are no tools.
func NewTools(l *Tools) (d Dialog, ok bool) {
	l.toggle = l.change
	l.keys = []string{
		"space on/off · enter for details · type to filter · esc to close", "space on/off · enter for details · esc",
	}
	l.empty = "No tools available · see /servers"
	l.fill()
	return l, len(l.rows) > 0
}

// Update implements Dialog.
func (l *Tools) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case BoardChanged:
		l.fill()
	case tea.KeyPressMsg:
		if row := l.chosen(); msg.String() == "enter" && row >= 0 {
			l.Open(newText(l.rows[row].Label, l.groups[row].describe))
			return false, nil
		}
	}
	return l.list.Update(msg)
}

// describe draws the descriptions of the tools and the effects of their calls.
func (g group) describe(width int, st *look.Look) (out []string) {
	for _, t := range g.tools {
		out = append(out, "  "+st.Clip(st.Strong.Render(sanitize.Line(t.ServerTool)), max(1, width-2)))
		out = st.Prose(out, sanitize.Cut(t.Description, longestAbout), width, st.Text.Render)
		out = append(append(out, st.Packed(notes(t, st), width)...), "")
	}
	return out
}

// fill brings the rows up to date.
func (l *Tools) fill() {
	tools, on := l.Box.AllTools()
	l.groups = nil
	var rows []row
	all, taken, head := 0, 0, 0
	for i, t := range tools {
		if i == 0 || t.Server != tools[i-1].Server {
			head = len(rows)
			rows = append(rows, row{id: t.Server})
			l.groups = append(l.groups, group{})
		}
		tokens := provider.ToolTokens(t)
		one, of := group{tools: tools[i : i+1]}, &l.groups[head]
		of.tools = append(of.tools, t)
		if on[i] {
			one.on, of.on, of.tokens = 1, of.on+1, of.tokens+tokens
			all, taken = all+1, taken+tokens
		}
		rows[head].Item = look.Item{
			Label: t.Server, Badge: of.badge(), Amount: l.amount(of.tokens), Detail: outOf(of.on, len(of.tools)),
		}
		rows = append(rows, row{id: t.Server + "\x00" + t.Name, also: t.Server + " " + t.ServerTool, Item: look.Item{
			Label: mcpclient.Title(t.Title, t.ServerTool), Badge: one.badge(), Depth: 1,
			Amount: l.amount(tokens), Detail: sanitize.Cut(t.Description, 400),
		}})
		l.groups = append(l.groups, one)
	}
	l.set(rows)
	part := share(taken, l.Window)
	tokens := quantity.Count(taken) + " of " + quantity.Count(l.Window) + " tokens"
	l.title = look.Dotted(outOf(all, len(tools))+" on", part, tokens)
	l.text = ""
	if taken*100 > l.Window*muchForTools {
		l.text = "Tools use " + part + " of the context window in every request. " +
			"Models choose better among few tools: turn off those you do not need."
	}
}

// badge returns the mark for none, some or all tools on.
func (g group) badge() string {
	switch g.on {
	case 0:
		return "○"
	case len(g.tools):
		return "✓"
	}
	return "◐"
}

// outOf is "4 tools" if all are on, else "2 of 4 tools".
func outOf(on, all int) string {
	if on == all {
		return quantity.Plural(all, "tool")
	}
	return fmt.Sprintf("%d of %s", on, quantity.Plural(all, "tool"))
}

// amount is "412 tok  5%", in columns.
func (l *Tools) amount(tokens int) string {
	return fmt.Sprintf("%5s tok %4s", quantity.Count(tokens), share(tokens, l.Window))
}

// change switches a tool, or all tools of a server: off if all are on. It counts from the next turn on.
func (l *Tools) change(row int) tea.Cmd {
	g := l.groups[row]
	for _, t := range g.tools {
		l.Box.Enable(t.Server, t.ServerTool, g.on < len(g.tools))
	}
	l.fill()
	if l.Store == nil {
		return nil
	}
	return func() tea.Msg { return l.remember(g.tools) }
}

// remember stores the present switches for the next start: commands may run in another order than the keys came.
func (l *Tools) remember(switched []mcpclient.Tool) tea.Msg {
	l.mu.Lock()
	defer l.mu.Unlock()
	tools, on := l.Box.AllTools()
	for _, t := range switched {
		at := slices.IndexFunc(tools, func(x mcpclient.Tool) bool { return x.Name == t.Name })
		if err := l.Store(t.Server, t.ServerTool, at >= 0 && on[at]); err != nil {
			return Warning{"Which tools are on is not saved for the next start: " + strings.TrimSuffix(err.Error(), ".") + "."}
		}
	}
	return nil
}

// share writes a part in percent: "5%", "<1%".
func share(part, whole int) string {
	percent := (part*100 + whole/2) / max(whole, 1)
	if percent == 0 && part > 0 {
		return "<1%"
	}
	return fmt.Sprintf("%d%%", percent)
}
