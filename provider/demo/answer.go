package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
)

// label is said once in a conversation, so that nobody takes the demonstration for a language model.
const label = "*I am aloud's built-in demonstration, not a language model: simple rules pick the tools, and the results are real.*"

// answer puts the results of all tasks into words.
func answer(t turn, tasks []task, tools []provider.ToolSpec) reply {
	var r reply
	if len(tasks) == 0 {
		r = talk(t.question, tools)
	} else {
		var parts []string
		for _, task := range tasks {
			parts = append(parts, tell(task))
		}
		r.text = strings.Join(parts, "\n\n")
		r.heading, r.thinking = "Reading the results", "The results are here; what is left is to say what they mean."
	}
	if t.first {
		r.text += "\n\n" + label
	}
	return r
}

// tell says what came of one task.
func tell(t task) string {
	last := t.last()
	if last.failed {
		return failure(t)
	}
	said := interpret(last.call, last.result)
	if len(t.tried) == 1 || !t.tried[0].failed {
		return said
	}
	first := t.tried[0]
	return fmt.Sprintf("**%s** did not work (%s), so I went another way.\n\n%s", title(first.call.Name), firstLine(first.result), said)
}

// failure is the honest answer when nothing worked.
func failure(t task) string {
	if refusal().MatchString(t.last().result) {
		return fmt.Sprintf("I was not allowed to use **%s**: %s.", title(t.last().call.Name), firstLine(t.last().result))
	}
	if len(t.tried) == 1 {
		return fmt.Sprintf("I could not do that: **%s** says “%s”.", title(t.last().call.Name), firstLine(t.last().result))
	}
	var b strings.Builder
	b.WriteString("I could not do that. This is what I tried:\n")
	for _, s := range t.tried {
		fmt.Fprintf(&b, "\n- **%s** `%s`: %s", title(s.call.Name), s.call.Arguments, firstLine(s.result))
	}
	return b.String()
}

// title is a tool's name as the screen shows it.
func title(name string) string {
	server, tool := splitName(name)
	if server != "" && server != tool && len(keywords(tool)) < 2 {
		tool = server + "_" + tool // "now" alone says little
	}
	return status.Title("", tool)
}

// clockTime is how a clock spells a time: "Friday, 20 November 2026, 23:54:12 JST (UTC+09:00), Asia/Tokyo".
var clockTime = pattern(`^(\w+, \d{1,2} \w+ \d{4}), (\d{2}:\d{2}:\d{2}) ?(\w*) ?\((UTC[+-]\d{2}:\d{2})\), (.+)$`)

// nothing is how a result says that there is none: "[Nothing found.]".
var nothing = pattern(`^\[[^\[\]\n{}"]+\]$`)

// interpret puts a result into words, in the form that suits it.
func interpret(call provider.Call, result string) string {
	result = strings.TrimSpace(result)
	var arguments map[string]any
	_ = json.Unmarshal(call.Arguments, &arguments)
	what := subject(arguments)
	words := keywords(call.Name)
	has := func(word string) bool { return slices.Contains(words, stem(word)) }
	switch m := clockTime().FindStringSubmatch(result); {
	case m != nil:
		return tellTime(m)
	case nothing().MatchString(result) && searches(call.Name):
		return fmt.Sprintf("I found nothing for `%s`.", what)
	case nothing().MatchString(result):
		return fmt.Sprintf("**%s** says: %s", title(call.Name), strings.Trim(result, "[]"))
	case result == "":
		return fmt.Sprintf("**%s** is done and has nothing to say.", title(call.Name))
	case has("fetch"):
		return "The page at `" + fmt.Sprint(arguments["url"]) + "` says:\n\n" + quote(result, 12)
	case has("list"), has("directory"):
		return fmt.Sprintf("%s holds %s:\n\n%s", folder(what), count(result, "entry", "entries"), fence(result, "", 30))
	case searches(call.Name):
		return fmt.Sprintf("I found %s for `%s`:\n\n%s", count(result, "line", "lines"), what, fence(result, "", 20))
	case has("read") && what != "":
		return fmt.Sprintf("`%s` has %s. It begins with:\n\n%s", what, count(result, "line", "lines"), fence(result, language(what), 24))
	}
	return generic(call, result)
}

func tellTime(m []string) string {
	zone := m[4]
	if m[3] != "" && m[3] != "UTC" {
		zone = m[3] + ", " + m[4]
	}
	if strings.Contains(m[5], " ") { // "the user's own time zone"
		return fmt.Sprintf("It is **%s** on %s (%s).", m[2], m[1], zone)
	}
	return fmt.Sprintf("In %s it is **%s** on %s (%s).", placeName(m[5]), m[2], m[1], zone)
}

// generic tells a result of a tool that the rules know nothing of: a table for a flat object, a sentence for a line, else the text itself.
func generic(call provider.Call, result string) string {
	var object map[string]any
	if json.Unmarshal([]byte(result), &object) == nil && len(object) > 0 {
		return fmt.Sprintf("**%s** gives:\n\n%s", title(call.Name), table(object))
	}
	var pretty bytes.Buffer
	if strings.HasPrefix(result, "[") && json.Indent(&pretty, []byte(result), "", "  ") == nil {
		return fmt.Sprintf("**%s** gives:\n\n%s", title(call.Name), fence(pretty.String(), "json", 40))
	}
	if !strings.Contains(result, "\n") && len(result) < 300 {
		return fmt.Sprintf("**%s** says: %s", title(call.Name), result)
	}
	return fmt.Sprintf("**%s** gives:\n\n%s", title(call.Name), fence(result, "", 30))
}

// table shows an object, a row a key.
func table(object map[string]any) string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	cell := strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ")
	var b strings.Builder
	b.WriteString("| | |\n|---|---|\n")
	for _, key := range keys {
		value, ok := object[key].(string)
		if !ok {
			encoded, _ := json.Marshal(object[key]) // it was just read from JSON
			value = string(encoded)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", cell.Replace(key), cell.Replace(cut(value, 200)))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// fence shows at most n lines as a block of code, whatever marks are in them.
func fence(text, language string, n int) string {
	shown, left := head(text, n)
	marks := "```"
	for strings.Contains(shown, marks) {
		marks += "`"
	}
	return marks + language + "\n" + shown + "\n" + marks + left
}

// quote shows at most n lines as a quotation.
func quote(text string, n int) string {
	shown, left := head(text, n)
	return "> " + strings.ReplaceAll(shown, "\n", "\n> ") + left
}

// head is the first n lines of a text, none of them endless, and a word about the rest.
func head(text string, n int) (shown, left string) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if over := len(lines) - n; over > 0 {
		lines, left = lines[:n], fmt.Sprintf("\n\n… and %d more lines.", over)
	}
	for i, line := range lines {
		lines[i] = cut(line, 400)
	}
	return strings.Join(lines, "\n"), left
}

func count(text, one, many string) string {
	n := strings.Count(strings.TrimSpace(text), "\n") + 1
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func folder(name string) string {
	if name == "" || name == "." {
		return "The folder"
	}
	return "`" + name + "`"
}

// language is the name of the language a file is in, for highlighting.
func language(name string) string {
	switch ext := strings.TrimPrefix(path.Ext(name), "."); ext {
	case "md":
		return "markdown"
	case "py":
		return "python"
	case "rs":
		return "rust"
	case "yml":
		return "yaml"
	case "mod", "sum", "txt":
		return ""
	default:
		return ext
	}
}
