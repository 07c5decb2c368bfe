package mcpclient

import (
	"strings"
	"unicode"

	"github.com/aloudchat/aloud/sanitize"
)

// titleWidth is how many cells a tool's name may take.
const titleWidth = 40

// Title turns a tool's name into Title Case: "get_http_url" → "Get HTTP URL", "readFile" → "Read File".
// Title, if the server gave one, wins. The result is one safe line of at most 40 cells; a longer one is cut in its middle, because
// names that begin alike differ at the end.
//
// Name is the server's own name of the tool. Names in another script than the Latin one are left as they are.
func Title(title, name string) string {
	title, name = sanitize.Line(bothEnds(title)), sanitize.Line(bothEnds(name))
	if title == "" || title == name { // some servers repeat the name as the title
		title = titleCase(name)
	}
	if title == "" {
		title = "Unnamed Tool"
	}
	return sanitize.CutMiddle(title, titleWidth)
}

// bothEnds removes the middle of a name that is absurdly long, which would be cut anyway.
func bothEnds(s string) string {
	const most = 2 << 10
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most/2], "") + strings.ToValidUTF8(s[len(s)-most/2:], "")
}

// TitleOn tells the tools of two servers with one title apart: "Search · github".
func TitleOn(title, server string) string {
	if server = sanitize.CutMiddle(sanitize.Line(server), titleWidth/2); server == "" {
		return title
	}
	return title + " · " + server
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

// pieces splits where the case or the kind of character changes: "getHTTPUrl2" → get HTTP Url 2. Letters after a digit stay with it: 2nd.
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

// known joins pieces that are one known word: Git Hub → GitHub, UR Ls → URLs, sha 256 → SHA256. A single letter and a number are one, too: s 3.
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

// capitalize writes one word as in a title. Capitals that are not in the table are kept, unless the whole name was in capitals.
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
