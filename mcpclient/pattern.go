package mcpclient

import (
	"regexp"
	"slices"
	"strings"
)

// pattern is a glob over "server.tool", optionally with one over the host a call goes to: "fetch.fetch(*.example.com)".
type pattern struct {
	name glob
	host *hostPattern // nil if it has none
	seen seen
}

func compileAll(patterns []string) []pattern {
	compiled := make([]pattern, len(patterns))
	for i, p := range patterns {
		compiled[i] = compile(p)
	}
	return compiled
}

func compile(text string) pattern {
	text, seen := splitSeen(text)
	name, host, ok := splitHost(text)
	p := pattern{seen: seen, name: parseGlob(name)}
	if ok {
		p.host = compileHost(host)
	}
	return p
}

// splitHost takes "name(host)" apart. An escaped parenthesis is part of the name.
func splitHost(p string) (name, host string, ok bool) {
	if !strings.HasSuffix(p, ")") || strings.HasSuffix(p, `\)`) {
		return p, "", false
	}
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '(':
			return p[:i], p[i+1 : len(p)-1], true
		}
	}
	return p, "", false
}

// glob is a compiled glob: * stands for any characters, ? for one, and \ takes the next one literally.
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

// matches takes time linear in s, so a hostile name costs little.
func (g glob) matches(s string) bool { return g.MatchString(string([]rune(s))) } // with what is no UTF-8 as in a parsed glob

var patternEscaper = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `(`, `\(`, `)`, `\)`)

// escapePattern makes a pattern that matches s alone.
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

// Wanted reports which of a server's tools are offered, by the names that the server gives them: those that match a glob of enabled, or all if
// there is none, without those that match one of disabled.
func Wanted(enabled, disabled []string) func(tool string) bool {
	yes, no := parseAll(enabled), parseAll(disabled)
	return func(tool string) bool {
		return (len(yes) == 0 || anyMatches(yes, tool)) && !anyMatches(no, tool)
	}
}
