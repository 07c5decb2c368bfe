package status

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/sanitize"
)

// Style says how a running tool is shown.
type Style string

// The styles, as the configuration names them.
const (
	StyleSentence Style = "sentence" // "Looking up the user in the database", once a sentence is there
	StyleName     Style = "name"     // "Using Get User…", always
)

// What fits the line. A sentence that is a few words longer is cut; a much longer one answers another question.
const (
	sentenceWords = 10
	sentenceCells = 60
	refusedWords  = 15
	refusedCells  = 90 // in scripts without spaces
)

// mostRead is how many bytes are read of what a model said: a sentence stands at one of its ends.
const mostRead = 8 << 10

// Sentence makes what a model wrote fit the line: one line, at most 10 words and 60 cells, without markdown, quotes, emoji or control characters.
// It adds nothing to what the model said. ok is false when no sentence about work is left: a question, JSON, a call, a refusal, thinking,
// the request repeated, escape sequences.
func Sentence(text string) (s string, ok bool) {
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		text = text[i+len("</think>"):]
	}
	text = sanitize.Cut(strings.TrimSpace(text), mostRead)
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

// lastPlan looks in the last sentences of the thinking for one that says what the model is about to do, and leaves out "I should" and the like.
// Other thoughts are about the user, the tools or the model itself.
func lastPlan(thinking string) (string, bool) {
	const looked = 4
	for range looked {
		last := lastSentence(thinking)
		if head := plan().FindString(last); head != "" {
			what := last[len(head):]
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
	// plan is how a thought about the next step begins, also behind a sentence that ends with a number.
	plan = compiled(`^(?i:(.*\d\. +)?((so|now|ok(ay)?|alright|first|then|next|therefore|thus|also),? +)*` +
		`((i|we)( should| need to| have to| must| will|['’]ll| can| want to| am going to|['’]m going to)|let me|let['’]s|let us)( now| first| just| also| then| probably)* +)`)

	// talk is a plan to say or think something.
	talk = compiled(`^(?i:(answer|respond|reply|tell|say|explain|think|consider|figure|decide|remember|note|be|make sure|see|ask|output|provide|give|help)\b)`)
)

// heading is a line of markdown that is a title or nothing but bold.
var heading = regexp.MustCompile(`(?m)^[ \t]*(#{1,6}[ \t].*|\*\*[^*\n]+\*\*:?[ \t]*)$`)

// tail is the end of a long text, from the beginning of a line.
func tail(text string) string {
	if len(text) <= mostRead {
		return text
	}
	_, text, _ = strings.Cut(text[len(text)-mostRead:], "\n")
	return text
}

// answerLine is the first line that says something: code fences and announcements of what follows do not.
func answerLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") && withoutPreamble(plain(line)) != "" {
			return line
		}
	}
	return ""
}

// sensible reports whether a plain line can be a sentence about work. Lines of which that is not certain pass.
func sensible(line string) bool {
	first, _ := utf8.DecodeRuneInString(line)
	switch {
	case !strings.ContainsFunc(line, unicode.IsLetter):
		return false
	case !unicode.IsLetter(first) && !unicode.IsNumber(first) && !strings.ContainsRune(openers, first):
		return false
	case strings.ContainsAny(line, "<>{}[]|*=\\\ufffd"), isCall(line), question.MatchString(line), chatter().MatchString(line):
		return false
	}
	words := len(strings.Fields(line))
	if !strings.ContainsFunc(line, wordless) {
		return words > 1 && words < refusedWords // "OK" says nothing
	}
	return words < refusedWords && utf8.RuneCountInString(line) >= 4 && ansi.StringWidthWc(line) <= refusedCells
}

// isCall reports whether a line is a tool call that was printed instead of made, or a label of one.
func isCall(line string) bool {
	return call.MatchString(strings.ReplaceAll(line, "(s)", "")) || callLabel.MatchString(line) || entity.MatchString(line) ||
		identifier.MatchString(line) || strings.Contains(line, " --")
}

