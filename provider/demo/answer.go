package demo

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// disclaimer ends the first answer of a conversation.
const disclaimer = "*I am aloud's built-in demo, not a language model. Simple rules choose my words and my pace, and " +
	"the shop is made up.*"

// reply is a text or a list of calls, with the thinking before it.
type reply struct {
	heading, thinking string
	text              string
	calls             []provider.Call
}

// nextStep returns the next reply of a turn. It keeps no state besides the conversation.
func nextStep(t turn, tools []provider.ToolSpec) reply {
	if r, ok := tell(t, tools); ok {
		return t.finish(r)
	}
	calls := plan(t.question, tools)
	thinking := "The words of the message match the tool"
	if len(t.steps) > 0 {
		calls = retryElsewhere(t, tools)
		last := t.steps[len(t.steps)-1]
		thinking = fmt.Sprintf("`%s` returned: %s. Next I call", last.call.Name, firstLine(last.result))
	}
	if len(calls) > 0 {
		first := calls[0]
		thinking = fmt.Sprintf("%s `%s`. Its arguments: `%s`.", thinking, first.Name, first.Arguments)
		return t.finish(reply{heading: activity(first), thinking: thinking, calls: calls})
	}
	r := reply{heading: "Looking for a tool", thinking: "No tool matches the words of the message.", text: suggestions()}
	if len(t.steps) > 0 {
		r = reply{heading: "Reading the results", thinking: "Now I put the results into words.", text: answer(t.steps)}
	}
	return t.finish(r)
}

// finish gives the calls of a reply their IDs, and ends the first answer with the disclaimer.
func (t turn) finish(r reply) reply {
	for i := range r.calls {
		r.calls[i].ID = fmt.Sprintf("demo_%d_%d", t.length, i)
	}
	if t.first && len(r.calls) == 0 {
		r.text += "\n\n" + disclaimer
	}
	return r
}

// answer turns the results into text.
func answer(steps []step) string {
	var parts []string
	for i, s := range steps {
		part := interpret(s)
		if s.failed {
			what := map[bool]string{true: "was not run", false: "failed"}[refusal().MatchString(s.result)]
			part = fmt.Sprintf("`%s` %s: %s.", s.call.Name, what, firstLine(s.result))
			if i < len(steps)-1 {
				part += " I tried another tool."
			}
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n\n")
}

// interpret turns a result into text.
func interpret(s step) string {
	result, subject := strings.TrimSpace(s.result), subject(s.call)
	// "Friday, 20 November 2026, 23:54:12 JST (UTC+09:00), Asia/Tokyo"
	if parts := strings.Split(result, ", "); toolName(s.call) == "now" && len(parts) == 4 {
		place := "Here"
		if subject != "" {
			place = "In " + city(subject)
		}
		return fmt.Sprintf("%s it is **%s** on %s, %s.", place, parts[2], parts[0], parts[1])
	}
	if strings.HasPrefix(result, "[Nothing found") {
		return fmt.Sprintf("Nothing found for `%s`.", subject)
	}
	if k, ok := phrases[toolName(s.call)]; ok {
		language := strings.TrimPrefix(path.Ext(subject), ".")
		return strings.ReplaceAll(k.result, "%s", subject) + "\n\n" + fence(result, language)
	}
	return fmt.Sprintf("`%s` returned:\n\n%s", s.call.Name, fence(result, ""))
}

// fence returns the beginning of a text as a block of code.
func fence(text, language string) string {
	lines := strings.Split(text, "\n")
	if over := len(lines) - 24; over > 0 {
		lines = append(lines[:24], fmt.Sprintf("… and %d more lines", over))
	}
	return provider.Fence(strings.Join(lines, "\n"), language)
}

// city returns the city in the name of a zone: "America/New_York" → "New York".
func city(zone string) string { return strings.ReplaceAll(path.Base(zone), "_", " ") }

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(sanitize.Cut(s, maxText)), "\n")
	return sanitize.CutEnd(strings.TrimRight(line, ".:"), 160)
}

// subject returns the first line of a call's main argument, or "".
func subject(call provider.Call) string {
	for _, key := range []string{"zone", "url", "text", "glob", "path"} {
		if s, _ := arguments(call)[key].(string); s != "" {
			return firstLine(s)
		}
	}
	return ""
}

// phrases describe the calls of the built-in tools and their results; %s is the subject of the call.
var phrases = map[string]struct{ activity, result string }{
	"now":            {"Looking up the current time in %s", "In %s it is:"},
	"fetch":          {"Fetching %s", "The page at %s says:"},
	"list_directory": {"Listing this folder", "This folder contains:"},
	"search_files":   {"Searching for %s", "Found `%s` in:"},
	"read_file":      {"Reading %s", "The beginning of `%s`:"},
}

// activity describes a call in a few words: "Looking up the current time in Tokyo".
func activity(call provider.Call) string {
	if k, ok := phrases[toolName(call)]; ok {
		return strings.ReplaceAll(k.activity, "%s", city(cmp.Or(subject(call), "your time zone")))
	}
	return "Using " + call.Name
}

// suggestions answers a message that no rule fits.
func suggestions() string {
	return "No tool matches your message. Try one of these:\n\n- " + strings.Join(Questions(), "\n- ") +
		"\n\nOr ask for the time in a city, for a file in this folder, or for a web page by its address."
}
