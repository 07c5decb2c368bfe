// Package secret finds and hides secrets: the values that the configuration and the environment of servers hold, tokens
// of well-known services, values whose names call them secret, and the credentials in URLs and Authorization headers.
//
// Use [Looks] and [Replace] to keep secrets out of a file, [Of] for what must be hidden of a value that is in use, and
// a [Hider] to hide it. [Mask] hides what looks secret in any text, for logs.
package secret

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Mark stands where a secret was.
const Mark = "•••"

// shortest is how many bytes a secret has at least: hiding shorter values would destroy text rather than protect them.
const shortest = 6

const (
	// words are in the names of secrets.
	words = `token|secret|passw(?:or)?d|passphrase|pwd|(?:api|access|account|private)[-_]?key|authorization|credential|cookie`
	// tokens are how the tokens of well-known services begin.
	tokens = `ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|sk-|sk_live_|sk_test_|pk_live_|rk_live_|xoxb-|xoxp-|xapp-|` +
		`hf_|gsk_|AKIA|AIza|eyJ|ntn_|secret_|lin_api_|pat-|npm_|pypi-|dop_v1_|shpat_|tvly-|fc-|BSA`
)

var name = regexp.MustCompile(`(?i)` + words + `|(?:^|[-_.])(?:key|auth|pass|pat)$|(?-i:[a-z]Key$)`)

// pattern finds secrets in a text. Its group is the secret.
type pattern struct {
	*regexp.Regexp
	isSecret func(found, part string) bool // nil: always
}

var patterns = []pattern{
	{regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----([^-]+)`), nil},
	{regexp.MustCompile(`\b((?:` + tokens + `)[\w.=-]{12,})`), isNoWord},
	{regexp.MustCompile(`://[^\s/:@"'<>]*:([^\s/?#"'<>]+)@`), nil},
	{regexp.MustCompile(`\b[\w.-]+:([^\s"'@\\]+)@(?:tcp|udp|unix)\(`), nil}, // as libraries of databases write it
	{regexp.MustCompile(`(?i)\bhttps?://([^\s/:@?#"'<>]{6,}):?@`), nil},
	{regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+([\w.~+/=-]{6,})`), isNoWord},
	// A member of a JSON object, and the same within a string of JSON: the value may have spaces and commas.
	{regexp.MustCompile(`(?i)"[\w.-]*(?:` + words + `)[\w.-]*"\s*:\s*"((?:[^"\\]|\\.)+)`), isSecretValue},
	{regexp.MustCompile(`(?i)\\"[\w.-]*(?:` + words + `)[\w.-]*\\"\s*:\s*\\"((?:[^"\\]|\\\\.)+)`), isSecretValue},
	// NAME=value, a header, a part of a query.
	{regexp.MustCompile(`(?i)(?:[\w.-]*(?:` + words + `)[\w.-]*|[?&#][\w.-]*(?:key|auth|code))(?:\\?["'])?` +
		`\s?[:=]\s?(?:\\?["'])?(?:(?:bearer|basic)\s+)?([^\s"'\\&#,;]{3,})`), isSecretValue},
}

// opensNothing are the names of values that are called tokens and open nothing.
var opensNothing = regexp.MustCompile(`(?i)progressToken|pageToken|tokens\\?["']?\s?[:=]\s?\\?["']?\d+$`)

// isSecretValue knows small numbers, addresses, whose parts speak for themselves, the host behind a user without a
// password, and what is only called a token.
func isSecretValue(found, part string) bool {
	return !isNumber(part) && !strings.Contains(part, "://") && !strings.Contains(found, ":@") && !opensNothing.MatchString(found)
}

// isNoWord knows "sk-learn-estimators" and "basic instructions".
func isNoWord(_, part string) bool {
	return strings.Trim(part[1:], "abcdefghijklmnopqrstuvwxyz-_") != ""
}

// Named reports whether a name says that its value is secret: GITHUB_TOKEN, X-Api-Key, --password.
func Named(s string) bool { return name.MatchString(s) }

// NoName reports whether a word that stands where the name of a variable belongs may be its value instead: a token, or
// a long word of digits and letters of both cases. Such a word is not repeated.
func NoName(word string) bool {
	const long = 20
	return Looks("", word) ||
		len(word) >= long && strings.ContainsAny(word, digits) && strings.ToLower(word) != word && strings.ToUpper(word) != word
}

// Looks reports whether a value looks secret, so that it belongs in a variable and not in a file. name may be "".
func Looks(name, value string) bool {
	return IsWhole(name, value) || Replace(value, func(string) string { return Mark }) != value
}

// IsWhole reports whether the name says that all of the value is secret. Paths, addresses and small numbers are not.
func IsWhole(name, value string) bool {
	return Named(name) && len(value) >= shortest && !isReference(value) && !isNumber(value) && !place.MatchString(value)
}

// place is a path or an address.
var place = regexp.MustCompile(`^(?:~/|\.|/[^/]*/)|:\\|://`)

