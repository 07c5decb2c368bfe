package mcpclient

import (
	"fmt"
	"strings"
)

// pattern is a glob over "server.tool", optionally with one over the host a call goes to: "fetch.fetch(*.example.com)".
type pattern struct {
	name    glob
	hasHost bool
	host    glob
}

// ValidPattern tells in one sentence why p cannot be meant as a pattern, or returns nil. A pattern is "server.tool", where *
// stands for any characters, ? for one, and \ takes the next one literally; "(host)" at the end narrows it to one host.
func ValidPattern(p string) error {
	name, _, _ := splitHost(p)
	switch {
	case strings.TrimSpace(p) == "":
		return fmt.Errorf(`an empty pattern matches nothing: write "server.tool", for example "files.read_*"`)
	case strings.HasSuffix(p, `\`) && !strings.HasSuffix(p, `\\`):
		return fmt.Errorf(`the pattern %q ends in the middle of an escape: write \\ for a backslash`, p)
	case !strings.ContainsAny(name, ".*"):
		return fmt.Errorf(`the pattern %q names no tool: write %q for all tools of a server`, p, name+".*")
	}
	return nil
}

func compile(p string) pattern {
	name, host, ok := splitHost(p)
	return pattern{name: parseGlob(name), hasHost: ok, host: parseGlob(patternHost(host))}
}

// patternHost lets people write a host as they read it.
func patternHost(host string) string {
	if strings.ContainsAny(host, `*?\[`) {
		return strings.ToLower(host)
	}
	return asciiHost(host)
}

func compileAll(patterns []string) []pattern {
	compiled := make([]pattern, len(patterns))
	for i, p := range patterns {
		compiled[i] = compile(p)
	}
	return compiled
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

var patternEscaper = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `(`, `\(`, `)`, `\)`)

// escapePattern makes a pattern that matches s alone.
func escapePattern(s string) string { return patternEscaper.Replace(s) }

// glob is a parsed pattern: what each element of it matches.
type glob []globElement

type globElement struct {
	kind globKind
	char rune // of a literal
}

type globKind int

const (
	literal globKind = iota
	anyOne
	anyRun
)

func parseGlob(s string) glob {
	var g glob
	escaped := false
	for _, r := range s {
		switch {
		case escaped:
			g, escaped = append(g, globElement{literal, r}), false
		case r == '\\':
			escaped = true
		case r == '*':
			g = append(g, globElement{kind: anyRun})
		case r == '?':
			g = append(g, globElement{kind: anyOne})
		default:
			g = append(g, globElement{literal, r})
		}
	}
	return g
}

// matches goes back to the last * only, so a hostile name costs at most len(g)·len(s).
func (g glob) matches(s string) bool {
	text := []rune(s)
	at, retry, from := 0, -1, 0
	for i := 0; i < len(text); {
		switch {
		case at < len(g) && g[at].kind == anyRun:
			retry, from = at, i
			at++
		case at < len(g) && (g[at].kind == anyOne || g[at].char == text[i]):
			at++
			i++
		case retry >= 0:
			from++
			at, i = retry+1, from
		default:
			return false
		}
	}
	for at < len(g) && g[at].kind == anyRun {
		at++
	}
	return at == len(g)
}
