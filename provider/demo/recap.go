package demo

import (
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// earlier is how the chat gives back a summary, and mostRecalled how many questions one names.
const (
	earlier      = "What we said before, in short:\n"
	mostRecalled = 20
)

// recap sums up what the conversation says before the request to do so: every question, with the first line of its answer.
func recap(messages []provider.Message) string {
	var said []string
	answered := true
	for _, m := range messages[:max(0, len(messages)-1)] {
		before, isSummary := strings.CutPrefix(m.Text, earlier)
		switch {
		case m.Role == provider.RoleUser && isSummary:
			said = append(said, strings.Split(opening(before), "\n")...)
			answered = true
		case m.Role == provider.RoleUser && !isInstruction(m.Text):
			said = append(said, "- "+firstLine(opening(m.Text)))
			answered = false
		case m.Role == provider.RoleAssistant && len(m.Calls) == 0 && m.Text != "" && !answered:
			said[len(said)-1] += " " + strings.TrimRight(firstLine(opening(m.Text)), ":")
			answered = true
		}
	}
	return strings.Join(said[max(0, len(said)-mostRecalled):], "\n")
}
