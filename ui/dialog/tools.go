package dialog

import (
	"context"
	"encoding/json"
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

// Toolbox lists, switches and calls tools: *mcpclient.Set.
type Toolbox interface {
	AllTools() (tools []mcpclient.Tool, on []bool)
	Enable(server, tool string, on bool)
	Call(ctx context.Context, name string, arguments json.RawMessage, progress func(mcpclient.Progress)) (mcpclient.Result, error)
}

// Tools is the list of servers and their tools, and what each takes of the context. It follows what the servers offer
// while it is open. Give it to NewTools.
type Tools struct {
	Box    Toolbox
	Window int                                      // tokens of context
	Store  func(server, tool string, on bool) error // remembers a switched tool; nil: it is not remembered
	Busy   func() bool                              // no tool can be tried now
	Open   func(Dialog)                             // shows the form of a tool
	Forms  map[string]*ToolForm                     // that you left, by the names and schemas of tools

	list
	groups []group    // what the rows stand for
	mu     sync.Mutex // held while Store is called
}

// group is what a row stands for: all tools of a server, or one of them.
type group struct {
	server bool
	tools  []mcpclient.Tool
	on     int // how many of them are on
	tokens int // what those take
}

// BoardChanged says that the state of a server, or what it offers, has changed.
type BoardChanged struct{}

// NewTools returns the list; ok is false if there are no tools.
func NewTools(l *Tools) (d Dialog, ok bool) {
	l.toggle = l.change
	l.keys = []string{"space on/off · enter try it · type to filter · esc", "space on/off · enter try · type · esc"}
	l.empty = "no server offers a tool now: see /servers"
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
			return false, l.enter(l.groups[row])
		}
	}
	return l.list.Update(msg)
}

// enter tries a tool. On a server it goes to its first tool: only a space switches all of them.
func (l *Tools) enter(g group) tea.Cmd {
	switch {
	case g.server:
		l.goTo(l.seen.At + 1)
		return nil
	case l.Busy():
		return flash("Something is running: try the tool when it is done")
	}
	tool := g.tools[0]
	key := tool.Name + "\x00" + string(tool.Schema)
	form := l.Forms[key]
	if form == nil {
		form = newToolForm(tool)
		l.Forms[key] = form
	}
	form.reopen(tool)
	l.Open(form)
	return nil
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
			l.groups = append(l.groups, group{server: true})
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
		l.text = "Tools take " + part + " of the context in every request. " +
			"Models choose better among few: switch off what is not needed."
	}
}

// badge says how many of the tools are on.
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
		at := slices.IndexFunc(tools, func(x mcpclient.Tool) bool { return x.Server == t.Server && x.ServerTool == t.ServerTool })
		if err := l.Store(t.Server, t.ServerTool, at >= 0 && on[at]); err != nil {
			return Warning{"Which tools are on is not remembered for the next start: " + strings.TrimSuffix(err.Error(), ".") + "."}
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
