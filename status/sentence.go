package status

import (
	"regexp"
	"strings"
	"sync"
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
	refusedCells  = 90 // where no spaces part words
)

// enough is how much is read of what a model said, in bytes: a sentence stands at one of its ends.
const enough = 8 << 10

// Sentence makes what a model wrote fit the line: one line, at most 10 words and 60 cells, no markdown, quotes, emoji or control characters.
// Nothing is in it that the model did not say. ok is false when nothing sensible is left: no words, a question, JSON, a call of a tool, a refusal,
// the request repeated, thinking, escape sequences.
func Sentence(text string) (s string, ok bool) {
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		text = text[i+len("</think>"):]
	}
	text = strings.TrimSpace(text)
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough], "")
	}
	if sanitize.Text(text) != strings.ReplaceAll(text, "\r\n", "\n") {
		return "", false
	}
	line := plain(firstSentence(withoutPreamble(plain(answerLine(text)))))
	if !sensible(line) {
		return "", false
	}
	line, ok = fit(line)
	return upperFirst(line), ok
}

// FromSaid looks for a sentence in what the model wrote before it called: the last one of its text, else the last heading of its thinking, else
// the last plan in its thinking.
func FromSaid(text, thinking string) (string, bool) {
	if s, ok := Sentence(lastSentence(tail(text))); ok {
		return s, true
	}
	thinking = tail(thinking)
	if headings := heading.FindAllString(thinking, -1); len(headings) > 0 {
		return Sentence(headings[len(headings)-1])
	}
	return lastPlan(thinking)
}

// lastPlan looks in the last sentences of what a model thought for one that says what it is going to do, and leaves out "I should" and the like.
// What else models think is about the user, the tools or themselves.
func lastPlan(thinking string) (string, bool) {
	const looked = 4
	for range looked {
		last := lastSentence(thinking)
		if head := plan().FindString(last); head != "" {
			what := last[len(head):]
			if strings.Trim(what, "。 ") == "" {
				what = last
			}
			if s, ok := Sentence(what); ok && !talk().MatchString(what) {
				return s, true
			}
		}
		thinking = thinking[:max(strings.LastIndex(thinking, last), 0)]
	}
	return "", false
}

// compiled compiles an expression when it is first needed, not at every start.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

var (
	// plan is how a thought begins that says what comes next, also behind a sentence that ends with a number. Japanese verbs say it at the end.
	plan = compiled(`^(?i:(.*\d\. +)?(((so|now|ok(ay)?|alright|first|then|next|therefore|thus|also),? +)*` +
		`((i|we)( should| need to| have to| must| will|['’]ll| can| want to| am going to|['’]m going to)|let me|let['’]s|let us)( now| first| just| also| then| probably)* +` +
		`|(ich|wir) (muss|sollte|werde|will|kann|müssen|sollten|werden) +` +
		`|(ahora |primero |entonces )?(necesito|debo|tengo que|voy a|puedo|debería|déjame) +` +
		`|(那么|所以|首先|现在|接下来)?[，,]?(我(需要|应该|可以|要|来|会|将|先)|让我)先?` +
		`|(まず|次に)?.{0,30}(調べます|確認します|読みます|検索します|探します)))`)

	// talk is a plan to say or think something.
	talk = compiled(`^(?i:(answer|respond|reply|tell|say|explain|think|consider|figure|decide|remember|note|be|make sure|see|ask|output|provide|give|help)\b` +
		`|(die )?(antwort|frage)|(responder|contestar|decir|pensar)|回答|告诉|思考|想)`)
)

// heading is a line of markdown that is a title or nothing but bold.
var heading = regexp.MustCompile(`(?m)^[ \t]*(#{1,6}[ \t].*|\*\*[^*\n]+\*\*:?[ \t]*)$`)

// tail is the end of a long text, from the beginning of a line.
func tail(text string) string {
	if len(text) <= enough {
		return text
	}
	_, text, _ = strings.Cut(text[len(text)-enough:], "\n")
	return text
}

// answerLine is the first line that says something: fences of code and words that only announce what follows say nothing.
func answerLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") && withoutPreamble(plain(line)) != "" {
			return line
		}
	}
	return ""
}

// sensible tells whether a plain line can be a sentence about work.
func sensible(line string) bool {
	first, _ := utf8.DecodeRuneInString(line)
	switch {
	case !strings.ContainsFunc(line, unicode.IsLetter):
		return false
	case !unicode.IsLetter(first) && !unicode.IsNumber(first) && !strings.ContainsRune(openers, first):
		return false
	case strings.ContainsAny(line, "<>{}[]|*=\\\ufffd"), isCall(line), isQuestion(line), isOther(line):
		return false
	}
	words := len(strings.Fields(line))
	if !strings.ContainsFunc(line, wordless) {
		return words > 1 && words < refusedWords // "OK" says nothing
	}
	return words < refusedWords && utf8.RuneCountInString(line) >= 4 && ansi.StringWidthWc(line) <= refusedCells
}

// wordless letters may make a whole sentence without a space.
func wordless(r rune) bool {
	return unspaced(r) || unicode.In(r, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// fit cuts a line where a word or a clause ends, marked with "…". ok is false when not even the first word fits.
func fit(line string) (s string, ok bool) {
	const roomy = 10 // cells at the end that are worth a part of a long word
	words := strings.Fields(line)
	if len(words) <= sentenceWords && ansi.StringWidthWc(line) <= sentenceCells {
		return line, true
	}
	for _, word := range words[:min(len(words), sentenceWords)] {
		longer := strings.TrimSpace(s + " " + word)
		if ansi.StringWidthWc(longer) < sentenceCells { // the mark needs one
			s = longer
			continue
		}
		if strings.ContainsFunc(word, wordless) && ansi.StringWidthWc(s) < sentenceCells-roomy {
			return cutClause(longer), true
		}
		break
	}
	if s = strings.TrimRight(s, pauses+"–—-.… "); s == "" {
		return "", false
	}
	return s + "…", true
}

// pauses end a clause.
const pauses = ",;:、，；：·"

// cutClause cuts a line whose words no spaces part: after a clause if one ends in its second half, else not inside a number or a Latin word.
func cutClause(line string) string {
	head := ansi.TruncateWc(line, sentenceCells-1, "")
	if i := strings.LastIndexAny(head, pauses); i > len(head)/2 {
		return head[:i] + "…"
	}
	next, _ := utf8.DecodeRuneInString(line[len(head):])
	if inWord(next) {
		head = strings.TrimRightFunc(head, inWord)
	}
	return strings.TrimRight(head, pauses+" ") + "…"
}

func inWord(r rune) bool {
	return r == '_' || r == '.' || unicode.IsDigit(r) || unicode.IsLetter(r) && !wordless(r)
}

// upperFirst begins a sentence with a capital, unless its first word is a name that is not written so: main.go, npm.
func upperFirst(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) || strings.ContainsRune("./:_@", r) }) ||
		spelling[word] == word {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToTitle(r)) + s[n:]
}
