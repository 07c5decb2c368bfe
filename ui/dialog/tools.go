package dialog

import (
	"bytes"
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

// muchForTools is the share of the context from which on tools take more than is good for an answer, in percent.
const muchForTools = 25

// Toolbox lists, switches and calls tools: *mcpclient.Set.
type Toolbox interface {
	AllTools() (tools []mcpclient.Tool, on []bool)
	Enable(server, tool string, on bool)
	Call(ctx context.Context, name string, arguments json.RawMessage, progress func(mcpclient.Progress)) (mcpclient.Result, error)
}

// Tools is the list of servers with their tools, and what each takes of the context in every request. It follows what
// the servers offer while it is open. NewTools fills it in.
type Tools struct {
	Box    Toolbox
	Window int                                      // tokens of context
	Store  func(server, tool string, on bool) error // remembers a switched tool; nil: it is not remembered
	Busy   func() bool                              // no tool can be tried now
	Open   func(Dialog)                             // shows the form of a tool
	Forms  map[string]*ToolForm                     // as they were left, by the names of tools

	list
	tools  []mcpclient.Tool
	on     []bool
	tokens []int
	cost   map[string]int // what a tool takes, by its text
	lines  []line
	mu     sync.Mutex // held while Store is called
}

// line is what a row stands for: a tool, or all tools of a server.
type line struct {
	head  bool
	tools []int
}

// BoardChanged says that servers stand otherwise, or offer something else.
type BoardChanged struct{}

// NewTools is the list; ok is false if there are no tools.
func NewTools(l *Tools) (d Dialog, ok bool) {
	l.toggle = l.change
	l.keys = []string{"space on/off · enter try it · type to filter · esc", "space on/off · enter try · type · esc"}
	l.typing = "↑↓ space on/off · enter try it · esc"
	l.empty = "no server offers a tool now: see /servers"
	l.read()
	return l, len(l.tools) > 0
}

// Update takes what servers offer by now, besides what a list takes.
func (l *Tools) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case BoardChanged:
		l.refresh()
		return false, nil
	case tea.KeyPressMsg:
		if row := l.chosen(); msg.String() == "enter" && row >= 0 {
			return false, l.enter(row)
		}
	}
	return l.list.Update(msg)
}

// enter tries a tool. On a server it goes to its first tool: only a space switches all of them.
func (l *Tools) enter(row int) tea.Cmd {
	if l.lines[row].head {
		if at, shown := slices.BinarySearch(l.shown(), row+1); shown {
			l.goTo(at)
		}
		return nil
	}
	if l.Busy() {
		return flash("Something is running: try the tool when it is done")
	}
	tool := l.tools[l.lines[row].tools[0]]
	form := l.Forms[tool.Name]
	if form == nil || !sameTool(form.tool, tool) {
		form = newToolForm(tool)
		l.Forms[tool.Name] = form
	}
	form.form.Reopen()
	l.Open(form)
	return nil
}

// refresh brings the list up to date. The row under the cursor stays under it.
func (l *Tools) refresh() {
	var under [2]string
	if row := l.chosen(); row >= 0 {
		under = l.named(row)
	}
	before := l.seen.At
	if !l.read() {
		return
	}
	shown := l.shown()
	if at := slices.IndexFunc(shown, func(row int) bool { return l.named(row) == under }); at >= 0 {
		l.seen.At = at
	}
	l.seen.At = max(0, min(l.seen.At, len(shown)-1))
	l.seen.First += l.seen.At - before
}

// named names what a row stands for: a server and a tool, or a server alone.
func (l *Tools) named(row int) [2]string {
	t := l.tools[l.lines[row].tools[0]]
	if l.lines[row].head {
		return [2]string{t.Server}
	}
	return [2]string{t.Server, t.Name}
}

