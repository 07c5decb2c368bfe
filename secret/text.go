package secret

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Mask hides whatever looks like a secret in a text of somebody else's: one that a server gives, or that a model was told. It is for logs, where a
// masked harmless word costs nothing.
func Mask(text string) string {
	var b strings.Builder
	done := 0
	for _, p := range pieces(text) {
		value := text[p.start:p.end]
		hide := value != "" && p.start >= done
		switch p.kind {
		case named:
			hide = hide && !harmless(p.name, value)
		case query: // the shapes know those that are called like secrets
			hide = false
		case user:
			hide = hide && MayBe("", value)
		case loose:
			hide = hide && known(value) // what chance wrote is mostly an id here
		}
		if hide {
			b.WriteString(text[done:p.start])
			b.WriteString(Mark)
			done = p.end
		}
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// harmless knows what is called like a secret and opens nothing: what progress is reported with, where a list goes on, how many tokens there are.
func harmless(name, value string) bool {
	name = strings.ToLower(name)
	return slices.Contains([]string{"progresstoken", "pagetoken", "nextpagetoken"}, name) || strings.HasSuffix(name, "tokens") && onlyDigits(value)
}

// Place is where a part of a text stands: its first byte, and the one behind its last.
type Place struct{ Start, End int }

// Places are where the parts of a text stand, in their order, that should rather be in variables: passwords and tokens in addresses, values that
// are called like secrets in JSON, in NAME=value and in queries, and the tokens of well-known services. It is nil when there are none. What a
// variable is written for already is none.
func Places(text string) (all []Place) {
	done := 0
	for _, p := range pieces(text) {
		if p.start >= done && p.shouldMove(text[p.start:p.end]) {
			all = append(all, Place{p.start, p.end})
			done = p.end
		}
	}
	return all
}

// In are the parts of a text, as they are written and in their order, that should rather be in variables, see [Places].
func In(text string) (all []string) {
	for _, at := range Places(text) {
		all = append(all, text[at.Start:at.End])
	}
	return all
}

// Of are the parts that [In] names, as they are written and as they are meant where they stand, save those that are too short to be masked: whoever
// is given the text may repeat them alone. A text that as a whole looks like a token is one of them.
func Of(text string) (all []string) {
	if tokenLike(text) {
		all = append(all, text)
	}
	for _, p := range pieces(text) {
		written := text[p.start:p.end]
		if !p.shouldMove(written) {
			continue
		}
		for _, value := range []string{written, p.meant(written), unquoted(written)} {
			if len(value) >= shortest {
				all = append(all, value)
			}
		}
	}
	return all
}

// unquoted is a text of JSON as it is meant; "" when it cannot be.
func unquoted(written string) (value string) {
	_ = json.Unmarshal([]byte(`"`+written+`"`), &value)
	return value
}

func (p piece) shouldMove(value string) bool {
	meant := p.meant(value)
	hasName := p.kind == named || p.kind == query
	switch {
	case value == "" || isVariable(value):
		return false
	case p.kind == password:
		return true
	case p.kind == scheme: // "Basic instructions" are none
		return strings.Trim(value[1:], lower) != ""
	case hasName && (strings.Contains(meant, "://") || harmless(p.name, meant)): // the parts of an address speak for themselves
		return false
	}
	return tokenLike(value) || hasName && meant != "" && called(p.name, meant)
}

// isVariable knows what a shell or aloud would put something in for.
func isVariable(value string) bool {
	return strings.Contains(value, "${") || strings.HasPrefix(value, "$(") || value[0] == '$' && strings.Trim(value[1:], upper+digits+"_") == ""
}

// core has one part of each of the words.
var core = []string{"token", "secret", "pass", "pwd", "key", "authorization", "credential", "cookie", "assertion"}

const (
	// words are in the names of what is secret wherever it stands.
	words = `(?:token|secret|passw(?:or)?d|passphrase|pwd|(?:api|access|account|private)[-_]?key|authorization|credential|cookie|assertion)`
	// aName is one of them with what may stand around it.
	aName = `[\w.-]*` + words + `[\w.-]*`
)

// shape is one way in which secrets stand in texts. The last group is the secret, the one before it its name; where there is only one group, the
// kind says all.
type shape struct {
	kind    kind
	needs   []string // one of which is in every text that has it, in small letters: looking for that is much quicker
	pattern *regexp.Regexp
}

var shapes = []shape{
	// A member of an object, and the same in JSON that stands in a text.
	{named, core, regexp.MustCompile(`(?i)"(` + aName + `)"\s*:\s*"((?:[^"\\]|\\.)+)`)},
	{named, []string{`\"`}, regexp.MustCompile(`(?i)\\"(` + aName + `)\\"\s*:\s*\\"((?:[^"\\]|\\\\.)+)`)},
	{named, []string{"="}, regexp.MustCompile(`(?i)[?&]([\w-]*(?:` + words + `|key|code))=([^&"\s\\]+)`)},
	// NAME=value of an environment, an option or a connection, and of a header.
	{named, []string{"="}, regexp.MustCompile(`(?i)(` + aName + `)\s?=\s?\\?["']?([^\s"'\\&,;]+)`)},
	{named, []string{"token:", "key:", "secret:", "auth:", "password:"}, regexp.MustCompile(`(?i)(\b(?:(?:\w+[-_])+(?:token|key|secret|auth)|(?:\w+[-_])*password)):\s*\\?["']?([^\s"'\\,;]+)`)},
	{scheme, []string{"bearer", "basic"}, regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+([\w.~+/=-]{6,})`)},
	// user:password@tcp(host), as some libraries of databases want it.
	{password, []string{"@tcp(", "@unix(", "@udp("}, regexp.MustCompile(`\b[\w.-]+:([^\s"'@\\]+)@(?:tcp|unix|udp)\(`)},
	{password, []string{"-----begin "}, regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----([^-]+)`)},
	{loose, smallBeginnings(), regexp.MustCompile(`\b((?:` + strings.Join(beginnings, "|") + `)[\w.=-]+)`)},
}

func smallBeginnings() (all []string) {
	for _, beginning := range beginnings {
		all = append(all, strings.ToLower(beginning))
	}
	return all
}

// anAddress is where one stands in a text. Quotes end it, as addresses mostly stand in them.
var anAddress = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>\\]+`)

// wholeAddress is a text that is one, where a quote is part of it.
var wholeAddress = regexp.MustCompile(`(?i)^[a-z][a-z0-9+.-]*://\S+$`)

// pieces are the parts of a text that may be secret, in their order. They may overlap; of those that begin together the longest comes first.
func pieces(text string) (all []piece) {
	small := strings.ToLower(text)
	for _, s := range shapes {
		if !slices.ContainsFunc(s.needs, func(part string) bool { return strings.Contains(small, part) }) {
			continue
		}
		for _, at := range s.pattern.FindAllStringSubmatchIndex(text, -1) {
			last := len(at) - 2
			p := piece{kind: s.kind, start: at[last], end: at[last+1]}
			if s.kind == named {
				p.name = text[at[last-2]:at[last-1]]
			}
			all = append(all, p)
		}
	}
	switch {
	case !strings.Contains(text, "://"):
	case wholeAddress.MatchString(text):
		all = append(all, address(text, 0, len(text))...)
	default:
		for _, at := range anAddress.FindAllStringIndex(text, -1) {
			all = append(all, address(text, at[0], at[1])...)
		}
	}
	slices.SortStableFunc(all, func(a, b piece) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	return all
}
