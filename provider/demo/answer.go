package demo

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// label is said once in a conversation.
const label = "*I am aloud's built-in demonstration, not a language model: simple rules pick the tools, and the results are real.*"

// reply is what the model does next: it says something, or calls tools.
type reply struct {
	heading, thinking string
	text              string
	calls             []provider.Call
}

// respond decides what the model does next. It remembers nothing: the conversation has all it needs.
func respond(t turn, tools []provider.ToolSpec) reply {
	calls := plan(t.question, tools)
	thought := "The words of the question fit the tool"
	if len(t.steps) > 0 {
		calls = follow(t, tools)
		thought = fmt.Sprintf("`%s` says: %s. I go on with", t.steps[len(t.steps)-1].call.Name, firstLine(t.steps[len(t.steps)-1].result))
	}
	if len(calls) > 0 {
		for i := range calls {
			calls[i].ID = fmt.Sprintf("demo_%d_%d", t.length, i)
		}
		first := calls[0]
		return reply{heading: activity(first), thinking: fmt.Sprintf("%s `%s`. Its arguments: `%s`.", thought, first.Name, first.Arguments), calls: calls}
	}
	r := reply{"Looking for a tool", "No tool fits the words of the question.", unknown, nil}
	if len(t.steps) > 0 {
		r = reply{"Reading the results", "The results are here; what is left is to say what they mean.", answer(t.steps), nil}
	} else if showsOff().MatchString(t.question) {
		r = reply{"Choosing an example", "A bit of everything shows how answers look here.", sample, nil}
	}
	if t.first {
		r.text += "\n\n" + label
	}
	return r
}

// answer puts the results into words. A failure that another way made good is mentioned, and no more.
func answer(steps []step) string {
	var parts []string
	for i, s := range steps {
		switch last := i == len(steps)-1; {
		case s.failed && last:
			parts = append(parts, fmt.Sprintf("I could not do that: `%s` says “%s”.", s.call.Name, firstLine(s.result)))
		case s.failed:
			parts = append(parts, fmt.Sprintf("`%s` did not work (%s), so I went another way.", s.call.Name, firstLine(s.result)))
		default:
			parts = append(parts, interpret(s))
		}
	}
	return strings.Join(parts, "\n\n")
}

// interpret puts a result into words.
func interpret(s step) string {
	result, subject := strings.TrimSpace(s.result), subject(s.call)
	// "Friday, 20 November 2026, 23:54:12 JST (UTC+09:00), Asia/Tokyo"
	if parts := strings.Split(result, ", "); bare(s.call.Name) == "now" && len(parts) == 4 {
		place := "Here"
		if subject != "" {
			place = "In " + city(subject)
		}
		return fmt.Sprintf("%s it is **%s** on %s, %s.", place, parts[2], parts[0], parts[1])
	}
	if strings.HasPrefix(result, "[Nothing found") {
		return fmt.Sprintf("I found nothing for `%s`.", subject)
	}
	if k, ok := kinds[bare(s.call.Name)]; ok {
		return strings.ReplaceAll(k.gives, "%s", subject) + "\n\n" + fence(result, strings.TrimPrefix(path.Ext(subject), "."))
	}
	return fmt.Sprintf("`%s` gives:\n\n%s", s.call.Name, fence(result, ""))
}

// fence shows the beginning of a text as a block of code, whatever marks are in it.
func fence(text, language string) string {
	lines := strings.Split(text, "\n")
	if over := len(lines) - 24; over > 0 {
		lines = append(lines[:24], fmt.Sprintf("… and %d more lines", over))
	}
	text = strings.Join(lines, "\n")
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + language + "\n" + text + "\n" + marks
}

// city is the city in the name of a zone: "America/New_York" → "New York".
func city(zone string) string { return strings.ReplaceAll(path.Base(zone), "_", " ") }

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(opening(s)), "\n")
	if r := []rune(line); len(r) > 160 {
		return string(r[:159]) + "…"
	}
	return strings.TrimRight(line, ".:")
}

// subject is the value a call is about, short.
func subject(call provider.Call) string {
	for _, key := range []string{"zone", "url", "text", "glob", "path"} {
		if s, _ := values(call)[key].(string); s != "" {
			return firstLine(s)
		}
	}
	return ""
}

// kinds are the tools that the demo has words for: while they run and for their result, with the subject of the call.
var kinds = map[string]struct{ doing, gives string }{
	"now":            {"Looking up the current time in %s", "In %s it is:"},
	"fetch":          {"Fetching %s", "The page at %s says:"},
	"list_directory": {"Listing this folder", "This folder holds:"},
	"search_files":   {"Searching for %s", "`%s` is found in:"},
	"read_file":      {"Reading %s", "`%s` begins with:"},
}

// activity says in a few words what a call does: "Looking up the current time in Tokyo".
func activity(call provider.Call) string {
	if k, ok := kinds[bare(call.Name)]; ok {
		return strings.ReplaceAll(k.doing, "%s", city(cmp.Or(subject(call), "your time zone")))
	}
	return "Using " + call.Name
}

// earlier is how the chat gives back a summary.
const earlier = "What we said before, in short:\n"

// recap sums up the conversation before the request to do so: its last questions.
func recap(messages []provider.Message) string {
	var asked []string
	for _, m := range messages[:max(0, len(messages)-1)] {
		if before, ok := strings.CutPrefix(m.Text, earlier); ok {
			asked = append(asked, strings.Split(opening(before), "\n")...)
		} else if m.Role == provider.RoleUser && !isInstruction(m.Text) {
			asked = append(asked, "- "+firstLine(m.Text))
		}
	}
	return strings.Join(asked[max(0, len(asked)-20):], "\n")
}

var showsOff = pattern(`(?i)\b(?:code|program|markdown|table)\b`)

const unknown = `No tool I am offered fits the question. What works here:

- what time is it in Tokyo and in London?
- list the files in this folder
- read the README
- search for "TODO"
- fetch https://example.com
- show me some code`

const sample = "Answers may have **bold**, *italic* and `code`, [links](https://example.com), and programs:\n\n```go" + `
package main

import "fmt"

func main() {
	fmt.Println("hello") // that is all
}
` + "```" + `

1. lists,
2. tables:

| like | this  |
|------|-------|
| with | cells |`
