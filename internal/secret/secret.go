// Package secret finds and hides secrets: configured values, tokens of well-known services, values with names like
// password, and credentials in URLs and Authorization headers.
//
// Use [Looks] and [Replace] to keep secrets out of a file, [Of] to find the secrets in a configured value, and a
// [Hider] to hide them. [Mask] hides everything that looks secret, for logs.
package secret

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Mark replaces a secret.
const Mark = "•••"

// shortest is the minimum length of a secret. Hiding shorter values would garble other text.
const shortest = 6

const (
	// nameParts are parts of the names of secrets.
	nameParts = `token|secret|passw(?:or)?d|passphrase|pwd|(?:api|access|account|private)[-_]?key|` +
		`authorization|credential|cookie`
	// tokens are the prefixes of tokens of well-known services.
	tokens = `ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|sk-|sk_live_|sk_test_|pk_live_|rk_live_|xoxb-|xoxp-|xapp-|` +
		`hf_|gsk_|AKIA|AIza|eyJ|ntn_|secret_|lin_api_|pat-|npm_|pypi-|dop_v1_|shpat_|tvly-|fc-|BSA`
)

var secretName = sanitize.Pattern(`(?i)` + nameParts + `|(?:^|[-_.])(?:key|auth|pass|pat)$|(?-i:[a-z]Key$)`)

// pattern matches secrets in text. Its group is the secret.
type pattern struct {
	expression func() *regexp.Regexp
	isSecret   func(found, part string) bool // nil for always
}

var patterns = []pattern{
	{sanitize.Pattern(`-----BEGIN [A-Z ]*PRIVATE KEY-----([^-]+)`), nil},
	{sanitize.Pattern(`\b((?:` + tokens + `)[\w.=-]{12,})`), isNoWord},
	{sanitize.Pattern(`://[^\s/:@"'<>]*:([^\s/?#"'<>]+)@`), nil},
	{sanitize.Pattern(`\b[\w.-]+:([^\s"'@\\]+)@(?:tcp|udp|unix)\(`), nil}, // the syntax of database drivers
	{sanitize.Pattern(`(?i)\bhttps?://([^\s/:@?#"'<>]{6,}):?@`), nil},
	{sanitize.Pattern(`(?i)\b(?:bearer|basic)\s+([\w.~+/=-]{6,})`), isNoWord},
	// A member of a JSON object, plain and within a JSON string. The value may have spaces and commas.
	{sanitize.Pattern(`(?i)"[\w.-]*(?:` + nameParts + `)[\w.-]*"\s*:\s*"((?:[^"\\]|\\.)+)`), isSecretValue},
	{sanitize.Pattern(`(?i)\\"[\w.-]*(?:` + nameParts + `)[\w.-]*\\"\s*:\s*\\"((?:[^"\\]|\\\\.)+)`), isSecretValue},
	// NAME=value, a header, a query parameter.
	{sanitize.Pattern(`(?i)(?:[\w.-]*(?:` + nameParts + `)[\w.-]*|[?&#][\w.-]*(?:key|auth|code))(?:\\?["'])?` +
		`\s?[:=]\s?(?:\\?["'])?(?:(?:bearer|basic)\s+)?([^\s"'\\&#,;]{3,})`), isSecretValue},
}

// harmless matches values that have "token" in their name but are not secret.
var harmless = sanitize.Pattern(`(?i)progressToken|pageToken|tokens\\?["']?\s?[:=]\s?\\?["']?\d+$`)

// isSecretValue excludes small numbers, addresses (other patterns match their parts), the host after a user without a
// password, and harmless tokens.
func isSecretValue(found, part string) bool {
	return !isNumber(part) && !strings.Contains(part, "://") && !strings.Contains(found, ":@") &&
		!harmless().MatchString(found)
}

// isNoWord excludes words like "sk-learn-estimators" and "basic instructions".
func isNoWord(_, part string) bool {
	return strings.Trim(part[1:], "abcdefghijklmnopqrstuvwxyz-_") != ""
}

// Named reports whether a name is that of a secret: GITHUB_TOKEN, X-Api-Key, --password.
func Named(s string) bool { return secretName().MatchString(s) }

// LooksLikeValue reports whether a word used as the name of a variable may be a secret instead: a token, or a long
// word with digits and mixed case.
func LooksLikeValue(word string) bool {
	isMixed := strings.ToLower(word) != word && strings.ToUpper(word) != word
	return Looks("", word) || len(word) >= 20 && isMixed && strings.ContainsAny(word, digits)
}

// Looks reports whether a value looks secret and should not be in a file. name may be "".
func Looks(name, value string) bool {
	return IsWhole(name, value) || Replace(value, func(string) string { return Mark }) != value
}

