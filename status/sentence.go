package status

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
)

// Style is how a running tool is shown.
type Style string

// The styles, as the configuration names them.
const (
	StyleSentence Style = "sentence" // `Find User · "Looking up the user in the database"`, once a sentence is there
	StyleName     Style = "name"     // "Using Find User…", always
)

// A slightly longer sentence is truncated. A much longer one is refused, because it is not about the work.
const (
	sentenceWords = 10
	sentenceCells = 60
	refusedWords  = 15
	refusedCells  = 90 // in scripts without spaces
)

// mostRead is how many bytes of a model's text are read, from either end.
const mostRead = 8 << 10

// sentenceOf makes a model's text fit the line: one line, at most 10 words and 60 cells, without Markdown, quotes,
// emoji or control characters. ok is false if it is not a sentence about the work but a question, JSON, a call, a
// refusal, thinking, the request repeated, or has escape sequences.
func sentenceOf(text string) (s string, ok bool) {
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		text = text[i+len("</think>"):]
	}
	text = sanitize.Cut(strings.TrimSpace(text), mostRead)
	if sanitize.Text(text) != strings.ReplaceAll(text, "\r\n", "\n") {
		return "", false
	}
	line := withoutPreamble(plain(answerLine(text)))
	if ends := sentenceEnds(line); len(ends) > 0 {
		line = line[:ends[0]]
	}
	if line = plain(line); !sensible(line) {
		return "", false
	}
	line, ok = fit(line)
	return upperFirst(line), ok
}

// fromText looks for a sentence about a call at the end of the model's text before it.
func fromText(text string) (string, bool) { return sentenceOf(lastSentence(tail(text))) }

// fromThinking looks for a sentence in the model's thinking before a call: the last heading, or else the last plan.
func fromThinking(thinking string) (string, bool) {
	thinking = tail(thinking)
	if headings := heading().FindAllString(thinking, -1); len(headings) > 0 {
		return sentenceOf(headings[len(headings)-1])
	}
	return lastPlan(thinking)
}

// lastPlan looks in the last sentences of the thinking for one about the model's next step, and drops "I should" and
// similar words.
func lastPlan(thinking string) (string, bool) {
	const looked = 4
	for range looked {
		last := lastSentence(thinking)
		if head := plan().FindString(last); head != "" {
			what := last[len(head):]
			if s, ok := sentenceOf(what); ok && !talk().MatchString(what) {
				return s, true
			}
		}
		thinking = thinking[:max(strings.LastIndex(thinking, last), 0)]
	}
	return "", false
}

var (
	// plan matches the beginning of a thought about the next step, also after a sentence that ends with a number.
	plan = sanitize.Pattern(`^(?i:(.*\d\. +)?((so|now|ok(ay)?|alright|first|then|next|therefore|thus|also),? +)*` +
		`((i|we)( should| need to| have to| must| will|['’]ll| can| want to| am going to|['’]m going to)|` +
		`let me|let['’]s|let us)( now| first| just| also| then| probably)* +)`)

	// talk matches a plan to say or think something.
	talk = sanitize.Pattern(`^(?i:(answer|respond|reply|tell|say|explain|think|consider|figure|decide|remember|note|` +
		`be|make sure|see|ask|output|provide|give|help)\b)`)
)

// heading matches a Markdown heading, or a line in bold.
var heading = sanitize.Pattern(`(?m)^[ \t]*(#{1,6}[ \t].*|\*\*[^*\n]+\*\*:?[ \t]*)$`)

// tail returns the end of a long text, from the beginning of a line.
func tail(text string) string {
	if len(text) <= mostRead {
		return text
	}
	_, text, _ = strings.Cut(text[len(text)-mostRead:], "\n")
	return text
}

// answerLine returns the first line that is not a code fence or a preamble.
func answerLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		isFence := strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
		if !isFence && withoutPreamble(plain(line)) != "" {
			return line
		}
	}
	return ""
}

