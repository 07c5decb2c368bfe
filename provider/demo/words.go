package demo

import (
	"slices"
	"strings"
)

// related are words that mean one another when people ask for things.
var related = map[string][]string{
	"time":      {"now", "clock"},
	"clock":     {"now", "time"},
	"late":      {"now", "time", "clock"},
	"hour":      {"now", "time", "clock"},
	"date":      {"now", "clock", "time"},
	"today":     {"now", "date", "clock"},
	"day":       {"now", "date", "clock"},
	"open":      {"read", "file"},
	"show":      {"read"},
	"content":   {"read", "file"},
	"say":       {"read", "echo"},
	"explain":   {"read", "file"},
	"summarize": {"read"},
	"cat":       {"read", "file"},
	"ls":        {"list", "directory"},
	"folder":    {"directory", "list"},
	"here":      {"directory", "list"},
	"files":     {"list", "directory", "file"},
	"find":      {"search"},
	"look":      {"search"},
	"where":     {"search"},
	"grep":      {"search"},
	"mention":   {"search", "text"},
	"contain":   {"search", "text"},
	"web":       {"fetch"},
	"page":      {"fetch"},
	"site":      {"fetch"},
	"website":   {"fetch"},
	"url":       {"fetch"},
	"download":  {"fetch"},
	"get":       {"fetch"},
	"plus":      {"add", "sum"},
	"add":       {"sum"},
	"sum":       {"add"},
	"repeat":    {"echo"},
	"save":      {"write"},
	"new":       {"create"},
	"remove":    {"delete"},
}

// meanings are the words of a text with their weights: 10 for the words themselves, less for related ones.
func meanings(text string) map[string]int {
	out := map[string]int{}
	plain := notWord().ReplaceAllString(strings.ToLower(text), " ")
	for word := range strings.FieldsSeq(plain) {
		for _, other := range slices.Concat(related[word], related[stem(word)]) {
			out[stem(other)] = 7
		}
	}
	for _, word := range keywords(text) {
		out[word] = 10
	}
	return out
}

var (
	notWord = pattern(`[^\p{L}\p{N}]+`)
	camel   = pattern(`(\p{Ll})(\p{Lu})`)
)

// fillers say nothing about what a tool does.
var fillers = strings.Fields(`a an the of to in on at for from by with is are was be it its this that these those what which who how do does did
	can could would will you your me my i we us and or not no please tell give if then than as there`)

// keywords are the words of a text that say something, each once, in their stem: "getFiles" → get, file.
func keywords(text string) []string {
	text = strings.ToLower(camel().ReplaceAllString(text, "$1 $2"))
	var out []string
	for word := range strings.FieldsSeq(notWord().ReplaceAllString(text, " ")) {
		if slices.Contains(fillers, word) {
			continue
		}
		if word = stem(word); !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// stem takes the usual endings off.
func stem(word string) string {
	for _, ending := range []string{"ing", "ies", "ed", "es", "s"} {
		if base, ok := strings.CutSuffix(word, ending); ok && len(base) >= 3 && !strings.HasSuffix(word, "ss") {
			return strings.TrimSuffix(base, "e")
		}
	}
	if len(word) > 3 {
		word = strings.TrimSuffix(word, "e") // file, files; time, times
	}
	return word
}
