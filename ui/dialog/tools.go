package dialog

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/look"
)

// muchForTools is the share of the context, in percent, above which a warning is shown.
const muchForTools = 25

// longestAbout is the maximum length of a tool's description, in bytes.
const longestAbout = 4000

// Toolbox lists tools and turns them on and off. *servers.Set implements it.
type Toolbox interface {
	AllTools() (tools []mcpclient.Tool, on []bool)
	Enable(server, tool string, on bool)
}

// Tools configures the list of servers and their tools.
type Tools struct {
	Box    Toolbox
	Window provider.Window                          // that the tools share with the conversation
	Store  func(server, tool string, on bool) error // remembers whether a tool is on; may be nil
	At     string                                   // the server to begin at; "" for the first
}

// tools is the list of servers and their tools, with the share of the context that each takes.
type tools struct {
	Tools
	list
	groups []group    // the group of each row
	mu     sync.Mutex // held while Store is called
}

// group is the content of a row: all tools of a server, or one of them.
type group struct {
	tools  []mcpclient.Tool
	on     int // number of tools that are on
	tokens int // their tokens
}

// NewTools returns the list. Tools of servers that become ready while it is open are added.
func NewTools(t Tools) Dialog {
	l := &tools{Tools: t}
	l.filter, l.enter, l.acts = "type to filter", "for details", []act{{"space", "on/off", l.change}}
	l.describe = func(i int) *page { return newText(l.rows[i].Label, l.groups[i].describe) }
	l.empty = "No tools yet · see /servers"
	l.fill()
	l.seen.At = max(0, slices.IndexFunc(l.rows, func(r row) bool { return r.id == t.At }))
	return l
}

// Update implements Dialog.
func (l *tools) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if _, ok := msg.(ServersChanged); ok {
		l.fill()
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

// fill updates the rows.
func (l *tools) fill() {
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
		tokens := provider.SpecOf(t).Tokens()
		one, of := group{tools: tools[i : i+1]}, &l.groups[head]
		of.tools = append(of.tools, t)
		if on[i] {
			one.on, of.on, of.tokens = 1, of.on+1, of.tokens+tokens
			all, taken = all+1, taken+tokens
		}
		rows[head].Item = look.Item{
			Label: t.Server, Badge: of.badge(), Amount: amount(of.tokens, l.Window), Detail: outOf(of.on, len(of.tools)),
		}
		rows = append(rows, row{id: t.Server + "\x00" + t.Name, of: t.Server, also: t.ServerTool, Item: look.Item{
			Label: mcpclient.Title(t.Title, t.ServerTool), Badge: one.badge(), Depth: 1,
			Amount: amount(tokens, l.Window), Detail: sanitize.Cut(t.Description, 400),
		}})
		l.groups = append(l.groups, one)
	}
	l.set(rows)
	part := share(taken, l.Window.Tokens)
	tokens := "about " + quantity.Count(taken) + " of " + l.Window.String() + " tokens"
	l.title = look.Dotted(outOf(all, len(tools))+" on", part, tokens)
	l.text = ""
	if taken*100 > l.Window.Tokens*muchForTools {
		l.text = "Tools use " + part + " of the context window in every request. " +
			"Models choose better among few tools: turn off those you do not need."
	}
}

// badge returns the mark for no, some or all tools on.
func (g group) badge() string {
	switch g.on {
	case 0:
		return "○"
	case len(g.tools):
		return "✓"
	}
	return "◐"
}

// outOf returns "4 tools" if all are on, else "2 of 4 tools".
func outOf(on, all int) string {
	if on == all {
		return quantity.Plural(all, "tool")
	}
	return fmt.Sprintf("%d of %s", on, quantity.Plural(all, "tool"))
}

// amount returns "about 412 tok  5%", in columns.
func amount(tokens int, w provider.Window) string {
	return fmt.Sprintf("%11s tok %4s", "about "+quantity.Count(tokens), share(tokens, w.Tokens))
}

// change turns a tool, or all tools of a server, on or off: off if all are on. It takes effect in the next turn.
func (l *tools) change(row int) tea.Cmd {
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

// remember stores which tools are on for the next start. It reads the current state, because commands may run in
// another order than the keys.
func (l *tools) remember(switched []mcpclient.Tool) tea.Msg {
	l.mu.Lock()
	defer l.mu.Unlock()
	tools, on := l.Box.AllTools()
	for _, t := range switched {
		at := slices.IndexFunc(tools, func(x mcpclient.Tool) bool { return x.Name == t.Name })
		if err := l.Store(t.Server, t.ServerTool, at >= 0 && on[at]); err != nil {
			return Warning{"Your choice of tools is not saved for the next start: " + strings.TrimSuffix(err.Error(), ".") + "."}
		}
	}
	return nil
}

// share formats a part in percent: "5%", "<1%".
func share(part, whole int) string {
	percent := (part*100 + whole/2) / max(whole, 1)
	if percent == 0 && part > 0 {
		return "<1%"
	}
	return fmt.Sprintf("%d%%", percent)
}
