package mcpclient

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// pattern is a glob for "server.tool", optionally with one for the host of a call: "fetch.fetch(*.example.com)".
type pattern struct {
	name glob
	host *hostPattern // may be nil
	seen Fingerprint  // the version of the tool that is allowed, or ""
}

func compileAll(patterns []string) []pattern {
	compiled := make([]pattern, len(patterns))
	for i, p := range patterns {
		compiled[i] = compile(p)
	}
	return compiled
}

func compile(text string) pattern {
	var p pattern
	if m := stampedPattern().FindStringSubmatch(text); m != nil {
		text, p.seen = m[1], Fingerprint(m[2])
	}
	if m := hostSuffix().FindStringSubmatch(text); m != nil {
		text, p.host = m[1], compileHost(m[2])
	}
	p.name = parseGlob(text)
	return p
}

// hostSuffix matches "name(host)". An escaped parenthesis is part of the name.
var hostSuffix = sanitize.Pattern(`(?s)^((?:[^\\(]|\\.)*)\((|.*[^\\])\)$`)

// glob is a compiled glob: * matches any characters, ? matches one, and \ escapes the next one.
type glob struct{ *regexp.Regexp }

func parseGlob(text string) glob {
	var expression strings.Builder
	escaped := false
	for _, r := range text {
		switch {
		case r == '\\' && !escaped:
			escaped = true
			continue
		case r == '*' && !escaped:
			expression.WriteString(".*")
		case r == '?' && !escaped:
			expression.WriteString(".")
		default:
			expression.WriteString(regexp.QuoteMeta(string(r)))
		}
		escaped = false
	}
	return glob{regexp.MustCompile(`(?s)^` + expression.String() + `$`)}
}

// matches takes time linear in s. Invalid UTF-8 is replaced as in parseGlob.
func (g glob) matches(s string) bool { return g.MatchString(string([]rune(s))) }

var patternEscaper = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `(`, `\(`, `)`, `\)`)

// escapePattern returns a pattern that matches only s.
func escapePattern(s string) string { return patternEscaper.Replace(s) }

func parseAll(texts []string) []glob {
	globs := make([]glob, len(texts))
	for i, text := range texts {
		globs[i] = parseGlob(text)
	}
	return globs
}

func anyMatches(globs []glob, texts ...string) bool {
	return slices.ContainsFunc(globs, func(g glob) bool { return slices.ContainsFunc(texts, g.matches) })
}

// Wanted returns a function that reports whether a tool, by its server's name for it, matches a glob of enabled, or any
// if that is empty, and none of disabled.
func Wanted(enabled, disabled []string) func(tool string) bool {
	yes, no := parseAll(enabled), parseAll(disabled)
	return func(tool string) bool {
		return (len(yes) == 0 || anyMatches(yes, tool)) && !anyMatches(no, tool)
	}
}
