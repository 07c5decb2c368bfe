package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// calm is how long the keyboard has to be still before a letter counts as an answer: who is typing when the question comes up
// must not approve a call with the next word.
const calm = 700 * time.Millisecond

// confirm asks whether a tool call may run. It shows the whole call.
type confirm struct {
	asked  provider.Asked
	since  time.Time // since when the keyboard is still
	reason *field    // why not, while it is being written
	scroller
}

// answeredMsg is a person's decision about the call that the turn waits for.
type answeredMsg struct{ decision provider.Decision }

// newConfirm asks about a call; typed is when the last key was pressed.
func newConfirm(asked provider.Asked, typed time.Time) *confirm {
	return &confirm{asked: asked, since: typed}
}

// typing tells whether a key still belongs to the draft, and if so that the keyboard is not still.
func (c *confirm) typing(now time.Time) bool {
	if now.Sub(c.since) >= calm {
		return false
	}
	c.since = now
	return true
}

func (c *confirm) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if c.reason != nil {
		return c.explain(msg)
	}
	k, ok := msg.(tea.KeyPressMsg)
	if !ok || c.scroll(k.String()) {
		return false, nil
	}
	switch k.String() {
	case "y":
		return c.decide(provider.Decision{Allow: true})
	case "s":
		return c.decide(provider.Decision{Allow: true, Session: true})
	case "a":
		return c.decide(provider.Decision{Allow: true, Always: true})
	case "n":
		return c.decide(provider.Decision{})
	case "r":
		c.reason = &field{}
	}
	return false, nil
}

// explain takes the reason for a refusal.
func (c *confirm) explain(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		c.reason.insert(msg.Content)
	case tea.KeyPressMsg:
		switch msg.String() {
		case "esc":
			c.reason = nil
		case "enter":
			if why := strings.TrimSpace(c.reason.text); why != "" {
				return c.decide(provider.Decision{Reason: why})
			}
		default:
			c.reason.key(msg)
		}
	}
	return false, nil
}

func (c *confirm) decide(d provider.Decision) (bool, tea.Cmd) {
	return true, reply(answeredMsg{d})
}

func (c *confirm) view(width, height int, st *look) []string {
	out := []string{titleRow("May this run?", width, st)}
	foot := c.foot(width, st)
	if room := height - len(out) - len(foot); room > 0 {
		body, where := c.window(c.call(width, st), room)
		if where != "" {
			out[0] = titleRow("May this run? ↑↓ "+where, width, st)
		}
		out = append(out, body...)
	} else { // the answers are what must be seen
		out = nil
	}
	out = append(out, foot...)
	return out[max(0, len(out)-height):]
}

// call draws what would run: the tool, what is known of it, and every argument.
func (c *confirm) call(width int, st *look) []string {
	t := c.asked.Tool
	out := []string{"  " + st.styles.strong.Render(sanitize.Line(c.asked.Call.Title)) +
		st.styles.dim.Render(fmt.Sprintf(" · %s of %s", sanitize.Line(t.ServerTool), sanitize.Line(c.asked.Call.Server)))}
	if notes := c.notes(); len(notes) > 0 {
		out = append(out, "  "+st.styles.warn.Render(dotted(notes)))
	}
	for i, line := range out {
		out[i] = st.method.Hardwrap(line, max(4, width-1), true)
	}
	out = strings.Split(strings.Join(out, "\n"), "\n")
	arguments := st.method.Hardwrap(prettyJSON(c.asked.Call.Arguments), max(4, width-5), true)
	for _, line := range strings.Split(arguments, "\n") {
		out = append(out, "    "+st.styles.code.Render(line))
	}
	return out
}

// notes say what the call can do, as far as the server tells.
func (c *confirm) notes() []string {
	var notes []string
	t := c.asked.Tool
	if t.Destructive && !t.ReadOnly {
		notes = append(notes, "may delete or overwrite")
	}
	if t.OpenWorld {
		notes = append(notes, "reaches beyond this machine")
	}
	if t.ReadOnly {
		notes = append(notes, "says that it only reads")
	}
	return notes
}

// foot draws the answers there are, or the line for the reason.
func (c *confirm) foot(width int, st *look) []string {
	if c.reason != nil {
		return []string{
			"  " + st.styles.accent.Render("Why not? ") + c.reason.view(max(1, width-12), st),
			hintRow("enter tells the model, which goes on · esc back", width, st),
		}
	}
	pattern := sanitize.Line(c.asked.Pattern)
	long := []string{"y once", "s this session", "a always", "n no, stop", "r no, and say why"}
	short := []string{"y once", "s session", "a always", "n no", "r why not"}
	line := keysRow(long, width, st)
	if st.method.StringWidth(line) > width-1 {
		line = keysRow(short, width, st)
	}
	wrapped := strings.Split(st.method.Wordwrap(line, max(6, width-1), ""), "\n")
	if width < 40 || pattern == "" {
		return wrapped
	}
	return append(wrapped, hintRow("s and a allow "+pattern, width, st))
}

// keysRow draws "y once · s this session" with the keys lit.
func keysRow(keys []string, _ int, st *look) string {
	var out []string
	for _, k := range keys {
		key, what, _ := strings.Cut(k, " ")
		out = append(out, st.styles.accent.Bold(true).Render(key)+" "+what)
	}
	return "  " + strings.Join(out, st.styles.faint.Render(" · "))
}

// prettyJSON lays arguments out for reading. What a terminal would obey is shown as an escape, so that nothing is hidden.
func prettyJSON(arguments json.RawMessage) string {
	if len(bytes.TrimSpace(arguments)) == 0 {
		return "{}"
	}
	var b bytes.Buffer
	if json.Indent(&b, sanitize.JSON(arguments), "", "  ") != nil {
		return fmt.Sprintf("%q", arguments) // not JSON: shown as it is, quoted
	}
	return b.String()
}
