package mcpclient

import (
	"strings"
	"unicode"

	"github.com/aloudchat/aloud/internal/sanitize"
)

const titleWidth = 40 // cells

// Title returns the title of a tool, or its name in Title Case: "get_http_url" gives "Get HTTP URL", "readFile" gives
// "Read File". name is the server's name for the tool. The result is one sanitized line of at most 40 cells, cut in
// the middle. Names that are not in Latin script are not changed.
func Title(title, name string) string {
	title, name = sanitize.Line(bothEnds(title)), sanitize.Line(bothEnds(name))
	if title == "" || title == name {
		title = titleCase(name)
	}
	if title == "" {
		title = "Unnamed Tool"
	}
	return sanitize.CutMiddle(title, titleWidth)
}

// bothEnds removes the middle of a very long name.
func bothEnds(s string) string {
	const most = 2 << 10
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most/2], "") + strings.ToValidUTF8(s[len(s)-most/2:], "")
}

// TitleOn returns a title with its server, "Search on github", or the title alone if the server is "".
func TitleOn(title, server string) string {
	if server = sanitize.CutMiddle(sanitize.Line(server), titleWidth/2); server == "" {
		return title
	}
	return title + " on " + server
}

func titleCase(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }) {
		return name
	}
	shouting := strings.ToUpper(name) == name
	var words []string
	for _, chunk := range strings.FieldsFunc(name, separates) {
		for _, word := range known(pieces(chunk)) {
			words = append(words, capitalize(word, shouting))
		}
	}
	return strings.Join(words, " ")
}

func separates(r rune) bool { return r == ' ' || strings.ContainsRune("_-.:/", r) }

// pieces splits where the case or the type of character changes: "getHTTPUrl2" gives get HTTP Url 2, "2nd" gives 2nd.
func pieces(chunk string) []string {
	r := []rune(chunk)
	var list []string
	start := 0
	for i := 1; i < len(r); i++ {
		before, here := r[i-1], r[i]
		lower := i+1 < len(r) && unicode.IsLower(r[i+1])
		split := unicode.IsUpper(here) && (unicode.IsLower(before) || lower || unicode.IsDigit(before)) ||
			unicode.IsDigit(here) && !unicode.IsDigit(before)
		if split {
			list = append(list, string(r[start:i]))
			start = i
		}
	}
	return append(list, string(r[start:]))
}

// known joins pieces of known words (Git Hub, UR Ls, sha 256), and single letters with numbers (s 3).
func known(pieces []string) []string {
	var list []string
	for len(pieces) > 0 {
		n := 1
		for most := min(len(pieces), 3); most > 1; most-- {
			joined := strings.Join(pieces[:most], "")
			if _, ok := titleWords[strings.ToLower(joined)]; ok || most == 2 && isLetterAndNumber(pieces[0], pieces[1]) {
				n = most
				break
			}
		}
		list = append(list, strings.Join(pieces[:n], ""))
		pieces = pieces[n:]
	}
	return list
}

func isLetterAndNumber(letter, number string) bool {
	return len(letter) == 1 && unicode.IsLetter(rune(letter[0])) && unicode.IsDigit(rune(number[0]))
}

// capitalize returns one word in Title Case. Unknown words in capitals are kept, unless the whole name is in capitals.
func capitalize(word string, shouting bool) string {
	lower := strings.ToLower(word)
	if s, ok := titleWords[lower]; ok {
		return s
	}
	if word == strings.ToUpper(word) && !shouting {
		return word
	}
	r := []rune(lower)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}
