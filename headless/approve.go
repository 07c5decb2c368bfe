package headless

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
)

// approving asks for approvals on the input, and passes other events to the printer.
type approving struct {
	printer
	approve func(event.Asked) (_ event.Decision, answered bool)
}

func (a approving) event(ev event.Event) {
	a.printer.event(ev)
	if ev, ok := ev.(event.Asked); ok {
		if d, answered := a.approve(ev); answered {
			ev.Answer(d)
		}
	}
}

// approve shows the whole call and asks until it gets a decision. A line that is more than an answer becomes a message.
// The end of the input denies the call. ctrl+c is not a decision.
func (l *lines) approve(ctx context.Context, asked event.Asked) (_ event.Decision, answered bool) {
	fmt.Fprintf(l.Stderr, "\nServer %s: %s (%s) %s\n", sanitize.Visible(asked.Tool.Server),
		sanitize.Visible(asked.Call.Title), sanitize.Visible(asked.Tool.ServerTool), preview(asked))
	if asked.Why != "" {
		fmt.Fprintf(l.Stderr, "Reason to ask: %s\n", sanitize.Visible(asked.Why))
	}
	longer := ""
	if asked.Pattern != "" {
		longer = fmt.Sprintf("s this session (%s) · a always · ", sanitize.Visible(asked.Pattern))
	}
	prompt := fmt.Sprintf("Allow this call? y once · %sn deny and stop · r REASON deny with a reason: ", longer)
	var ready time.Time
	for {
		text, ok := l.typed(ctx, prompt, &ready)
		if !ok {
			fmt.Fprintln(l.Stderr)
			return event.Decision{}, ctx.Err() == nil
		}
		d, ok := parseDecision(text)
		switch {
		case ok && (asked.Pattern != "" || !d.Session && !d.Always):
			return d, true
		case !ok && !isIncomplete(text):
			l.keep(text)
		}
	}
}

// preview returns the diff of the change, or the arguments of the call if it is unknown.
func preview(asked event.Asked) string {
	if asked.Diff == "" {
		// JSON has line breaks only between values.
		text := sanitize.Visible(strings.ReplaceAll(string(sanitize.JSON(asked.Call.Arguments)), "\n", " "))
		if asked.Doubt != "" {
			text += "\nThis would fail now: " + sanitize.Visible(asked.Doubt)
		}
		return text
	}
	added, removed := event.DiffCounts(asked.Diff)
	var b strings.Builder
	fmt.Fprintf(&b, "+%d -%d", added, removed)
	for line := range strings.Lines(asked.Diff) {
		b.WriteString("\n" + sanitize.Visible(strings.TrimSuffix(line, "\n")))
	}
	return b.String()
}

// isIncomplete reports whether a line is the beginning of an answer.
func isIncomplete(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "r", "reason":
		return true
	}
	return false
}

// parseDecision accepts single words, so that "a better idea" is not "always". Only a reason has more.
func parseDecision(text string) (event.Decision, bool) {
	switch text = strings.TrimSpace(text); strings.ToLower(text) {
	case "y", "yes":
		return event.Decision{Allow: true}, true
	case "s", "session":
		return event.Decision{Allow: true, Session: true}, true
	case "a", "always":
		return event.Decision{Allow: true, Always: true}, true
	case "n", "no":
		return event.Decision{}, true
	}
	word, reason, _ := strings.Cut(text, " ")
	if word = strings.ToLower(word); word != "r" && word != "reason" {
		return event.Decision{}, false
	}
	reason = strings.TrimSpace(reason)
	return event.Decision{Reason: reason}, reason != ""
}
