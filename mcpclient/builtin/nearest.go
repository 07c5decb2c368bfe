package builtin

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/aloudchat/aloud/sanitize"
)

// What nearest looks at and tells: it is a hint after a mistake.
const (
	comparedLines = 20     // of the text that was not found
	comparedWords = 32     // of a line
	searchedLines = 50_000 // of the file
	toldLines     = 12
)

// nearest shows the lines of a file that are most like a text that is not in it, so that the next try can be right.
// Without any that are like it, it says where to look.
func nearest(content, text string) string {
	wanted := signatures(strings.TrimLeft(text, "\r\n"), comparedLines)
	whole := likeness(wanted, wanted)
	have := signatures(content, searchedLines)
	start, best := 0, 0.0
	for i := range have {
		if score := likeness(have[i:], wanted); score > best {
			start, best = i, score
		}
	}
	if best == 0 || best < 0.3*whole {
		return "; read_file shows what is"
	}
	end := min(start+max(lines(text), 1), start+toldLines, len(have))
	var shown strings.Builder
	for number, line := range strings.Split(content, "\n")[:end] {
		if number >= start {
			shown.WriteString("\n" + sanitize.Clip(strings.TrimSuffix(line, "\r"), maxLineTold))
		}
	}
	hint := "the nearest is"
	if best > 0.999*whole {
		hint = "only blanks differ in"
	}
	return fmt.Sprintf("; %s line %d:%s", hint, start+1, strings.ToValidUTF8(shown.String(), "\ufffd"))
}

// signature is what of a line is compared.
type signature struct {
	line  string // without the blanks at its ends, and single ones between
	words map[string]bool
}

func signatures(text string, most int) []signature {
	var all []signature
	for line := range strings.SplitSeq(text, "\n") {
		if len(all) == most {
			break
		}
		line = sanitize.Clip(strings.Join(strings.Fields(line), " "), maxLineTold)
		s := signature{line: line, words: map[string]bool{}}
		for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
			if s.words[word] = true; len(s.words) == comparedWords {
				break
			}
		}
		all = append(all, s)
	}
	return all
}

// likeness is how much the lines at the beginning of have are like those that are wanted: 1 for each that is the same and not blank.
func likeness(have, wanted []signature) (score float64) {
	for i := range min(len(have), len(wanted)) {
		score += have[i].like(wanted[i])
	}
	return score
}

// like is how much a line is like another that is wanted.
func (s signature) like(other signature) float64 {
	if s.line == other.line && s.line != "" {
		return 1
	}
	common := 0
	for word := range other.words {
		if s.words[word] {
			common++
		}
	}
	if common == 0 {
		return 0
	}
	of := float64(common) // a piece of a line is like the whole line, and two lines of the same words are more so
	return 0.5*of/float64(len(other.words)) + 0.4*of/float64(len(s.words)+len(other.words)-common)
}