var (
	call       = regexp.MustCompile(`\w\(`) // get_user(id
	callLabel  = regexp.MustCompile(`^(?i:(tool|function)([ _]?(calls?|name|use))?|action( input)?|arguments?|parameters?|args|input|thought|observation|final answer|name|call)\s*[:：]`)
	identifier = regexp.MustCompile(`^[a-zA-Z]\w*_\w*(\s|$)`) // get_user id 3
	entity     = regexp.MustCompile(`&#?\w+;`)
	question   = regexp.MustCompile(`[?？؟;]["”’)」』]*$|^¿`)

	// chatter is about something other than the work: thinking without its tags, refusals and offers, the request said again.
	chatter = compiled(`(?i)^((so|now|first|then)?,? ?the (user|human|prompt|instructions?|task|system prompt)(['’]s (message|question|request)|` +
		` (wants?|asks?|asked|needs?|said|says|requests?|requested|would like|wrote|is (asking|requesting|looking|trying|to)|has (asked|requested)))\b|` +
		`(we|i) (need|have|must|should|ought)( to)? (output|write|produce|answer|respond|say|tell|give|generate|provide|craft|describe)|` +
		`(hmm+|wait|actually|well|so|let's see)[,.…]|hmm+\b|let me think|(so )?we (need|are asked|should|must)\b|my task|i'm (asked|supposed)|` +
		`as an? (ai|large|language)|(i('m| am) )?(very |so )?sorry|i (can ?not|can['’]t|could not|couldn['’]t|won['’]t|will not|do not|don['’]t|am unable|` +
		`am not able|apologi[sz]e)|i['’]m (unable|not able|an ai)|unfortunately|apologies|(i('d| would) be |i['’]m )?(happy|glad) to|i can help|how can i|thank you|thanks|` +
		`no problem|you['’]re welcome|(hello|hi)( there|,)|` +
		`(you are now|tell the user|write (only|it in|this sentence)|in one sentence|in the language of))|present participle|no (quotes|markdown|tool call)|at most \d+ words`)
)

// wordless letters may make a whole sentence without a space.
func wordless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// fit cuts a line where a word or a clause ends, marked with "…". ok is false when not even the first word fits.
func fit(line string) (s string, ok bool) {
	const pauses = ",;:、，；：·"
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
		if strings.ContainsFunc(word, wordless) {
			s = ansi.TruncateWc(longer, sentenceCells-1, "")
			if i := strings.LastIndexAny(s, pauses); i > len(s)/2 {
				s = s[:i]
			}
		}
		break
	}
	if s = strings.TrimRight(s, pauses+"–—-.… "); s == "" {
		return "", false
	}
	return s + "…", true
}

// upperFirst begins a sentence with a capital, unless its first word is a name that is not written so: main.go, npm.
func upperFirst(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) || strings.ContainsRune("./:_@", r) }) ||
		word != "" && word[0] < utf8.RuneSelf && mcpclient.Title("", word) == word {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToTitle(r)) + s[n:]
}

// openers and closers are quotes; a mark that is used for both is in both.
const (
	openers = `"'“”„‟«»‹›‘’‚「『〝《`
	closers = `"'“”«»‹›‘’」』〞〟》`
)

// plain takes markup, emoji, quotes and closing punctuation off a line.
func plain(line string) string {
	line = bullet.ReplaceAllString(line, "")
	line = strings.NewReplacer("**", "", "__", "", "`", "").Replace(line)
	line = emphasis.ReplaceAllString(line, "$1")
	if strings.ContainsFunc(line, isPicture) { // joiners go with them; without pictures, letters need them
		line = strings.Map(withoutPictures, line)
	}
	line = sanitize.Line(line)
	for {
		was := line
		line = strings.TrimSpace(line)
		line = strings.TrimRight(line, ".…:;,!。．！：；，、")
		line = strings.TrimLeft(line, "¡…,;:.。、，")
		line = unquoted(strings.Trim(line, "*_"))
		if line == was {
			return line
		}
	}
}

