package dialog

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/look"
)

// Context configures the list of what fills the context window.
type Context struct {
	Read     func() (provider.Prompt, provider.Window)
	Counted  provider.Fill                              // after the last turn
	Tools    func(server string) tea.Cmd                // opens the list of tools at a server
	LeaveOut func(attached provider.PromptPart) tea.Cmd // removes an attachment from what the model reads
	Compact  func()                                     // compacts once the list is closed
}

// contextList is the list of what fills the context window, below a bar.
type contextList struct {
	Context
	list
	prompt provider.Prompt
	window provider.Window
}

// NewContext returns the list.
func NewContext(c Context) Dialog {
	l := &contextList{Context: c}
	l.keyed, l.enter = true, "for the tools"
	l.prompt, l.window = c.Read()
	return l
}

// Update implements Dialog.
func (l *contextList) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	var at provider.PromptPart
	if i := l.chosen(); i >= 0 {
		at, _ = l.rows[i].pick.(provider.PromptPart)
	}
	switch keyOf(msg) {
	case "c":
		l.Compact()
		return true, nil
	case "enter":
		cmd = l.Tools(at.Name)
	case "d":
		if at.Kind == provider.PromptAttachments && at.Of == nil {
			cmd = l.LeaveOut(at)
		}
	default:
		done, cmd = l.list.Update(msg)
	}
	l.prompt, l.window = l.Read()
	return done, cmd
}

// View implements Dialog.
func (l *contextList) View(width, height int, st *look.Look) []string {
	l.fill(st)
	if height < 7 {
		return l.list.View(width, height, st)
	}
	rows := l.list.View(width, height-2, st)
	return append([]string{rows[0], "  " + l.bar(width-4, st), ""}, rows[1:]...)
}

// fill updates the rows.
func (l *contextList) fill(st *look.Look) {
	used := l.prompt.Tokens()
	left := provider.PromptPart{Kind: provider.PromptFree, Name: "free", Tokens: max(0, l.window.Tokens-used)}
	switch {
	case l.window.Assumed:
		left.Note = "a guess: the server does not say"
	case l.Counted.Tokens > 0 && !l.Counted.Estimated:
		left.Note = quantity.Count(l.Counted.Tokens) + " used, as the server counted"
	}
	var rows []row
	add := func(part provider.PromptPart, depth int, badge string) {
		rows = append(rows, row{pick: part, id: fmt.Sprint(depth, part.Message, part.Name), Item: look.Item{
			Label: part.Name, Badge: badge, Depth: depth, Amount: amount(part.Tokens, l.window), Detail: part.Note}})
	}
	for _, part := range append(l.prompt[:], left) {
		if part.Tokens > 0 || part.Kind == provider.PromptFree {
			add(part, 0, cells(part.Kind, 1, st))
		}
		for _, below := range part.Of {
			add(below, 1, " ")
		}
	}
	l.set(rows)
	l.title = look.Dotted("Context", share(used, l.window.Tokens),
		"about "+quantity.Count(used)+" of "+l.window.String()+" tokens")
	l.acts = []act{{"c", "to compact", nil}}
	if l.prompt[provider.PromptAttachments].Of != nil {
		l.acts = append(l.acts, act{"d", "to leave out an attachment", nil})
	}
}

// bar draws the parts in the window, each in at least one cell.
func (l *contextList) bar(width int, st *look.Look) (row string) {
	used, at, whole := 0, 0, max(l.window.Tokens, l.prompt.Tokens(), 1)
	for _, part := range l.prompt {
		if used += part.Tokens; part.Tokens > 0 {
			to := min(max(at+1, used*width/whole), max(at, width))
			row += cells(part.Kind, to-at, st)
			at = to
		}
	}
	return row + cells(provider.PromptFree, max(0, width-at), st)
}

// cells draws n cells of a kind, which has its own glyph.
func cells(kind provider.PromptKind, n int, st *look.Look) string {
	glyph := [...]string{"┅", "▓", "━", "▒", "═", "▚", "·"}[kind]
	style := [...]look.Style{st.Accent, st.OK, st.Text, st.OK, st.User, st.Warn, st.Faint}[kind]
	return style.Render(strings.Repeat(glyph, n))
}
