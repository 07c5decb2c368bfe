package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/aloudchat/aloud/provider"
)

// pattern compiles a regular expression when it is first needed: most runs of aloud do not use the demo.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// maxText is how many bytes the rules read of a question. Piped input follows the question.
const maxText = 4 << 10

func opening(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxText)], "") }

// turn is what the conversation says about the last question.
type turn struct {
	question string
	steps    []step // the calls made for it so far
	first    bool   // nothing was answered before in this conversation
	length   int    // messages so far
}

// step is a finished call.
type step struct {
	call   provider.Call
	result string
	failed bool
}

func read(messages []provider.Message) turn {
	t := turn{first: true, length: len(messages)}
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
			t.steps = append(t.steps, step{calls[m.CallID], strings.TrimPrefix(m.Text, provider.FailedMark), m.Failed})
		}
	}
	return t
}

// isInstruction reports whether a user message comes from the chat itself: to answer now, or to go on.
func isInstruction(text string) bool {
	return strings.HasPrefix(text, "Stop using tools") || strings.HasPrefix(text, "Go on from where")
}

var (
	quoted   = pattern("\"[^\"]+\"|`[^`]+`")
	link     = pattern(`https?://[^\s"'<>)]+`)
	glob     = pattern(`(?:^|\s)([\w./-]*\*[\w.*/-]*)`)
	filePath = pattern("(?:^|[\\s\"'`])((?:[\\w.~-]*/)*(?:[\\w.-]*\\.[A-Za-z]\\w*|README|LICENSE|Makefile))")
	reads    = pattern(`(?i)\b(?:read|open|show|cat|summarize|explain|what is in|what does)\b`)
	search   = pattern(`(?i)\b(?:search|find|grep|look for|contains?|mentions?)\s+(?:(?:for|the|all|any|files?|lines?|text|that|with)\s+)*(.*?)(?:\s+in\s.*)?[?.!]*$`)
	lists    = pattern(`(?i)\b(?:list|ls|files?|folder|directory)\b`)
	hours    = pattern(`(?i)\b(?:time|late|date|day|clock|hour)\b`)
	zoneName = pattern(`\b[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_]+)+\b`)
	refusal  = pattern(`(?i)\b(refused|denied|declined|not allowed|needs the approval)\b`)
)

// plan returns the calls that answer a question: those of the rules for the built-in tools, else one of a tool that the
// question names.
func plan(question string, tools []provider.ToolSpec) []provider.Call {
	var calls []provider.Call
	add := func(tool string, arguments map[string]any) {
		i := slices.IndexFunc(tools, func(t provider.ToolSpec) bool { return bare(t.Name) == tool })
		if encoded, err := json.Marshal(arguments); i >= 0 && err == nil {
			calls = append(calls, provider.Call{Name: tools[i].Name, Arguments: encoded})
		}
	}
	rest := link().ReplaceAllString(question, " ")
	file, many, text := filePath().FindStringSubmatch(rest), glob().FindStringSubmatch(rest), searched(rest)
	switch {
	case many != nil:
		add("search_files", map[string]any{"glob": many[1]})
	case file != nil && reads().MatchString(rest):
		add("read_file", map[string]any{"path": file[1]})
	case text != "":
		add("search_files", map[string]any{"text": text})
	case lists().MatchString(rest):
		add("list_directory", map[string]any{"path": "."})
	}
	places := zones(question)
	for _, zone := range places {
		add("now", map[string]any{"zone": zone})
	}
	if len(places) == 0 && hours().MatchString(question) {
		add("now", map[string]any{})
	}
	for _, address := range link().FindAllString(question, 3) {
		add("fetch", map[string]any{"url": strings.TrimRight(address, ".,;:!?")})
	}
	if len(calls) == 0 {
		return named(question, tools)
	}
	return calls
}

// bare is a tool's name without that of its server.
func bare(name string) string {
	if _, tool, ok := strings.Cut(name, "__"); ok && tool != "" {
		return tool
	}
	return name
}

// searched is the text that a question wants to find in files.
func searched(question string) string {
	if m := search().FindStringSubmatch(question); m != nil {
		return cmp.Or(quotation(question), m[1])
	}
	return ""
}

func quotation(text string) string { return strings.Trim(quoted().FindString(text), "\"`") }

// zones are the time zones that a text names, as zones or as cities that have one: "and in new york" means
// America/New_York.
func zones(text string) []string {
	found := zoneName().FindAllString(text, 3)
	words := append(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }), "", "")
	for i, word := range words[:min(len(words)-2, 50)] {
		if !slices.Contains([]string{"in", "at", "for", "and"}, strings.ToLower(word)) {
			continue
		}
		one, two := titleCase(words[i+1]), titleCase(words[i+2])
		if zone := zoneOf(one+"_"+two, one); zone != "" {
			found = append(found, zone)
		}
	}
	return found
}

func titleCase(word string) string {
	r := []rune(strings.ToLower(word) + " ")
	return strings.TrimSpace(strings.ToUpper(string(r[:1])) + string(r[1:]))
}

// zoneOf is the zone of the first city that has one.
func zoneOf(cities ...string) string {
	for _, city := range cities {
		for _, continent := range []string{"Europe", "Asia", "America", "Africa", "Australia", "Pacific"} {
			if _, err := time.LoadLocation(continent + "/" + city); err == nil {
				return continent + "/" + city
			}
		}
	}
	return ""
}

// named is a call of the first tool at least half of whose name's words are in the question, if it requires no
// arguments.
func named(question string, tools []provider.ToolSpec) []provider.Call {
	question = strings.ToLower(question)
	for _, tool := range tools {
		var schema struct{ Required []string }
		_ = json.Unmarshal(tool.Schema, &schema)
		name := strings.FieldsFunc(strings.ToLower(bare(tool.Name)), func(r rune) bool { return strings.ContainsRune("_-.", r) })
		missing := 0
		for _, word := range name {
			if !strings.Contains(question, word) {
				missing++
			}
		}
		if 2*missing <= len(name) && len(schema.Required) == 0 {
			return []provider.Call{{Name: tool.Name, Arguments: json.RawMessage(`{}`)}}
		}
	}
	return nil
}

// follow is the call that the last step leads to. It tells a story in which something fails: a file that cannot be read
// is looked for, and read where it is found.
func follow(t turn, tools []provider.ToolSpec) []provider.Call {
	first, last := t.steps[0], t.steps[len(t.steps)-1]
	name, _ := values(first.call)["path"].(string)
	if !first.failed || bare(first.call.Name) != "read_file" || refusal().MatchString(first.result) {
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

func values(call provider.Call) map[string]any {
	var values map[string]any
	_ = json.Unmarshal(call.Arguments, &values) // none if it cannot be read
	return values
}
