package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// maxText is how many bytes of a text the rules read.
const maxText = 4 << 10

// turn is the current turn of a conversation.
type turn struct {
	question string
	steps    []step
	first    bool // the conversation has no answer yet
	length   int  // messages so far
}

// step is a finished call.
type step struct {
	call   provider.Call
	result string
	failed bool
}

func lastTurn(messages []provider.Message) turn {
	t := turn{first: true, length: len(messages)}
	calls := map[string]provider.Call{}
	for _, m := range messages {
		switch m.Role {
		case provider.RoleUser:
			if !isInstruction(m.Text) {
				t.question, t.steps = sanitize.Cut(m.Text, maxText), nil
			}
		case provider.RoleAssistant:
			if m.Text != "" && len(m.Calls) == 0 {
				t.first = false
			}
			for _, call := range m.Calls {
				calls[call.ID] = call
			}
		case provider.RoleTool:
			t.steps = append(t.steps, step{calls[m.CallID], strings.TrimPrefix(m.Text, provider.FailedMark), m.Failed})
		}
	}
	return t
}

// isInstruction reports whether aloud itself wrote a user message, to ask for an answer or to continue.
func isInstruction(text string) bool {
	return strings.HasPrefix(text, "Stop using tools") || strings.HasPrefix(text, "Go on from where")
}

var (
	link     = sanitize.Pattern(`https?://[^\s"'<>)]+`)
	glob     = sanitize.Pattern(`(?:^|\s)([\w./-]*\*[\w.*/-]*)`)
	filePath = sanitize.Pattern("(?:^|[\\s\"'`])((?:[\\w.~-]*/)*(?:[\\w.-]*\\.[A-Za-z]\\w*|README|LICENSE|Makefile))")
	reads    = sanitize.Pattern(`(?i)\b(?:read|open|show|cat|summarize|explain|what is in|what does)\b`)
	search   = sanitize.Pattern(`(?i)\b(?:search|find|grep|look for|contains?|mentions?)\s+` +
		`(?:(?:for|the|all|any|files?|lines?|text|that|with)\s+)*"?(.*?)"?(?:\s+in\s.*)?[?.!]*$`)
	lists    = sanitize.Pattern(`(?i)\b(?:list|ls|files?|folder|directory)\b`)
	hours    = sanitize.Pattern(`(?i)\b(?:time|late|date|day|clock|hour)\b`)
	zoneName = sanitize.Pattern(`\b[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_]+)+\b`)
	refusal  = sanitize.Pattern(`(?i)\b(refused|denied|declined|not allowed|needs (the user's|your) approval)\b`)
)

// plan returns the calls that answer a question, by the rules for the built-in tools, or else a call of a tool that the
// question names.
func plan(question string, tools []provider.ToolSpec) []provider.Call {
	var calls []provider.Call
	add := func(tool string, arguments map[string]any) {
		i := slices.IndexFunc(tools, func(t provider.ToolSpec) bool { return baseName(t.Name) == tool })
		if encoded, err := json.Marshal(arguments); i >= 0 && err == nil {
			calls = append(calls, provider.Call{Name: tools[i].Name, Arguments: encoded})
		}
	}
	rest := link().ReplaceAllString(question, " ")
	file, files := filePath().FindStringSubmatch(rest), glob().FindStringSubmatch(rest)
	text := search().FindStringSubmatch(rest)
	switch {
	case files != nil:
		add("search_files", map[string]any{"glob": files[1]})
	case file != nil && reads().MatchString(rest):
		add("read_file", map[string]any{"path": file[1]})
	case text != nil && text[1] != "":
		add("search_files", map[string]any{"text": text[1]})
	case lists().MatchString(rest):
		add("list_directory", map[string]any{"path": "."})
	}
	timeZones := zones(question)
	for _, zone := range timeZones {
		add("now", map[string]any{"zone": zone})
	}
	if len(timeZones) == 0 && hours().MatchString(question) {
		add("now", map[string]any{})
	}
	for _, address := range link().FindAllString(question, 3) {
		add("fetch", map[string]any{"url": strings.TrimRight(address, ".,;:!?")})
	}
	if len(calls) == 0 {
		return callByName(question, tools)
	}
	return calls
}

func toolName(call provider.Call) string { return baseName(call.Name) }

// baseName returns a tool's name without that of its server.
func baseName(name string) string {
	if _, tool, ok := strings.Cut(name, "__"); ok && tool != "" {
		return tool
	}
	return name
}

// zones returns the time zones in a text, and those of cities: "and in new york" gives America/New_York.
func zones(text string) []string {
	found := zoneName().FindAllString(text, 3)
	words := append(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }), "", "")
	for i, word := range words[:min(len(words)-2, 50)] {
		if !slices.Contains([]string{"in", "at", "for", "and"}, strings.ToLower(word)) {
			continue
		}
		one, two := titleCase(words[i+1]), titleCase(words[i+2])
		found = append(found, cmp.Or(zoneOf(one+"_"+two), zoneOf(one)))
	}
	return slices.DeleteFunc(found, func(zone string) bool { return zone == "" })
}

func titleCase(word string) string {
	r := []rune(strings.ToLower(word) + " ")
	return strings.TrimSpace(strings.ToUpper(string(r[:1])) + string(r[1:]))
}

// zoneOf returns the time zone of a city, or "".
func zoneOf(city string) string {
	for _, continent := range []string{"Europe", "Asia", "America", "Africa", "Australia", "Pacific"} {
		if _, err := time.LoadLocation(continent + "/" + city); err == nil {
			return continent + "/" + city
		}
	}
	return ""
}

// callByName returns a call of the first tool that requires no arguments and has at least half the words of its name in
// the question.
func callByName(question string, tools []provider.ToolSpec) []provider.Call {
	question = strings.ToLower(question)
	for _, tool := range tools {
		var schema struct{ Required []string }
		_ = json.Unmarshal(tool.Schema, &schema)
		name := strings.NewReplacer("_", " ", "-", " ", ".", " ").Replace(baseName(tool.Name))
		words := strings.Fields(strings.ToLower(name))
		missing := 0
		for _, word := range words {
			if !strings.Contains(question, word) {
				missing++
			}
		}
		if 2*missing <= len(words) && len(schema.Required) == 0 {
			return []provider.Call{{Name: tool.Name, Arguments: json.RawMessage(`{}`)}}
		}
	}
	return nil
}

// retryElsewhere returns the next call after a file could not be read: a search for the file, then a call that reads it
// where it was found.
func retryElsewhere(t turn, tools []provider.ToolSpec) []provider.Call {
	first, last := t.steps[0], t.steps[len(t.steps)-1]
	name, _ := arguments(first.call)["path"].(string)
	if !first.failed || toolName(first.call) != "read_file" || refusal().MatchString(first.result) {
		return nil
	}
	switch found, _, _ := strings.Cut(last.result, "\n"); {
	case len(t.steps) == 1:
		return plan("**/"+path.Base(name)+"*", tools)
	case len(t.steps) == 2 && !last.failed && strings.HasPrefix(path.Base(found), path.Base(name)):
		return plan(fmt.Sprintf("read %s", found), tools)
	}
	return nil
}

func arguments(call provider.Call) map[string]any {
	var object map[string]any
	_ = json.Unmarshal(call.Arguments, &object) // no arguments if they are not an object
	return object
}