// read takes the tools as they are now, and reports whether that is news.
func (l *Tools) read() (news bool) {
	tools, on := l.Box.AllTools()
	if slices.Equal(on, l.on) && slices.EqualFunc(tools, l.tools, sameTool) {
		return false
	}
	l.tools, l.on, l.tokens, l.lines = tools, on, nil, nil
	before := l.cost
	l.cost = map[string]int{} // a server may offer others for ever
	heads := map[string]int{} // by servers
	for i, t := range tools {
		text := strings.Join([]string{t.Name, t.Title, t.Description, string(t.Schema)}, "\x00")
		tokens, known := before[text]
		if !known { // counting takes a while, and there may be thousands
			tokens = provider.ToolTokens(t)
		}
		l.cost[text] = tokens
		l.tokens = append(l.tokens, tokens)
		at, ok := heads[t.Server]
		if !ok {
			at = len(l.lines)
			heads[t.Server] = at
			l.lines = append(l.lines, line{head: true})
		}
		l.lines[at].tools = append(l.lines[at].tools, i)
		l.lines = append(l.lines, line{tools: []int{i}})
	}
	l.fill()
	return true
}

// sameTool reports whether two tools are the same in what is shown of them, here and where one is tried.
func sameTool(a, b mcpclient.Tool) bool {
	return a.Name == b.Name && a.Title == b.Title && a.Description == b.Description &&
		a.ReadOnly == b.ReadOnly && a.Destructive == b.Destructive && a.OpenWorld == b.OpenWorld && bytes.Equal(a.Schema, b.Schema)
}

// fill writes the rows and what heads them.
func (l *Tools) fill() {
	l.rows = nil
	all, taken := 0, 0
	for _, tools := range l.lines {
		on, tokens, badge := l.sum(tools.tools)
		t := l.tools[tools.tools[0]]
		if !tools.head {
			l.rows = append(l.rows, row{also: t.Server + " " + t.ServerTool, Item: look.Item{
				Label: mcpclient.Title(t.Title, t.ServerTool), Badge: badge, Depth: 1,
				Amount: l.amount(l.tokens[tools.tools[0]]), Detail: sanitize.Cut(t.Description, 400),
			}})
			continue
		}
		all, taken = all+on, taken+tokens
		detail := quantity.Plural(len(tools.tools), "tool")
		if badge == "◐" {
			detail = fmt.Sprintf("%d of %s", on, detail)
		}
		l.rows = append(l.rows, row{Item: look.Item{Label: t.Server, Badge: badge, Amount: l.amount(tokens), Detail: detail}})
	}
	l.title = quantity.Plural(all, "tool")
	if all < len(l.tools) {
		l.title = fmt.Sprintf("%d of %s", all, quantity.Plural(len(l.tools), "tool"))
	}
	l.title += fmt.Sprintf(" on · %s · %s of %s tokens", share(taken, l.Window), quantity.Count(taken), quantity.Count(l.Window))
	l.text = ""
	if taken*100 > l.Window*muchForTools {
		l.text = fmt.Sprintf("Tools take %s of the context in every request. Models choose better among few: switch off what is not needed.", share(taken, l.Window))
	}
}

// sum is how many of these tools are on, what those take, and the badge that says so.
func (l *Tools) sum(tools []int) (on, tokens int, badge string) {
	for _, i := range tools {
		if l.on[i] {
			on++
			tokens += l.tokens[i]
		}
	}
	switch on {
	case 0:
		return on, tokens, "○"
	case len(tools):
		return on, tokens, "✓"
	}
	return on, tokens, "◐"
}

// amount is "412 tok  5%", in columns.
func (l *Tools) amount(tokens int) string {
	return fmt.Sprintf("%5s tok %4s", quantity.Count(tokens), share(tokens, l.Window))
}

// change switches a row's tool, or all tools of a server: off when all are on. The next turn is asked with what is on
// then.
func (l *Tools) change(row int) tea.Cmd {
	tools := l.lines[row].tools
	n, _, _ := l.sum(tools)
	on := n < len(tools)
	var switched []mcpclient.Tool
	for _, i := range tools {
		if l.on[i] != on {
			l.on[i] = on
			l.Box.Enable(l.tools[i].Server, l.tools[i].ServerTool, on)
			switched = append(switched, l.tools[i])
		}
	}
	l.fill()
	if l.Store == nil {
		return nil
	}
	return func() tea.Msg { return l.remember(switched) }
}

// remember stores for the next start how the tools are switched when it is called: commands may come in another order
// than keys.
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