// IsWhole reports whether the whole value is secret because of its name. Paths, addresses and small numbers are not.
func IsWhole(name, value string) bool {
	isPlain := isReference(value) || isNumber(value) || pathOrURL().MatchString(value)
	return Named(name) && len(value) >= shortest && !isPlain
}

// pathOrURL matches paths and addresses.
var pathOrURL = sanitize.Pattern(`^(?:~/|\.|/[^/]*/)|:\\|://`)

// reference matches values with a reference to a variable or command.
var reference = sanitize.Pattern(`\$\{|^\$(?:\(|[A-Z_0-9]*$)`)

func isReference(value string) bool { return reference().MatchString(value) }

const digits = "0123456789"

// isNumber reports whether a value is a number too short to be secret, as in "max_tokens = 100000".
func isNumber(value string) bool { return len(value) < 10 && strings.Trim(value, digits) == "" }

// Replace returns value with each part that looks secret replaced with by(part).
func Replace(value string, by func(part string) string) string {
	return replaceAll(inPath(value, by), by)
}

func replaceAll(text string, by func(part string) string) string {
	for _, pattern := range patterns {
		text = pattern.replace(text, by)
	}
	return text
}

// inPath replaces long parts with digits in the path of a URL. Some servers use them as credentials.
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
	for _, at := range p.expression().FindAllStringSubmatchIndex(text, -1) {
		start, end := at[2], at[3]
		part := text[start:end]
		if !isReference(part) && part != Mark && (p.isSecret == nil || p.isSecret(text[at[0]:at[1]], part)) {
			b.WriteString(text[done:start] + by(part))
			done = end
		}
	}
	return b.String() + text[done:]
}

// Mask hides everything that looks secret.
func Mask(text string) string { return replaceAll(text, func(string) string { return Mark }) }

// Of returns the secrets in a configured value: the parts that look secret, escaped and unescaped, and the whole
// value if its name is that of a secret, or if it has a name and is not a plain word, path or address. In an address
// without a name, all query parameters count as secrets, and the host alone never does.
func Of(name, value string) []string {
	u, err := url.Parse(value)
	isAddress := name == "" && err == nil && u.Host != ""
	if len(value) < shortest || isAddress && value == u.Scheme+"://"+u.Host {
		return nil
	}
	all := ofParts(value)
	if isAddress {
		for _, values := range u.Query() {
			for _, part := range append(values, u.Fragment) {
				if len(part) >= shortest && !plain().MatchString(part) {
					all = append(all, part, url.QueryEscape(part))
				}
			}
		}
	}
	if Named(name) || name != "" && !plain().MatchString(value) {
		all = append(all, value)
		if _, token, ok := strings.Cut(value, " "); ok && len(token) >= shortest { // after "Bearer"
			all = append(all, token)
		}
	}
	return all
}

// plain matches a word, path, or address without numbers and parameters, which are common in results.
var plain = sanitize.Pattern(`(?i)^(?:[a-z]+$|https?://[^@?#/]*(?:/[a-z/._-]*)?$|[/~.]|.*:\\)`)

// ofParts returns the parts of a value that look secret, and the long parts of the path of a URL.
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
		texts = append(texts, u.String()) // the form in which programs may repeat it
	}
	for _, text := range texts {
		inPath(text, add)
		for _, p := range patterns { // not one after the other, because matches may overlap
			p.replace(text, add)
		}
	}
	return slices.DeleteFunc(all, func(part string) bool { return len(part) < shortest })
}

// OfArguments returns the secrets in a command line. Whole arguments count only if their name is that of a secret.
func OfArguments(args []string) (all []string) {
	for i, arg := range args {
		if name, value := Argument(args, i); Named(name) {
			all = append(all, Of(name, value)...)
		}
		all = append(all, ofParts(arg)...)
	}
	return all
}

// Argument returns the name and value of an argument like --name=value, NAME=value or "Name: value". For other
// arguments the value is the whole argument and the name is the flag before it.
func Argument(args []string, i int) (name, value string) {
	arg := args[i]
	maybeToken := len(arg) >= 12 && strings.ContainsAny(arg, digits) // tokens may start with "-"
	isFlag := strings.HasPrefix(arg, "--") || strings.HasPrefix(arg, "-") && !maybeToken
	if i > 0 && !isFlag && strings.HasPrefix(args[i-1], "-") && !strings.Contains(args[i-1], "=") {
		name = args[i-1]
	}
	if Named(name) {
		return name, arg // even with "=", because many tokens end with it
	}
	if before, after, ok := strings.Cut(arg, "="); ok && !strings.ContainsAny(before, ` /:@?{"'`) {
		return before, after
	}
	if before, after, ok := strings.Cut(arg, ":"); ok && Named(before) && !strings.ContainsAny(before, ` /@?{"'`) {
		return before, strings.TrimPrefix(after, " ")
	}
	return name, arg
}