// bullet is what a line of markdown may begin with: a quote, a heading, a list.
var bullet = regexp.MustCompile(`^[ \t]*((>|#{1,6}|[-*+•]|\d{1,2}[.)])[ \t]+)*`)

var emphasis = regexp.MustCompile(`\*([^*\s](?:[^*]*[^*\s])?)\*`)

// isPicture reports whether r is an emoji or the like.
func isPicture(r rune) bool { return r >= 0x2300 && unicode.Is(unicode.So, r) }

func withoutPictures(r rune) rune {
	const joiner, asPicture, keycap, skinFirst, skinLast = 0x200d, 0xfe0f, 0x20e3, 0x1f3fb, 0x1f3ff
	if isPicture(r) || r == joiner || r == asPicture || r == keycap || r >= skinFirst && r <= skinLast {
		return -1
	}
	return r
}

// unquoted takes off quotes around the whole line, and a single quote whose other end was never written.
func unquoted(line string) string {
	first, n := utf8.DecodeRuneInString(line)
	last, m := utf8.DecodeLastRuneInString(line)
	opens, closes := n > 0 && strings.ContainsRune(openers, first), m > 0 && strings.ContainsRune(closers, last)
	switch {
	case opens && closes && len(line) > n:
		if inner := line[n : len(line)-m]; !hasQuote(inner) {
			return inner
		}
	case opens && !hasQuote(line[n:]):
		return line[n:]
	case closes && last != '\'' && last != '’' && !hasQuote(line[:len(line)-m]):
		return line[:len(line)-m]
	}
	return line
}

// hasQuote finds quotes other than apostrophes within words.
func hasQuote(s string) bool {
	return strings.ContainsAny(s, `"“”„‟«»‹›「」『』〝〞〟《》`)
}

// withoutPreamble takes words off a plain line that come before what was asked for: "Sure! ", "Here is the sentence: ", "Status: ".
func withoutPreamble(line string) string {
	for {
		was := line
		if line = preamble().ReplaceAllString(line, ""); line == was {
			return line
		}
		line = plain(line)
	}
}

// preamble is politeness, an announcement that the sentence follows, or a label.
var preamble = compiled(`^(?i:(sure( thing)?|ok(ay)?|certainly|of course|absolutely|alright|all right|great|got it|yes|right|understood|perfect)([!,.:]+\s*|$)|` +
	`(here('s| is| are| you go)|(this|that) is|below is)[^:：]*([:：]\s*|$)|` +
	`(sentence|status( message| line)?|answer|response|output|assistant)\s*([:：]\s*|$))`)

// firstSentence is the first sentence of a line, with the mark at its end.
func firstSentence(line string) string {
	if ends := sentenceEnds(line); len(ends) > 0 {
		return line[:ends[0]]
	}
	return line
}

// lastSentence is the last sentence of the last line that says anything.
func lastSentence(text string) string {
	text = strings.TrimSpace(text)
	text = strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	body := strings.TrimRight(text, ".!?:…。！？：*_\"”’»」』) ")
	if ends := sentenceEnds(body); len(ends) > 0 {
		return text[ends[len(ends)-1]:]
	}
	return text
}

// sentenceEnds are the indexes behind the marks that end a sentence but not the line.
func sentenceEnds(line string) []int {
	var ends []int
	for _, m := range sentenceEnd.FindAllStringIndex(line, -1) {
		if m[1] < len(line) && !abbreviation.MatchString(line[:m[0]+1]) {
			ends = append(ends, m[1])
		}
	}
	return ends
}

var (
	sentenceEnd  = regexp.MustCompile(`[.!?…]["”’»')*]*\s+|[。！？]["”’」』）]*`)
	abbreviation = regexp.MustCompile(`(?i)(^|[\s(])(dr|mr|mrs|ms|st|vs|no|prof|approx|ca|e\.g|i\.e|\d+|\pL)\.$`)
)
