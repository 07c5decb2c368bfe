package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/input"
	"github.com/aloudchat/aloud/ui/look"
)

// confirm asks whether a tool call may run. It shows the whole call.
type confirm struct {
	asked  provider.Asked
	reason *input.Line                     // why not, while it is being written
	trial  func(provider.Decision) tea.Msg // takes the decision about a call of yours; nil: a turn waits for it
	drawn  look.Memo[callRows, []string]
	look.Scroller
}

// callRows is what the rows of the call are drawn from, besides the call. It may be a file of a megabyte that is to be written.
type callRows struct {
	width int
	look  look.Look
}

// answeredMsg is a person's decision about the call that the turn waits for.
type answeredMsg struct{ decision provider.Decision }

func newConfirm(asked provider.Asked) *confirm { return &confirm{asked: asked} }

func (c *confirm) takes(letter string) bool {
	letters := "ysanr"
	switch {
	case c.reason != nil:
		return true
	case c.trial != nil:
		letters = "yn"
	case c.asked.Pattern == "": // it can only be allowed once
		letters = "ynr"
	}
	return strings.Contains(letters, letter)
}

func (c *confirm) waits() string { return needsApproval(c.asked.Call.Title) }

// writing tells whether a reason is being written.
func (c *confirm) writing() bool { return c.reason != nil }

func (c *confirm) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if c.reason != nil {
		return c.explain(msg)
	}
	k, ok := msg.(tea.KeyPressMsg)
	if !ok || c.Scroll(k.String()) {
		return false, nil
	}
	switch key := k.String(); {
	case len(key) == 1 && !c.takes(key):
	case key == "y":
		return c.decide(provider.Decision{Allow: true})
	case key == "s":
		return c.decide(provider.Decision{Allow: true, Session: true})
	case key == "a":
		return c.decide(provider.Decision{Allow: true, Always: true})
	case key == "n", key == "esc":
		return c.decide(provider.Decision{})
	case key == "r":
		c.reason = &input.Line{}
	}
	return false, nil
}

// explain takes the reason for a refusal.
func (c *confirm) explain(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return false, pasted(c.reason.Insert(msg.Content))
	case tea.KeyPressMsg:
		switch msg.String() {
		case "esc":
			c.reason = nil
		case "enter":
			if why := strings.TrimSpace(c.reason.Text); why != "" {
				return c.decide(provider.Decision{Reason: why})
			}
		default:
			c.reason.Key(msg)
		}
	}
	return false, nil
}

func (c *confirm) decide(d provider.Decision) (bool, tea.Cmd) {
	if c.trial != nil {
		return true, reply(meantMsg{c.trial(d)})
	}
	return true, reply(answeredMsg{d})
}