// sensible reports whether a plain line may be a sentence about the work.
func sensible(line string) bool {
	first, _ := utf8.DecodeRuneInString(line)
	switch {
	case !strings.ContainsFunc(line, unicode.IsLetter):
		return false
	case !unicode.IsLetter(first) && !unicode.IsNumber(first) && !strings.ContainsRune(openers, first):
		return false
	case strings.ContainsAny(line, "<>{}[]|*=\\\ufffd"), strings.Contains(line, " --"),
		call().MatchString(strings.ReplaceAll(line, "(s)", "")), callLabel().MatchString(line),
		entity().MatchString(line), identifier().MatchString(line): // a printed call, or its label
		return false
	case question().MatchString(line), chatter().MatchString(line):
		return false
	}
	words := len(strings.Fields(line))
	if !strings.ContainsFunc(line, wordless) {
		return words > 1 && words < refusedWords // "OK" says nothing
	}
	return words < refusedWords && utf8.RuneCountInString(line) >= 4 && ansi.StringWidthWc(line) <= refusedCells
}

var (
	call      = sanitize.Pattern(`\w\(`) // get_user(id
	callLabel = sanitize.Pattern(`^(?i:(tool|function)([ _]?(calls?|name|use))?|action( input)?|arguments?|` +
		`parameters?|args|input|thought|observation|final answer|name|call)\s*[:：]`)
	identifier = sanitize.Pattern(`^[a-zA-Z]\w*_\w*(\s|$)`) // get_user id 3
	entity     = sanitize.Pattern(`&#?\w+;`)
	question   = sanitize.Pattern(`[?？؟;]["”’)」』]*$|^¿`)

	// chatter matches text that is not about the work: thinking without tags, refusals, offers, the request repeated.
	chatter = sanitize.Pattern(`(?i)^((so|now|first|then)?,? ?the (user|human|prompt|instructions?|task|system prompt)` +
		`(['’]s (message|question|request)|` +
		` (wants?|asks?|asked|needs?|said|says|requests?|requested|would like|wrote|` +
		`is (asking|requesting|looking|trying|to)|has (asked|requested)))\b|` +
		`(we|i) (need|have|must|should|ought)( to)? ` +
		`(output|write|produce|answer|respond|say|tell|give|generate|provide|craft|describe)|` +
		`(hmm+|wait|actually|well|so|let's see)[,.…]|hmm+\b|let me think|(so )?we (need|are asked|should|must)\b|` +
		`my task|i'm (asked|supposed)|as an? (ai|large|language)|(i('m| am) )?(very |so )?sorry|` +
		`i (can ?not|can['’]t|could not|couldn['’]t|won['’]t|will not|do not|don['’]t|am unable|am not able|apologi[sz]e)|` +
		`i['’]m (unable|not able|an ai)|unfortunately|apologies|(i('d| would) be |i['’]m )?(happy|glad) to|` +
		`i can help|how can i|thank you|thanks|` +
		`no problem|you['’]re welcome|(hello|hi)( there|,)|` +
		`(you are now|tell the user|write (only|it in|this sentence)|in one sentence|in the language of))|` +
		`present participle|no (quotes|markdown|tool call)|at most \d+ words`)
)

