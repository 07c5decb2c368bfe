package repair

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/tabletest"
)

func TestCallsAmongWords(t *testing.T) {
	const call, read = `{"name":"read","arguments":{"path":"a"}}`, `read {"path":"a"}`
	tests := []struct{ name, in, before, calls, after string }{
		{"behind a sentence", "I will look.\n" + call, "I will look.\n", read, ""},
		{"between sentences", "I will look. " + call + "\nPlease wait.", "I will look. ", read, "Please wait."},
		{"several in a row", "I will look.\n" + call + "\n" + call, "I will look.\n", read + "; " + read, ""},
		{"the first of several", "This:\n" + call + "\nOr this:\n" + call, "This:\n", read, "Or this:\n" + call},
		{"in a fence", "Now:\n```json\n" + call + "\n```\nWait.", "Now:\n", read, "Wait."},
		{"in an open fence", "Now:\n```json\n" + call, "Now:\n", read, ""},
		{"in a fence with a comment", "Now:\n```json\n" + call + "\n# a\n```", "Now:\n```json\n", read, "# a\n```"},
		{"in a fence of code", "Now:\n```python\nread(path='a')\n```", "Now:\n```python\n", read, "```"},
		{"as Python", "Now:\n  read(path='a')", "Now:\n  ", read, ""},
		{"before what is no call", "Now:\n" + call + `{"other":1}`, "Now:\n", read, `{"other":1}`},
		{"behind brackets", "See [1] and {x}. " + call, "See [1] and {x}. ", read, ""},
		{"behind a list", "- a\n- " + call, "- a\n- ", read, ""},

		{"not as Python in a sentence", "Write read(path='a') there.", "", "", ""},
		{"not without its end", "Now:\n" + strings.TrimSuffix(call, "}"), "", "", ""},
		{"not without arguments", `Now: {"name":"read"}`, "", "", ""},
		{"not of an unknown tool", `Now: {"name":"delete","arguments":{}}`, "", "", ""},
		{"not in a long message", "Now:\n" + call + strings.Repeat("\nword", 20<<10), "", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			passed, found, rest := foundIn(strings.SplitAfter(test.in, " ")...)
			if passed+rest != test.in {
				t.Errorf("passed %q, rest %q", passed, rest)
			}
			if found.Before != test.before || written(found.Calls) != test.calls || found.After != test.after {
				t.Errorf("%q, %q, %q", found.Before, written(found.Calls), found.After)
			}
		})
	}
}

func TestAnnounced(t *testing.T) {
	const call = `{"name":"read","arguments":{"path":"a"}}`
	long := []string{"no", "I will read it. " + strings.Repeat("I have time. ", 20) + "\n", ""}
	for _, row := range append(tabletest.Read(t, "announced.txt"), long) {
		want, message, question := row[0] == "yes", row[1], row[2]
		_, found, _ := foundIn(message + call)
		announced := found.announced() && !asksForText(question, nil)
		if len(found.Calls) != 1 || announced != want {
			t.Errorf("%q, asked %q: %d calls, announced %v", message, question, len(found.Calls), !want)
		}
	}
	for after, want := range map[string]bool{
		"\nPlease wait while I read it.": true, " One moment…": true, "\nI'll let you know.": true,
		"\nIt says hello.": false, "\nI'll wait. Is that right?": false, "\nSure, that is how you call it.": false,
		"\n" + strings.Repeat("Please wait. ", 10): false,
		"\nOK!": true, "\nI have to decline this.": false, "\nI'll hold off on this.": false, "\nLet me cancel it.": false,
		"\nLet me keep it back.": false, "\nI will wait for a yes.": false, "\nSure, I will stop.": false,
	} {
		if _, found, _ := foundIn(call + after); len(found.Calls) != 1 || found.announced() != want {
			t.Errorf("%q: %d calls, announced %v", after, len(found.Calls), !want)
		}
	}
}
