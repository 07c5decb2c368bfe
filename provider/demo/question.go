package demo

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aloudchat/aloud/provider"
)

// pattern compiles a regular expression when it is needed first: the program starts without the demonstration more often than with it.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// turn is what the conversation says about the question at hand.
type turn struct {
	question string
	steps    []step // the calls made for it so far, with what came of them
	first    bool   // nothing was answered before in this conversation
	length   int    // messages so far
}

// step is a finished call.
type step struct {
	call   provider.Call
	result string
	failed bool
}

// maxText is how many bytes the rules look at in a question or in the description of a tool. What is piped in stands behind the question.
const maxText = 4 << 10

func opening(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxText)], "") }

// read finds the last question and what was done about it. Two user messages are no questions but the chat's own: to answer now, and to go on.
func read(messages []provider.Message) turn {
	var t turn
	t.first, t.length = true, len(messages)
	calls := map[string]provider.Call{}
	for _, m := range messages {
		switch m.Role {
		case provider.RoleUser:
			if !isInstruction(m.Text) {
				t.question, t.steps = opening(m.Text), nil
			}
		case provider.RoleAssistant:
			if m.Text != "" && len(m.Calls) == 0 {
				t.first = false
			}
			for _, call := range m.Calls {
				calls[call.ID] = call
			}
		case provider.RoleTool:
			t.steps = append(t.steps, step{call: calls[m.CallID], result: strings.TrimPrefix(m.Text, provider.FailedMark), failed: m.Failed})
		}
	}
	return t
}

func isInstruction(text string) bool {
	return strings.HasPrefix(text, "Stop using tools") || strings.HasPrefix(text, "Go on from where")
}

// ask is one thing that is asked for, with what in it could be an argument.
type ask struct {
	text    string
	quoted  []string
	urls    []string
	paths   []string
	globs   []string
	numbers []string
	place   place

	like string // the ask before it, when it says only what is different: "and London"
}

var (
	quotes     = pattern("\"([^\"]+)\"|“([^”]+)”|`([^`]+)`|(?:^|\\s)'([^']+)'")
	link       = pattern(`(?i)\bhttps?://[^\s"'<>)]+|\b(?:[a-z0-9-]+\.)+(?:com|org|net|dev|io|edu|gov|de|uk)\b(?:/[^\s"'<>)]*)?`)
	filePath   = pattern(`(?:^|[\s"'(` + "`" + `])((?:~|\.{1,2})?/[^\s"'<>()]*|[\w.-]+/[\w./-]*|\.?[\w-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,7}|\.[a-z][\w.-]+|\b(?:README|LICENSE|Makefile|Dockerfile|CHANGELOG)\b)`)
	glob       = pattern(`(?:^|\s)((?:[\w./-]*\*[\w.*/-]*))`)
	number     = pattern(`(?:^|[\s(=])(-?\d+(?:\.\d+)?)\b`)
	folderName = pattern(`(?i)\b(?:folder|directory)\s+(?:called |named )?["'` + "`" + `]?([\w./-]+)|([\w.-]+)/?\s+(?:folder|directory)\b`)
	connective = pattern(`(?i)\s*(?:,\s*(?:and\s+)?(?:then\s+)?|;\s*(?:then\s+)?|\s(?:and|&)\s+(?:then\s+)?|\sthen\s+|\?\s+(?:and\s+)?)`)
)

// newAsk looks for what could be an argument.
func newAsk(text string) ask {
	a := ask{text: text, place: findPlace(text)}
	for _, m := range quotes().FindAllStringSubmatch(text, -1) {
		a.quoted = append(a.quoted, m[1]+m[2]+m[3]+m[4])
	}
	rest := text
	for _, u := range link().FindAllString(text, -1) {
		rest = strings.Replace(rest, u, " ", 1)
		u = strings.TrimRight(u, ".,;:!?")
		if !strings.Contains(u, "://") {
			u = "https://" + u
		}
		a.urls = append(a.urls, u)
	}
	for _, m := range filePath().FindAllStringSubmatch(rest, -1) {
		if p := strings.TrimRight(m[1], ".,;:!?"); p != "" && p != a.place.zone && p != a.place.name {
			a.paths = append(a.paths, p)
		}
	}
	for _, m := range folderName().FindAllStringSubmatch(rest, -1) {
		name := m[1] + m[2]
		if len(keywords(name)) > 0 && !slices.Contains(notFolders, strings.ToLower(name)) && !slices.Contains(a.paths, name) {
			a.paths = append(a.paths, name)
		}
	}
	for _, m := range glob().FindAllStringSubmatch(rest, -1) {
		a.globs = append(a.globs, m[1])
	}
	for _, m := range number().FindAllStringSubmatch(rest, -1) {
		a.numbers = append(a.numbers, m[1])
	}
	return a
}

// notFolders stand beside "folder" without being the name of one.
var notFolders = []string{"current", "here", "list", "open", "show", "working", "same", "whole", "whose", "where", "has", "contains", "containing", "new"}

// hasValue says whether there is something in it to act on: a part like "and London" needs no verb of its own.
func (a ask) hasValue() bool {
	return len(a.quoted)+len(a.urls)+len(a.paths) > 0 || a.place.known
}

// maxAsks bounds what one question is split into.
const maxAsks = 4

// split cuts a question where it asks for another thing: "the time in Tokyo and London", "read a.txt, then b.txt". Quoted text is not cut.
func split(question string) []string {
	hidden := quotes().ReplaceAllStringFunc(question, func(q string) string { return strings.Repeat("x", len(q)) })
	var parts []string
	from := 0
	for _, at := range connective().FindAllStringIndex(hidden, -1) {
		if len(parts) == maxAsks-1 {
			break
		}
		parts = append(parts, question[from:at[0]])
		from = at[1]
	}
	parts = append(parts, question[from:])
	out := parts[:0]
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}
