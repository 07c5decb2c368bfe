package status

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/sanitize"
)

// What models write around a sentence is taken off here.

// openers and closers are quotes; where the same mark does both it is in both.
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

// isPicture tells emoji and the like.
func isPicture(r rune) bool { return r >= 0x2300 && unicode.Is(unicode.So, r) }

func withoutPictures(r rune) rune {
	const joiner, asPicture, keycap, skinFirst, skinLast = 0x200d, 0xfe0f, 0x20e3, 0x1f3fb, 0x1f3ff
	if isPicture(r) || r == joiner || r == asPicture || r == keycap || r >= skinFirst && r <= skinLast {
		return -1
	}
	return r
}

// unquoted takes off quotes that stand around the whole line, or of which there is only one, because the other end was never written.
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
// Nothing is left of a line that has only such words.
func withoutPreamble(line string) string {
	for {
		was := line
		line = interjection.ReplaceAllString(line, "")
		line = announcement.ReplaceAllString(line, "")
		line = label.ReplaceAllString(line, "")
		if line == was {
			return line
		}
		line = plain(line)
	}
}

var (
	// interjection is what polite models begin with, in every language of the line.
	interjection = regexp.MustCompile(`^(?i:sure( thing)?|ok(ay)?|certainly|of course|absolutely|alright|all right|great|got it|yes|right|understood|perfect|` +
		`好的?|好吧|当然(可以)?|没问题|明白了?|收到|可以的?|はい|承知(いた)?しました|了解(です|しました)?|わかりました|分かりました|もちろん(です)?|かしこまりました|` +
		`claro( que sí)?|por supuesto|entendido|de acuerdo|vale|perfecto|sí|natürlich|klar|gerne?|sicher|alles klar|verstanden|ja|in ordnung)` +
		`([!,.。，！、:：]+\s*|$)`)
	// announcement says that the sentence follows.
	announcement = regexp.MustCompile(`^(?i:here('s| is| are| you go)|(this|that) is|below is|hier ist|dies ist|aquí (está|tiene[s]?|va)|esta es|` +
		`(这是|这里是|以下是)|(以下|こちら)(は|が))[^:：]*([:：]\s*|$)`)
	// label names what the sentence is.
	label = regexp.MustCompile(`^(?i:sentence|status( message| line)?|answer|response|output|assistant|statusmeldung|satz|antwort|frase|respuesta|estado|` +
		`句子|状态|回答|答案|文|ステータス)\s*([:：]\s*|$)`)
)

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

// sentenceEnds are the indexes behind the marks that end a sentence and do not end the line.
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
	abbreviation = regexp.MustCompile(`(?i)(^|[\s(])(dr|mr|mrs|ms|st|vs|no|nr|sr|sra|prof|approx|ca|bzw|usw|inkl|z\.\s?b|u\.a|d\.h|e\.g|i\.e|p\.\s?ej|\d+|\pL)\.$`)
)
