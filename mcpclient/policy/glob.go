package policy

import "strings"

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
