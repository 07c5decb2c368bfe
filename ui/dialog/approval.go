package dialog

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// approval asks whether to allow a tool call, and shows the whole call.
type approval struct {
	page
	asked  event.Asked
	decide func(event.Decision) tea.Msg
	reason *line // the reason to deny, while you write it
}

// NewApproval returns a dialog that asks whether to allow a call. turn waits for the decision.
func NewApproval(asked event.Asked, turn any, decide func(event.Decision) tea.Msg) Dialog {
	a := &approval{asked: asked, decide: decide}
	a.title, a.asker, a.notice, a.draw = "Allow this call?", turn, NeedsApproval(asked.Call.Title), a.call
	may := func(key, words string, d event.Decision) {
		a.answers = append(a.answers, answer{key, words, func() tea.Msg { return decide(d) }})
	}
	may("y", "once", event.Decision{Allow: true})
	if asked.Pattern != "" { // otherwise it can only be allowed once
		may("s", "this session", event.Decision{Allow: true, Session: true})
		may("a", "always", event.Decision{Allow: true, Always: true})
	}
	may("n", "deny and stop", event.Decision{})
	may("r", "deny with a reason", event.Decision{}) // this opens a line first
	may("esc", "", event.Decision{})
	return a
}

// NeedsApproval returns the text that announces an approval.
func NeedsApproval(title string) string { return look.Short(title) + " needs your approval" }

// Traits implements Dialog.
func (a *approval) Traits() Traits {
	traits := a.page.Traits()
	traits.Text = a.reason != nil
	return traits
}

func (a *approval) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	key := keyOf(msg)
	switch {
	case a.reason == nil && key == "r" && a.find("r") >= 0:
		a.reason = &line{}
	case a.reason == nil:
		return a.page.Update(msg)
	case key == "esc":
		a.reason = nil
	case key == "enter":
		if why := strings.TrimSpace(a.reason.Text); why != "" {
			return true, screen.Reply(a.decide(event.Decision{Reason: why}))
		}
	default:
		return false, a.reason.Update(msg)
	}
	return false, nil
}

// call draws the tool, its hints, and either the change to a file or every argument.
func (a *approval) call(width int, st *look.Look) []string {
	t := a.asked.Tool
	title := st.Strong.Render(sanitize.Visible(a.asked.Call.Title))
	from := st.Dim.Render(fmt.Sprintf("%s of %s", sanitize.Visible(t.ServerTool), sanitize.Visible(a.asked.Call.Server)))
	out := st.Packed([]string{title, from}, width)
	out = append(out, st.Packed(notes(t, st), width)...)
	out = st.Indent(out, sanitize.Visible(a.asked.Why), "  ", width-3, st.Warn.Render)
	if a.asked.Doubt != "" {
		doubt := st.Warn.Render("would fail now: " + sanitize.Visible(a.asked.Doubt))
		out = append(out, st.Packed([]string{doubt}, width)...)
	}
	if a.asked.Diff != "" {
		return append(out, diffRows(a.asked.Diff, width, st)...)
	}
	arguments := st.Method.Hardwrap(look.JSON(a.asked.Call.Arguments), max(4, width-5), true)
	for line := range strings.SplitSeq(arguments, "\n") {
		out = append(out, "    "+line)
	}
	return out
}

// notes describes the effects of a call, according to the hints of the tool's server.
func notes(t mcpclient.Tool, st *look.Look) []string {
	var notes []string
	if t.Destructive && !t.ReadOnly {
		notes = append(notes, st.Warn.Render("may delete or overwrite"))
	}
	if t.OpenWorld {
		notes = append(notes, st.Warn.Render("uses the network"))
	}
	if t.ReadOnly {
		notes = append(notes, st.Dim.Render("read-only (the server's claim)"))
	}
	return notes
}

// View draws the call with the answers below it, or the line for the reason.
func (a *approval) View(width, height int, st *look.Look) []string {
	foot := a.foot(width, height, st)
	pattern := sanitize.Visible(a.asked.Pattern)
	switch {
	case a.reason != nil:
		hint := st.Longest(width-2, "enter to deny · esc to go back", "enter · esc")
		foot = []string{
			"  " + st.Accent.Render("Reason: ") + a.reason.View(max(1, width-12), st),
			st.Hint(hint, width),
		}
	case width >= 40 && height >= 9 && pattern != "":
		foot = append(foot, st.Hint("s and a allow "+pattern, width))
	}
	return a.view(foot, width, height, st)
}

// diffRows draws a unified diff of one file: its name, the number of added and removed lines, and the hunks.
func diffRows(diff string, width int, st *look.Look) []string {
	header, hunks, _ := strings.Cut(diff, "\n@@ ")
	before, after, _ := strings.Cut(header, "\n")
	added, removed := event.DiffCounts(diff)
	about := []string{st.Strong.Render(sanitize.Visible(strings.TrimPrefix(after, "+++ ")))}
	if before == "--- /dev/null" {
		about = append(about, st.Dim.Render("new file"))
	}
	about = append(about, st.OK.Render(fmt.Sprintf("+%d", added))+" "+st.Err.Render(fmt.Sprintf("-%d", removed)))
	out := st.Packed(about, width)
	for line := range strings.Lines("@@ " + hunks) {
		line = strings.TrimSuffix(line, "\n")
		style := st.Text
		switch {
		case strings.HasPrefix(line, "@@ "), strings.HasPrefix(line, `\`): // a note about the line before it
			style = st.Dim
		case strings.HasPrefix(line, "+"):
			style = st.OK
		case strings.HasPrefix(line, "-"):
			style = st.Err
		}
		for row := range strings.SplitSeq(st.Method.Hardwrap(sanitize.Visible(line), max(4, width-5), true), "\n") {
			out = append(out, "    "+style.Render(row))
		}
	}
	return out
}
