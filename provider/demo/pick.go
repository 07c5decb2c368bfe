package demo

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// candidate is a tool that may do what is asked, with arguments that fit its schema.
type candidate struct {
	tool      provider.ToolSpec
	arguments json.RawMessage
	score     int
}

const (
	enough   = 25 // the score from which a tool is worth a call
	fallback = 15 // the score from which it is worth one when a better one failed
)

// pick ranks the tools for what is asked, the best first. Only those are in it whose required arguments can be filled.
func pick(a ask, tools []provider.ToolSpec) []candidate {
	var out []candidate
	for _, tool := range tools {
		s := parseSchema(tool.Schema)
		points := score(a, tool, s)
		if points < fallback {
			continue
		}
		if arguments, ok := fill(a, tool, s); ok {
			out = append(out, candidate{tool, arguments, points})
		}
	}
	slices.SortStableFunc(out, func(x, y candidate) int { return cmp.Compare(y.score, x.score) })
	if len(out) > 0 && out[0].score < enough {
		return nil
	}
	return out
}

// score says how well a tool fits: by the words it shares with the question, and by what it could do with the values in it.
func score(a ask, tool provider.ToolSpec, s schema) int {
	server, name := splitName(tool.Name)
	inServer, inName, inText := keywords(server), keywords(name), keywords(opening(tool.Description))
	points, described := 0, 0
	for word, weight := range meanings(a.like + " " + a.text) {
		if slices.Contains(inName, word) {
			points += 3 * weight
		}
		if slices.Contains(inServer, word) {
			points += weight
		}
		if slices.Contains(inText, word) {
			described += weight
		}
	}
	points += min(described, 30) + uses(a, s)
	if verb := keywords(a.text); len(verb) > 0 && slices.Contains(inName, verb[0]) {
		points += 20 // "search for …": the first word says what to do
	}
	if searches(tool.Name) && (len(a.quoted) > 0 || looksFor(a.text)) {
		points += 20
	}
	if searches(tool.Name) && len(a.paths) > 0 {
		points += 5 // what cannot be read may be found
	}
	if strings.Contains(strings.ToLower(a.text), strings.ToLower(tool.Name)) {
		points += 80
	}
	if !tool.ReadOnly && !wantsEffect(a.like+" "+a.text) {
		points -= 20
	}
	return points
}

// uses are points for the values of the question that the tool has a place for.
func uses(a ask, s schema) int {
	points, numbers := 0, 0
	var hasURL, hasPath bool
	for _, p := range s.properties {
		switch p.kind() {
		case kindZone:
			if a.place.zone != "" && aboutTime(a.like+" "+a.text) {
				points += 30
			}
		case kindURL:
			hasURL = true
		case kindPath:
			hasPath = true
		case kindNumber:
			if p.required {
				numbers++
			}
		}
	}
	if len(a.urls) > 0 && hasURL {
		points += 40
	}
	if len(a.urls) > 0 && !hasURL {
		points -= 20
	}
	if len(a.paths) > 0 && hasPath {
		points += 20
	}
	if numbers > 0 && len(a.numbers) >= numbers {
		points += 15 * numbers
	}
	return points
}

func aboutTime(text string) bool {
	m := meanings(text)
	return m["time"] > 0 || m["clock"] > 0 || m["zone"] > 0
}

// looksFor says whether a question is about what is in files and not about files.
func looksFor(text string) bool {
	return slices.ContainsFunc(keywords(text), func(word string) bool {
		return slices.Contains([]string{"search", "find", "grep", "mention", "contain"}, word)
	})
}

// effects are words of people who want something changed.
var effects = []string{"write", "create", "delete", "remove", "edit", "move", "rename", "add", "set", "send", "save", "append", "update",
	"make", "put", "store", "remember", "start", "run", "toggle", "trigger", "simulate", "echo", "use", "call"}

func wantsEffect(text string) bool {
	for _, word := range keywords(text) {
		if slices.Contains(effects, word) || slices.ContainsFunc(effects, func(e string) bool { return stem(e) == word }) {
			return true
		}
	}
	return false
}

// splitName parts a name towards the model into the server and its tool: "files__read_file".
func splitName(name string) (server, tool string) {
	if server, tool, ok := strings.Cut(name, "__"); ok && tool != "" {
		return server, tool
	}
	return "", name
}
