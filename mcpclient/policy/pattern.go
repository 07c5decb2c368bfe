package policy

import "strings"

// pattern is a glob over "server.tool", optionally with one over the host a call goes to: "fetch.fetch(*.example.com)".
type pattern struct {
	name    glob
	hasHost bool
	host    hostPattern
	seen    seen
}

func compile(p string) pattern {
	p, seen := splitSeen(p)
	name, host, ok := splitHost(p)
	return pattern{seen: seen, name: parseGlob(name), hasHost: ok, host: compileHost(host)}
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
