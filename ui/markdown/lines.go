package markdown

import "strings"

// What the beginning of a line says. They take the line without its indent.

// fenceOf returns the marker that opens a code block, "" if none does.
func fenceOf(text string) string {
	if !strings.HasPrefix(text, "```") && !strings.HasPrefix(text, "~~~") {
		return ""
	}
	rest := strings.TrimLeft(text, text[:1])
	if text[0] == '`' && strings.Contains(rest, "`") {
		return "" // code within a line
	}
	return text[:len(text)-len(rest)]
}

// closes reports whether a whole line ends the code that fence opened.
func closes(line, fence string) bool {
	text := strings.TrimSpace(line)
	return strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]) == ""
}

func isHeading(text string) bool {
	rest := strings.TrimLeft(text, "#")
	level := len(text) - len(rest)
	return level >= 1 && level <= 6 && strings.HasPrefix(rest, " ")
}

func isQuote(text string) bool { return strings.HasPrefix(text, ">") }

func isItem(text string) bool {
	if len(text) >= 2 && strings.IndexByte("-*+", text[0]) >= 0 {
		return (text[1] == ' ' || text[1] == '\t') && !isRule(text)
	}
	rest := strings.TrimLeft(text, "0123456789")
	digits := len(text) - len(rest)
	return digits >= 1 && digits <= 9 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
}

// itemNumber is the number of an item, 0 for one with a bullet.
func itemNumber(text string) int {
	n := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// isRule reports whether a line is a thematic break such as * * *.
func isRule(text string) bool {
	text = strings.NewReplacer(" ", "", "\t", "").Replace(text)
	return len(text) >= 3 && strings.IndexByte("-*_", text[0]) >= 0 && strings.Trim(text, text[:1]) == ""
}

// indentOf counts the cells of white space before the text.
func indentOf(line string) int {
	n := 0
	for _, c := range []byte(line) {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

// undecided reports whether the beginning of a line may still become a marker, which would be drawn as text until then.
func undecided(line string, k Kind) bool {
	if k == Code {
		return strings.Trim(line, " `~") == "" || fenceOf(line) != ""
	}
	return strings.Trim(line, " \t#>*-+=_`~|:.)0123456789") == ""
}
