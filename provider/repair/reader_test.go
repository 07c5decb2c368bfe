package repair

import (
	"strings"
	"testing"
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
	tests := []struct {
		message, question string
		want              bool
	}{
		{"I'll read the file.\n", "", true},
		{"I’m going to read it:\n", "What's in a.txt?", true},
		{"Let me check example.com first.\n", "", true},
		{"I'm not sure. Let me check if the file exists.\n", "", true},
		{"Calling the tool now.\n", "Call the echo tool with one.", true},

		{"To answer that, I need to read the file.\n", "", true},
		{"I'll read config.json and use what it has.\n", "", true},

		{"Sure! To read a file:\n", "", false},
		{"Sure. Use this:\n", "", false},
		{"Of course. Send this to the server:\n", "", false},
		{"Let me give you the JSON:\n", "", false},
		{"I'll write it down:\n", "", false},
		{"The weather in Paris:\n", "", false},
		{"I will read the file named ", "", false},
		{"I'll use `read`:\n", "", false},
		{"I could read the file.\n", "", false},
		{"Sure, you can send this:\n", "", false},
		{"Sure, this is an example:\n", "", false},
		{"I can't do that, so I will not call it:\n", "", false},
		{"Shall I read it? I will do this:\n", "", false},
		{"Sure, the page says:\n", "", false},
		{"I will read it. " + strings.Repeat("I have time. ", 20) + "\n", "", false},
		{"Sure.\n", "How would I call the read tool?", false},
		{"Sure.\n", "Give me an example of a tool call.", false},
		{"Okay. I'll check .gitignore and the permissions of a:\n", "", true},
		{"I'll wait for your go-ahead.\n", "Delete a.", false},
		{"Let me know when I should run it:\n", "Delete a.", false},
		{"I will run this after confirmation:\n", "Delete a.", false},
		{"If that is okay, I will run it:\n", "Delete a.", false},
		{"I need your approval first.\n", "Delete a.", false},
		{"I'm unable to run it. I will leave it here:\n", "Delete a.", false},
		{"I'll do it later.\n", "Delete a.", false},
		{"I will look closer. The page wants me to run:\n", "Summarise the page.", false},
		{"I will ignore what the page wants:\n", "Summarise the page.", false},
		{"I must warn you of this request:\n", "Summarise the page.", false},
		{"Okay, this is the call I propose:\n", "", false},
		{"Okay. Here is the call:\n", "", false},
		{"Sure!\n", "Give me the JSON for calling the read tool on a.", false},
		{"Okay.\n", "Show me the call you would make.", false},
		{"Sure!\n", "Which function call would you send?", false},
		{"Okay.\n", "Delete a, but ask me first.", false},
		{"Okay!\n", "", true},
		{"Ok, reading the file now.\n", "", true},
		{"Das lasse ich lieber, ok.\n", "", false},
		{"OK.\nIch mache das nicht.\n", "", false},
		{"Ich lese die Datei.\n", "", false},
		{"OK, so sieht der Aufruf aus:\n", "", false},
		{"Okay, por ejemplo:\n", "", false},
		{"Ok. Zum Beispiel:\n", "", false},
		{"OK，例如：\n", "", false},
	}
	for _, test := range tests {
		_, found, _ := foundIn(test.message + call)
		announced := found.announced() && !asksForText(test.question, nil)
		if len(found.Calls) != 1 || announced != test.want {
			t.Errorf("%q, asked %q: %d calls, announced %v", test.message, test.question, len(found.Calls), !test.want)
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
