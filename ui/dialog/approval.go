package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// approval asks whether to allow a tool call, and shows the whole call. Nothing allows the call before its end was on
// the screen.
type approval struct {
	look.Scroller
	asked   event.Asked
	file    string // where "always" is saved; "" for no such answer
	turn    any
	decide  func(event.Decision) tea.Msg
	choices []choice
	at      int   // the choice of enter
	read    bool  // the end of the call was on the screen
	early   bool  // you wanted to allow the call before that
	reason  *line // the reason to deny, while you write it

	drawn look.Memo[canvas, []string]
}

// choice is an answer to an approval.
type choice struct {
	key   string
	words string // short
	cover string // what it covers, in a sentence
	event.Decision
}

// NewApproval returns a dialog that asks whether to allow a call. file is the configuration file, where the answer
// "always" is saved, or "" if there is none. turn waits for the decision.
func NewApproval(asked event.Asked, file string, turn any, decide func(event.Decision) tea.Msg) Dialog {
	a := &approval{asked: asked, file: look.Short(file), turn: turn, decide: decide}
	a.choices = []choice{{"y", "once", "only this call", event.Decision{Allow: true}}}
	if asked.Pattern != "" { // otherwise it can only be allowed once
		a.choices = append(a.choices,
			choice{"s", "until you quit", a.calls(), event.Decision{Allow: true, Session: true}})
	}
	if asked.Pattern != "" && file != "" {
		a.choices = append(a.choices,
			choice{"a", "always", "the same, saved in " + a.file, event.Decision{Allow: true, Always: true}})
	}
	a.choices = append(a.choices, choice{"n", "deny and stop", "", event.Decision{}},
		choice{"r", "deny with a reason", "the model goes on", event.Decision{}})
	a.at = len(a.choices) - 1 // never one that allows
	return a
}

// calls returns which calls the answers "until you quit" and "always" allow.
func (a *approval) calls() string {
	const most = 80 // cells of a host
	words := "every call of " + look.Short(sanitize.Visible(a.asked.Call.Title))
	if a.asked.Host != "" {
		return words + " to " + sanitize.CutMiddle(sanitize.Visible(a.asked.Host), most)
	}
	return words + " on the server " + look.Short(sanitize.Visible(a.asked.Call.Server))
}

// NeedsApproval returns the text that announces an approval.
func NeedsApproval(title string) string { return look.Short(title) + " needs your approval" }

// Traits implements Dialog.
func (a *approval) Traits() Traits {
	traits := Traits{Asker: a.turn, Notice: NeedsApproval(a.asked.Call.Title), Text: a.reason != nil}
	for _, c := range a.choices {
		traits.Keys += c.key
	}
	return traits
}

func (a *approval) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	key := keyOf(msg)
	if a.reason != nil {
		return a.writeReason(key, msg)
	}
	a.early = a.early && key == ""
	switch key {
	case "":
	case "esc", "ctrl+c":
		return true, screen.Reply(a.decide(event.Decision{}))
	case "up", "left", "shift+tab", "ctrl+p":
		a.at = (a.at + len(a.choices) - 1) % len(a.choices)
	case "down", "right", "tab", "ctrl+n":
		a.at = (a.at + 1) % len(a.choices)
	case "enter":
		return a.choose(a.at)
	default:
		if i := slices.IndexFunc(a.choices, func(c choice) bool { return c.key == key }); i >= 0 {
			return a.choose(i)
		}
		a.Scroll(key)
	}
	return false, nil
}

// choose makes a choice, unless it allows a call that you cannot have read. Then enter keeps its choice.
func (a *approval) choose(i int) (done bool, cmd tea.Cmd) {
	switch c := a.choices[i]; {
	case c.key == "r":
		a.at, a.reason = i, &line{}
		return false, nil
	case c.Allow && !a.read:
		a.early = true
		return false, nil
	default:
		return true, screen.Reply(a.decide(c.Decision))
	}
}

// writeReason edits the reason.
func (a *approval) writeReason(key string, msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch key {
	case "esc":
		a.reason = nil
	case "enter":
		if why := strings.TrimSpace(a.reason.Text); why != "" {
			return true, screen.Reply(a.decide(event.Decision{Reason: why}))
		}
	default:
		return false, a.reason.Update(msg)
	}
	return false, nil
}
