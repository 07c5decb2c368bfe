package demo

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// shortReply is the length from which a request is one for an answer. The status line's own are for a sentence.
const shortReply = 64

// running is how the status line asks: which tool runs, and with what.
var running = pattern(`(?s)\btool "((?:[^"\\]|\\.)*)" with the arguments (\{.*\})`)

// isSentence says whether req is the status line's quick request for a few words about what is being done.
func isSentence(req provider.Request) bool {
	if req.MaxTokens == 0 || req.MaxTokens > shortReply || len(req.Messages) == 0 {
		return false
	}
	last := req.Messages[len(req.Messages)-1]
	return last.Role == provider.RoleUser && strings.Contains(last.Text, "sentence")
}

// sentence answers such a request.
func sentence(req provider.Request) string {
	m := running().FindStringSubmatch(req.Messages[len(req.Messages)-1].Text)
	if m == nil {
		return "Working on the question"
	}
	return activity(m[1], json.RawMessage(m[2]))
}

// activity says in a few words what a call does: "Looking up the current time in Tokyo".
func activity(tool string, arguments json.RawMessage) string {
	var values map[string]any
	_ = json.Unmarshal(arguments, &values)
	words := keywords(tool)
	is := func(any ...string) bool {
		for _, w := range any {
			for _, word := range words {
				if word == stem(w) {
					return true
				}
			}
		}
		return false
	}
	what := subject(values)
	switch {
	case values["zone"] != nil || values["timezone"] != nil:
		return join("Looking up the current time in", what)
	case is("now", "time", "clock"):
		return "Looking up the current time"
	case is("fetch", "download"):
		return join("Fetching", what)
	case is("search", "find", "grep"):
		return join("Searching for", what)
	case is("list", "directory"):
		return "Listing the folder" + strings.TrimSuffix(" "+what, " .")
	case is("read"):
		return join("Reading", what)
	case is("write", "create", "edit", "delete", "move"):
		return join("Changing", what)
	}
	return "Using " + title(tool)
}

func join(verb, what string) string {
	if what == "" {
		return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(verb, " in"), " for"), " at")
	}
	return verb + " " + what
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
