package demo

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// running is how the status line asks: which tool runs, and with what.
var running = pattern(`(?s)\btool "((?:[^"\\]|\\.)*)" with the arguments (\{.*\})`)

// sentence answers the status line's quick request for a few words about what is being done.
func sentence(req provider.Request) string {
	if n := len(req.Messages); n > 0 {
		if m := running().FindStringSubmatch(req.Messages[n-1].Text); m != nil {
			return activity(m[1], json.RawMessage(m[2]))
		}
	}
	return "Working on the question"
}

// activity says in a few words what a call does: "Looking up the current time in Tokyo".
func activity(tool string, arguments json.RawMessage) string {
	var values map[string]any
	_ = json.Unmarshal(arguments, &values)
	words, what := keywords(tool), subject(values)
	is := func(any ...string) bool {
		return slices.ContainsFunc(any, func(word string) bool { return slices.Contains(words, stem(word)) })
	}
	switch {
	case values["zone"] != nil || values["timezone"] != nil:
		return "Looking up the current time" + after(" in ", what)
	case is("now", "time", "clock"):
		return "Looking up the current time"
	case is("fetch", "download"):
		return "Fetching" + after(" ", what)
	case is("search", "find", "grep"):
		return "Searching" + after(" for ", what)
	case is("list", "directory"):
		return "Listing the folder" + after(" ", strings.TrimSuffix(what, "."))
	case is("read"):
		return "Reading" + after(" ", what)
	case is("write", "create", "edit", "delete", "move"):
		return "Changing" + after(" ", what)
	}
	return "Using " + title(tool)
}

// after is what with the words in front of it, or nothing.
func after(words, what string) string {
	if what == "" {
		return ""
	}
	return words + what
}

// subject is the value a call is about, short.
func subject(values map[string]any) string {
	for _, key := range []string{"zone", "timezone", "url", "text", "glob", "pattern", "query", "path", "file", "directory"} {
		s, ok := values[key].(string)
		if !ok || s == "" {
			continue
		}
		switch u, err := url.Parse(s); {
		case key == "zone" || key == "timezone":
			s = placeName(s)
		case key == "url" && err == nil && u.Host != "":
			s = u.Host
		}
		return cut(firstLine(s), 30)
	}
	return ""
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimRight(cut(line, 160), ".")
}

// cut shortens s to n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
