package policy

import (
	"fmt"
	"strings"
)

// pattern is a glob over "server.tool", optionally with one over the host a call goes to: "fetch.fetch(*.example.com)".
type pattern struct {
	name    glob
	hasHost bool
	host    hostPattern
}

// validPattern tells in one sentence why p cannot be meant as a pattern, or returns nil.
func validPattern(p string) error {
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
	return pattern{name: parseGlob(name), hasHost: ok, host: compileHost(host)}
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