func (c *confirm) view(width, height int, st *look.Look) []string {
	out := []string{titleRow("May this run?", width, st)}
	foot := c.foot(width, height, st)
	if height > 12 {
		foot = append([]string{""}, foot...)
	}
	if room := height - len(out) - len(foot); room > 0 {
		call := c.drawn.Of(callRows{width, *st}, func() []string { return c.call(width, st) })
		body, where := c.Window(call, room)
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

// call draws what would run: the tool, what is known of it, and what it would change in a file, or else every argument.
func (c *confirm) call(width int, st *look.Look) []string {
	t := c.asked.Tool
	title := st.Strong.Render(sanitize.Visible(c.asked.Call.Title))
	from := st.Dim.Render(fmt.Sprintf("%s of %s", sanitize.Visible(t.ServerTool), sanitize.Visible(c.asked.Call.Server)))
	out := packed([]string{title, from}, width, st)
	out = append(out, packed(notes(c.asked.Tool, st), width, st)...)
	if c.asked.Why != "" {
		for line := range strings.SplitSeq(st.Method.Wordwrap(sanitize.Visible(c.asked.Why), max(6, width-3), ""), "\n") {
			out = append(out, "  "+st.Warn.Render(line))
		}
	}
	if c.asked.Doubt != "" {
		out = append(out, packed([]string{st.Warn.Render("would fail as things are: " + sanitize.Visible(c.asked.Doubt))}, width, st)...)
	}
	if c.asked.Diff != "" {
		return append(out, diffRows(c.asked.Diff, width, st)...)
	}
	arguments := st.Method.Hardwrap(prettyJSON(c.asked.Call.Arguments), max(4, width-5), true)
	for line := range strings.SplitSeq(arguments, "\n") {
		out = append(out, "    "+line)
	}
	return out
}

// notes say what a call of the tool can do, as far as the server tells.
func notes(t mcpclient.Tool, st *look.Look) []string {
	var notes []string
	if t.Destructive && !t.ReadOnly {
		notes = append(notes, st.Warn.Render("may delete or overwrite"))
	}
	if t.OpenWorld {
		notes = append(notes, st.Warn.Render("reaches beyond this machine"))
	}
	if t.ReadOnly {
		notes = append(notes, st.Dim.Render("says that it only reads"))
	}
	return notes
}

// foot draws the answers there are, or the line for the reason.
func (c *confirm) foot(width, height int, st *look.Look) []string {
	if c.reason != nil {
		return []string{
			"  " + st.Accent.Render("Why not? ") + c.reason.View(max(1, width-12), st),
			hintRow("enter tells the model, which goes on · esc back", width, st),
		}
	}
	pattern := sanitize.Visible(c.asked.Pattern)
	no := "n no, stop"
	if c.trial != nil {
		no = "n no"
	}
	answers := packed(c.lit(st, "y once", "s this session", "a always", no, "r no, and say why"), width, st)
	if len(answers) > 1 {
		answers = packed(c.lit(st, "y once", "s session", "a always", "n no", "r why not"), width, st)
	}
	if len(answers) >= height && width < 20 { // there is hardly a screen
		return []string{" " + strings.Join(c.lit(st, "y", "s", "a", "n", "r"), "")}
	}
	if len(answers) >= height {
		return []string{" " + strings.Join(c.lit(st, "y once ", "n no ", "s", "a", "r"), "")}
	}
	if width < 40 || height < 9 || pattern == "" {
		return answers
	}
	return append(answers, hintRow("s and a allow "+pattern, width, st))
}

// lit draws the answers that this call may get.
func (c *confirm) lit(st *look.Look, answers ...string) []string {
	return lit(st, slices.DeleteFunc(answers, func(a string) bool { return !c.takes(a[:1]) })...)
}

// lit draws "y once" with the key lit.
func lit(st *look.Look, answers ...string) []string {
	for i, a := range answers {
		key, what, _ := strings.Cut(a, " ")
		answers[i] = st.Accent.Bold(true).Render(key) + " " + what
	}
	return answers
}

// packed puts words in a row with dots between them, and in as many rows as that takes. A word that is wider than a row is wrapped:
// nothing is left out.
func packed(words []string, width int, st *look.Look) []string {
	const indent = "  "
	room := max(6, width-1-len(indent))
	dot := st.Faint.Render(" · ")
	var out []string
	for _, w := range words {
		last := len(out) - 1
		if last >= 0 && st.Method.StringWidth(out[last]+dot+w) <= room {
			out[last] += dot + w
			continue
		}
		out = append(out, strings.Split(st.Method.Hardwrap(w, room, true), "\n")...)
	}
	for i := range out {
		out[i] = indent + out[i]
	}
	return out
}

// prettyJSON lays arguments out for reading. What is not seen is shown as an escape, so that nothing is hidden.
func prettyJSON(arguments json.RawMessage) string {
	if len(bytes.TrimSpace(arguments)) == 0 {
		return "{}"
	}
	if text, _ := look.Indented(sanitize.JSON(arguments)); text != "" {
		lines := strings.Split(text, "\n")
		for i := range lines {
			lines[i] = sanitize.Visible(lines[i])
		}
		return strings.Join(lines, "\n")
	}
	return fmt.Sprintf("%q", arguments) // not JSON: shown as it is, quoted
}
