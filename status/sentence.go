package status

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/charmbracelet/x/ansi"
)

// Style says how a running tool is told.
type Style string

// The styles, as the configuration names them.
const (
	StyleSentence Style = "sentence" // "Looking up the user in the database", once a sentence is there
	StyleName     Style = "name"     // "Using Get User…", always
)

// What fits the line. A sentence of a few words more is cut; one that is longer still is an answer to another question.
const (
	sentenceWords = 10
	sentenceCells = 60
	refusedWords  = 15
)

// Sentence makes what a model wrote fit the line: one line, at most 10 words and 60 cells, no markdown, quotes or control characters.
// ok is false when nothing sensible is left: no words, a question, JSON, a call of a tool, unfinished thinking, escape sequences.
func Sentence(text string) (s string, ok bool) {
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		text = text[i+len("</think>"):]
	}
	if sanitize.Text(text) != strings.ReplaceAll(text, "\r\n", "\n") {
		return "", false
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = sanitize.Line(plain(line))
	if !sensible(line) {
		return "", false
	}
	line, ok = fit(line)
	return upperFirst(line), ok
}

// FromSaid looks for a sentence in what the model wrote before it called: the last one of its text, else the last heading of its thinking.
func FromSaid(text, thinking string) (string, bool) {
	if s, ok := Sentence(lastSentence(text)); ok {
		return s, true
	}
	headings := heading.FindAllString(thinking, -1)
	if len(headings) == 0 {
		return "", false
	}
	return Sentence(headings[len(headings)-1])
}

// heading is a line of markdown that is a title or nothing but bold.
var heading = regexp.MustCompile(`(?m)^[ \t]*(#{1,6}[ \t].*|\*\*[^*\n]+\*\*:?[ \t]*)$`)

// lastSentence is the last sentence of the last line that says anything.
func lastSentence(text string) string {
	text = strings.TrimSpace(text)
	text = strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	end := len(strings.TrimRight(text, ".!?:…。！？"))
	if ends := sentenceEnd.FindAllStringIndex(text[:end], -1); len(ends) > 0 {
		return text[ends[len(ends)-1][1]:]
	}
	return text
}

var sentenceEnd = regexp.MustCompile(`[.!?…]["”')*]*[ \t]+|[。！？]`)

// plain takes markup, quotes and closing punctuation off a line.
func plain(line string) string {
	line = bullet.ReplaceAllString(line, "")
	line = strings.NewReplacer("**", "", "__", "", "`", "").Replace(line)
	for {
		was := line
		line = strings.TrimSpace(line)
		line = strings.TrimRight(line, ".…:;,!。！")
		line = strings.Trim(line, `"'“”„‘’«»「」*_`)
		if line == was {
			return line
		}
	}
}

// bullet is what a line of markdown may begin with: a quote, a heading, a list.
var bullet = regexp.MustCompile(`^[ \t]*((>|#{1,6}|[-*+•]|\d{1,2}[.)])[ \t]+)*`)

// sensible tells whether a plain line can be a sentence about work.
func sensible(line string) bool {
	switch {
	case !strings.ContainsFunc(line, unicode.IsLetter):
		return false
	case strings.ContainsAny(line, "<>{}[]|*=\\\ufffd"), call.MatchString(line):
		return false
	case strings.HasSuffix(line, "?"), strings.HasSuffix(line, "？"):
		return false
	}
	words := len(strings.Fields(line))
	ascii := !strings.ContainsFunc(line, func(r rune) bool { return r >= utf8.RuneSelf })
	return words < refusedWords && (words > 1 || !ascii) // "OK" says nothing, but not every script parts its words
}

// call looks like code that calls something: get_user(id.
var call = regexp.MustCompile(`\w\(`)

// fit cuts a line at the end of a word, marked with "…". ok is false when not even the first word fits.
func fit(line string) (s string, ok bool) {
	words := strings.Fields(line)
	cut := len(words) > sentenceWords
	words = words[:min(len(words), sentenceWords)]
	for len(words) > 0 {
		s = strings.Join(words, " ")
		if cut {
			s = strings.TrimRight(s, ",;:.…-–—") + "…"
		}
		if ansi.StringWidthWc(s) <= sentenceCells {
			return s, s != "…"
		}
		cut = true
		words = words[:len(words)-1]
	}
	return "", false
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
