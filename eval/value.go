package eval

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/sanitize"
)

const space = `[\s\x{a0}\x{2009}\x{202f}]`

var (
	// numberText is a number in a text, with the separators of any language and perhaps a sign.
	numberText = sanitize.Pattern(`(?i)(?:^|[^\d\pL.,]|[^\d][.,])([-−–]|minus |negative )?` +
		`(\d(?:[\d.,'’\x{a0}\x{2009}\x{202f}]*\d)?)([^\d.,;\n]{0,20}\bbelow (?:zero|freezing))?`)
	// thousands is a whole number with separators.
	thousands = sanitize.Pattern(`^\d{1,3}([.,'’\x{a0}\x{2009}\x{202f}]\d{3})+$`)
	timeText  = sanitize.Pattern(`(?:\b|t)(\d{1,2})(?:` + space + `?[:.h時]` + space + `?(\d{2}))?(?::\d{2})?` +
		space + `*([ap]\.?` + space + `?m\b)?`)
	listMark = sanitize.Pattern(`(?m)^\s*\d{1,2}[.)]\s`)
)

// numbersIn returns what each number in a text may mean: "1,234" is 1234 or 1.234.
func numbersIn(text string) (all [][]float64) {
	digits := func(text string) string {
		return strings.Map(func(r rune) rune {
			if !unicode.IsDigit(r) {
				return -1
			}
			return r
		}, text)
	}
	for _, found := range numberText().FindAllStringSubmatch(strings.ReplaceAll(text, "{,}", ","), -1) { // LaTeX
		sign, word, meant := found[1]+found[3], found[2], []float64{}
		add := func(plain string) {
			v, err := strconv.ParseFloat(plain, 64)
			if sign != "" {
				v = -v
			}
			if err == nil {
				meant = append(meant, v)
			}
		}
		point := strings.LastIndexAny(word, ".,")
		if point < 0 || thousands().MatchString(word) {
			add(digits(word))
		}
		if point >= 0 {
			add(digits(word[:point]) + "." + digits(word[point:]))
		}
		all = append(all, meant)
	}
	return all
}

// hasNumber reports whether one of the numbers may be this one.
func hasNumber(all [][]float64, want float64) bool {
	return slices.ContainsFunc(all, func(meant []float64) bool {
		return slices.ContainsFunc(meant, func(v float64) bool { return same(v, want) })
	})
}

func same(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// hasTime reports whether a text has a time of the day, such as "18:41", also as "6:41 PM" or "18.41 Uhr".
func hasTime(text, want string) bool {
	wanted, _ := time.Parse("15:04", want) // was checked
	return slices.ContainsFunc(timeText().FindAllStringSubmatch(fold(text), -1), func(found []string) bool {
		hour, _ := strconv.Atoi(found[1])
		minute, _ := strconv.Atoi(found[2])
		switch half := found[3]; {
		case half == "" && found[2] == "": // a number
			return false
		case half != "" && half[0] == 'p':
			hour = hour%12 + 12
		case half != "":
			hour %= 12
		}
		return hour == wanted.Hour() && minute == wanted.Minute()
	})
}

// hasWord reports whether a text has a word, or one of several between bars: "Munich|München".
func hasWord(text, words string) bool {
	// Chinese and Japanese have no spaces between words.
	joined := func(r rune) bool { return r < 0x3000 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	text = fold(text)
	return slices.ContainsFunc(strings.Split(fold(words), "|"), func(word string) bool {
		for at := 0; word != ""; {
			i := strings.Index(text[at:], word)
			if i < 0 {
				break
			}
			before, _ := utf8.DecodeLastRuneInString(text[:at+i])
			at += i + len(word)
			after, _ := utf8.DecodeRuneInString(text[at:])
			if !joined(before) && !joined(after) {
				return true
			}
		}
		return false
	})
}

// fold prepares a text for a comparison of words.
func fold(text string) string {
	return strings.NewReplacer("’", "'", "*", "", "`", "").Replace(strings.ToLower(strings.TrimSpace(text)))
}

// fits reports whether a value in the arguments of a call is the wanted one. Tables need only have the wanted members.
// Texts are compared without case, and a wanted one may have several choices between bars.
func fits(want, given any) bool {
	switch want := want.(type) {
	case map[string]any:
		members, ok := given.(map[string]any)
		for name, value := range want {
			ok = ok && fits(value, members[name])
		}
		return ok
	case []any:
		list, ok := given.([]any)
		return ok && slices.EqualFunc(want, list, fits)
	case string:
		text, ok := given.(string)
		return ok && slices.Contains(strings.Split(fold(want), "|"), fold(text))
	case int64:
		return given == float64(want)
	}
	return want == given
}