// isReference reports whether a variable will be put in for a value or a part of it.
func isReference(value string) bool {
	rest, ok := strings.CutPrefix(value, "$")
	return strings.Contains(value, "${") || ok && (strings.HasPrefix(rest, "(") || strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"+digits) == "")
}

const digits = "0123456789"

// isNumber reports whether a value is too small a number to be secret, as in "max_tokens = 100000".
func isNumber(value string) bool { return len(value) < 10 && strings.Trim(value, digits) == "" }

// Replace returns a value with by(part) in place of each part that looks secret.
func Replace(value string, by func(part string) string) string {
	return replaceAll(inPath(value, by), by)
}

func replaceAll(text string, by func(part string) string) string {
	for _, pattern := range patterns {
		text = pattern.replace(text, by)
	}
	return text
}

// inPath replaces the long parts of a URL's path with a digit in them, by which some servers know their users.
func inPath(value string, by func(part string) string) string {
	const long = 20
	scheme, rest, isURL := strings.Cut(value, "://")
	if !isURL || strings.ContainsAny(scheme, " \"'{") {
		return value
	}
	path := rest[:strings.IndexAny(rest+"?", "?#")]
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if i > 0 && len(part) >= long && strings.ContainsAny(part, digits) && !isReference(part) {
			parts[i] = by(part)
		}
	}
	return scheme + "://" + strings.Join(parts, "/") + rest[len(path):]
}

func (p pattern) replace(text string, by func(part string) string) string {
	var b strings.Builder
	done := 0
	for _, at := range p.FindAllStringSubmatchIndex(text, -1) {
		start, end := at[2], at[3]
		part := text[start:end]
		if !isReference(part) && part != Mark && (p.isSecret == nil || p.isSecret(text[at[0]:at[1]], part)) {
			b.WriteString(text[done:start] + by(part))
			done = end
		}
	}
	return b.String() + text[done:]
}

// Mask hides what looks secret in a text.
func Mask(text string) string { return replaceAll(text, func(string) string { return Mark }) }

// Of returns what must be hidden of a value in use: its parts that look secret, as written and without escapes, and
// all of it if it has a name and that calls it secret, or it is not a plain word, path or address. A value without a
// name may be an address: then the values of its query are hidden too, whatever they are called.
func Of(name, value string) []string {
	all := ofParts(value)
	if u, err := url.Parse(value); name == "" && err == nil && u.Host != "" {
		for _, values := range u.Query() {
			for _, part := range append(values, u.Fragment) {
				if len(part) >= shortest && !plain.MatchString(part) {
					all = append(all, part, url.QueryEscape(part))
				}
			}
		}
	}
	if len(value) >= shortest && (Named(name) || name != "" && !plain.MatchString(value)) {
		all = append(all, value)
		if _, token, ok := strings.Cut(value, " "); ok && len(token) >= shortest { // behind "Bearer"
			all = append(all, token)
		}
	}
	return all
}

// plain is a single word, a path or an address without numbers and parameters: results are full of them.
var plain = regexp.MustCompile(`(?i)^(?:[a-z]+$|https?://[^@?#/]*(?:/[a-z/._-]*)?$|[/~.]|.*:\\)`)

// ofParts returns the parts of a value that must be hidden: those that look secret, and the long ones of a URL's path.
func ofParts(value string) (all []string) {
	add := func(part string) string {
		all = append(all, part)
		if meant, err := url.PathUnescape(part); err == nil {
			all = append(all, meant)
		}
		return Mark
	}
	texts := []string{value}
	if u, err := url.Parse(value); err == nil && u.Host != "" {
		texts = append(texts, u.String()) // programs repeat it like this
	}
	for _, text := range texts {
		inPath(text, add)
		for _, p := range patterns { // each in the whole text: a part that one finds may be a piece of another
			p.replace(text, add)
		}
	}
	return slices.DeleteFunc(all, func(part string) bool { return len(part) < shortest })
}

// OfArguments returns what must be hidden of a command line. Only arguments with a name that calls them secret are
// hidden as a whole.
func OfArguments(args []string) (all []string) {
	for i, arg := range args {
		if name, value := Argument(args, i); Named(name) {
			all = append(all, Of(name, value)...)
		}
		all = append(all, ofParts(arg)...)
	}
	return all
}

// Argument returns the name of an argument and its value, which is the end of it: those of --name=value, NAME=value and
// "Name: value", else all of the argument with the flag before it as its name.
func Argument(args []string, i int) (name, value string) {
	arg := args[i]
	isFlag := strings.HasPrefix(arg, "--") || strings.HasPrefix(arg, "-") && (len(arg) < 12 || !strings.ContainsAny(arg, digits)) // tokens may begin with -
	if i > 0 && !isFlag && strings.HasPrefix(args[i-1], "-") && !strings.Contains(args[i-1], "=") {
		name = args[i-1]
	}
	if Named(name) {
		return name, arg // also if there is a sign in it: many tokens end with =
	}
	if before, after, ok := strings.Cut(arg, "="); ok && !strings.ContainsAny(before, ` /:@?{"'`) {
		return before, after
	}
	if before, after, ok := strings.Cut(arg, ":"); ok && Named(before) && !strings.ContainsAny(before, ` /@?{"'`) {
		return before, strings.TrimPrefix(after, " ")
	}
	return name, arg
}
