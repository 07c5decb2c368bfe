package demo

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// fill finds a value in the question for every argument that needs one, and for others whose value is plainly there.
// ok is false when a required one has none.
func fill(a ask, tool provider.ToolSpec, s schema) (json.RawMessage, bool) {
	f := filler{ask: a, tool: tool, searches: searches(tool.Name)}
	values := map[string]any{}
	for _, p := range s.properties {
		value, found := f.value(p)
		switch {
		case found:
			values[p.name] = value
		case p.required && p.standard != nil:
			values[p.name] = p.standard
		case p.required:
			return nil, false
		}
	}
	if f.searches && len(values) == 0 {
		return nil, false // for what?
	}
	encoded, err := json.Marshal(values)
	return encoded, err == nil
}

// searches says whether a tool looks for something, by its name.
func searches(name string) bool {
	words := keywords(name)
	return slices.Contains(words, "search") || slices.Contains(words, "find") || slices.Contains(words, "grep")
}

// filler hands out the values of one question, each once.
type filler struct {
	ask      ask
	tool     provider.ToolSpec
	searches bool
}

func (f *filler) value(p property) (any, bool) {
	if len(p.enum) > 0 {
		return f.choice(p)
	}
	switch p.kind() {
	case kindZone:
		return f.ask.place.zone, f.ask.place.zone != ""
	case kindURL:
		return take(&f.ask.urls)
	case kindPath:
		return f.path(p)
	case kindGlob:
		return f.glob()
	case kindQuery:
		return f.query()
	case kindNumber:
		return f.number(p)
	case kindBool:
		return false, p.required && p.standard == nil
	case kindObject:
		return map[string]any{}, p.required
	case kindList:
		return f.list(p)
	}
	if f.searches && !p.required {
		return f.query()
	}
	return f.text(p)
}

// choice is the value of an enumeration that the question names, or the first when there must be one.
func (f *filler) choice(p property) (any, bool) {
	words := keywords(f.ask.text)
	for _, value := range p.enum {
		if s, ok := value.(string); ok && s != "" && slices.Contains(words, stem(strings.ToLower(s))) {
			return value, true
		}
	}
	return p.enum[0], p.required && p.standard == nil
}

// path is a path of the question; a tool that lists or searches gets the current folder.
func (f *filler) path(p property) (any, bool) {
	if value, ok := take(&f.ask.paths); ok {
		return value, true
	}
	if !p.required {
		return nil, false
	}
	for _, word := range keywords(f.tool.Name + " " + p.name) {
		if slices.Contains([]string{"list", "directory", "dir", "folder", "search", "tree", "find"}, word) {
			return ".", true
		}
	}
	return take(&f.ask.quoted)
}

// glob is a pattern of the question, or one for a file that it names.
func (f *filler) glob() (any, bool) {
	if value, ok := take(&f.ask.globs); ok {
		return value, true
	}
	for i, name := range f.ask.paths {
		ending := ""
		if strings.ToUpper(name) == name {
			ending = "*" // README is README.md in most folders
		}
		if path.Ext(name) != "" || ending != "" {
			f.ask.paths = slices.Delete(slices.Clone(f.ask.paths), i, i+1)
			return "**/" + path.Base(name) + ending, true
		}
	}
	return nil, false
}

// lookedFor is what stands behind the words that lead to it: "search for pangolins in the notes".
var lookedFor = pattern(`(?i)\b(?:for|about|named|called|containing|matching|mention(?:s|ing)?|grep|search|find)\s+` +
	`(?:(?:for|the|all|any|files?|lines?|text|word|with|named|called|containing|matching|that|contain|mention)\s+)*(.+?)(?:\s+(?:in|inside|within|under|on)\s+.*)?[?.!]*$`)

// query is what is looked for.
func (f *filler) query() (any, bool) {
	if value, ok := take(&f.ask.quoted); ok {
		return value, true
	}
	if value, ok := take(&f.ask.globs); ok {
		return value, true
	}
	m := lookedFor().FindStringSubmatch(f.ask.text)
	if m == nil || len(keywords(m[1])) == 0 || glob().MatchString(m[1]) || filePath().MatchString(m[1]) {
		return nil, false
	}
	return m[1], true
}

func (f *filler) number(p property) (any, bool) {
	if !p.required {
		return nil, false
	}
	if value, ok := take(&f.ask.numbers); ok {
		return json.Number(value.(string)), true
	}
	if p.minimum != nil && p.standard == nil {
		return *p.minimum, true
	}
	return nil, false
}

func (f *filler) list(p property) (any, bool) {
	if !p.required {
		return nil, false
	}
	for _, list := range []*[]string{&f.ask.paths, &f.ask.quoted, &f.ask.urls} {
		if len(*list) > 0 {
			all := *list
			*list = nil
			return all, true
		}
	}
	return []string{}, p.standard == nil
}

// text is a quoted text, else what follows the word that names the tool: "echo hello" → hello, else the whole question.
func (f *filler) text(p property) (any, bool) {
	if !p.required {
		return nil, false
	}
	if value, ok := take(&f.ask.quoted); ok {
		return value, true
	}
	if p.standard != nil {
		return nil, false
	}
	if _, after, ok := strings.Cut(f.ask.text, ": "); ok && after != "" {
		return strings.TrimSpace(after), true
	}
	_, name := splitName(f.tool.Name)
	named := keywords(name)
	fields := strings.Fields(f.ask.text)
	for i, word := range fields[:max(0, len(fields)-1)] {
		if words := keywords(word); len(words) == 1 && slices.Contains(named, words[0]) {
			return strings.Join(fields[i+1:], " "), true
		}
	}
	if f.ask.place.name != "" && strings.Contains(p.name, "cation") || strings.Contains(p.name, "city") {
		return f.ask.place.name, f.ask.place.name != ""
	}
	return f.ask.text, f.ask.text != ""
}

// take takes the first value of a list away.
func take(list *[]string) (any, bool) {
	if len(*list) == 0 {
		return nil, false
	}
	value := (*list)[0]
	*list = (*list)[1:]
	return value, true
}
