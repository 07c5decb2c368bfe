package config

import (
	"fmt"
	"strings"
)

// variable is one that was put into a text.
type variable struct{ name, value string }

// expand replaces ${NAME} and ${NAME:-default} by the environment; $${ stands for ${ itself. It also returns what it put in.
// The error finishes a sentence that begins with the key.
func expand(text string, env func(string) (string, bool)) (string, []variable, error) {
	var out strings.Builder
	var used []variable
	var unset []string
	for {
		start := strings.Index(text, "${")
		if start < 0 {
			out.WriteString(text)
			return out.String(), used, needs(unset)
		}
		if start > 0 && text[start-1] == '$' {
			out.WriteString(text[:start-1] + "${")
			text = text[start+2:]
			continue
		}
		out.WriteString(text[:start])
		inside, rest, closed := strings.Cut(text[start+2:], "}")
		if !closed {
			return "", nil, fmt.Errorf("has ${ without }; write $${ for the characters themselves")
		}
		name, fallback, optional := strings.Cut(inside, ":-")
		if !variableName(name) {
			return "", nil, fmt.Errorf("has ${%s}, which names no variable; write $${ for the characters themselves", quoteless(inside))
		}
		value, set := env(name)
		switch {
		case optional && value == "":
			value = fallback
		case !set:
			unset = append(unset, name)
		}
		used = append(used, variable{name, value})
		out.WriteString(value)
		text = rest
	}
}

// needs is nil when all variables of a text are set.
func needs(unset []string) error {
	switch len(unset) {
	case 0:
		return nil
	case 1:
		return unsetError(fmt.Sprintf("needs the environment variable %s, which is not set; set it, or write ${%s:-default}", unset[0], unset[0]))
	}
	return unsetError(fmt.Sprintf("needs the environment variables %s, which are not set; set them, or write ${NAME:-default}", strings.Join(unset, ", ")))
}

// unsetError says that a variable is not set. Only the environment is wrong then, not the file.
type unsetError string

func (e unsetError) Error() string { return string(e) }

func variableName(s string) bool {
	for i := range len(s) {
		letter := s[i] == '_' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z'
		if !letter && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}

// quoteless is a Go quotation without its quotes: safe to show, and short.
func quoteless(s string) string {
	q := fmt.Sprintf("%q", s[:min(len(s), 40)])
	return q[1 : len(q)-1]
}