// wordless reports whether r is of a script that writes sentences without spaces.
func wordless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// fit truncates a line after a word or a clause, marked with "…". ok is false if not even the first word fits.
func fit(line string) (s string, ok bool) {
	const pauses = ",;:、，；：·"
	words := strings.Fields(line)
	if len(words) <= sentenceWords && ansi.StringWidthWc(line) <= sentenceCells {
		return line, true
	}
	for _, word := range words[:min(len(words), sentenceWords)] {
		longer := strings.TrimSpace(s + " " + word)
		if ansi.StringWidthWc(longer) < sentenceCells { // "…" needs one
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

// upperFirst capitalizes the first word, unless it is a name such as main.go or npm.
func upperFirst(s string) string {
	word, _, _ := strings.Cut(s, " ")
	inName := func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) || strings.ContainsRune("./:_@", r) }
	isTitle := word != "" && word[0] < utf8.RuneSelf && mcpclient.Title("", word) == word
	if strings.ContainsFunc(word, inName) || isTitle {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToTitle(r)) + s[n:]
}

// openers and closers are quotation marks. Some are both.
const (
	openers = `"'“”„‟«»‹›‘’‚「『〝《`
	closers = `"'“”«»‹›‘’」』〞〟》`
)

// plain removes markup, emoji, quotes and closing punctuation from a line.
func plain(line string) string {
	line = bullet().ReplaceAllString(line, "")
	line = strings.NewReplacer("**", "", "__", "", "`", "").Replace(line)
	line = emphasis().ReplaceAllString(line, "$1")
	if strings.ContainsFunc(line, isPicture) { // only after an emoji, because letters need joiners
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

// bullet matches the beginning of a Markdown quote, heading or list item.
var bullet = sanitize.Pattern(`^[ \t]*((>|#{1,6}|[-*+•]|\d{1,2}[.)])[ \t]+)*`)

var emphasis = sanitize.Pattern(`\*([^*\s](?:[^*]*[^*\s])?)\*`)

// isPicture reports whether r is an emoji or a similar symbol.
func isPicture(r rune) bool { return r >= 0x2300 && unicode.Is(unicode.So, r) }

func withoutPictures(r rune) rune {
	const joiner, asPicture, keycap, skinFirst, skinLast = 0x200d, 0xfe0f, 0x20e3, 0x1f3fb, 0x1f3ff
	if isPicture(r) || r == joiner || r == asPicture || r == keycap || r >= skinFirst && r <= skinLast {
		return -1
	}
	return r
}

// unquoted removes quotes around the whole line, and an unmatched quote at one end.
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

// hasQuote reports whether s has quotes other than apostrophes.
func hasQuote(s string) bool {
	return strings.ContainsAny(s, `"“”„‟«»‹›「」『』〝〞〟《》`)
}

// withoutPreamble removes "Sure! ", "Here is the sentence: ", "Status: " and similar text from a plain line.
func withoutPreamble(line string) string {
	for {
		was := line
		if line = preamble().ReplaceAllString(line, ""); line == was {
			return line
		}
		line = plain(line)
	}
}

// preamble matches politeness, an announcement or a label.
var preamble = sanitize.Pattern(`^(?i:(sure( thing)?|ok(ay)?|certainly|of course|absolutely|alright|all right|great|` +
	`got it|yes|right|understood|perfect)([!,.:]+\s*|$)|` +
	`(here('s| is| are| you go)|(this|that) is|below is)[^:：]*([:：]\s*|$)|` +
	`(sentence|status( message| line)?|answer|response|output|assistant)\s*([:：]\s*|$))`)

// lastSentence returns the last sentence of the last line that is not empty.
func lastSentence(text string) string {
	text = strings.TrimSpace(text)
	text = strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	body := strings.TrimRight(text, ".!?:…。！？：*_\"”’»」』) ")
	if ends := sentenceEnds(body); len(ends) > 0 {
		return text[ends[len(ends)-1]:]
	}
	return text
}

// sentenceEnds returns the indexes after the marks that end a sentence but not the line.
func sentenceEnds(line string) []int {
	var ends []int
	for _, m := range sentenceEnd().FindAllStringIndex(line, -1) {
		if m[1] < len(line) && !abbreviation().MatchString(line[:m[0]+1]) {
			ends = append(ends, m[1])
		}
	}
	return ends
}

var (
	sentenceEnd  = sanitize.Pattern(`[.!?…]["”’»')*]*\s+|[。！？]["”’」』）]*`)
	abbreviation = sanitize.Pattern(`(?i)(^|[\s(])(dr|mr|mrs|ms|st|vs|no|prof|approx|ca|e\.g|i\.e|\d+|\pL)\.$`)
)
