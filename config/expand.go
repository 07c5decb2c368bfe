package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/secret"
)

// expanded fills in the environment variables of a text and notes what may be secret of it. at is the key, and the
// place in its value. If a variable is not set the text stays as it is.
func (t *table) expanded(f field, text string, at ...string) string {
	is := f.Tag.Get("is")
	isWord := is == "word" || is == "protocol" || f.Tag.Get("of") != "" // which an error repeats
	if !t.expands && is != "host" && is != "base" || is == "variable" || isWord || t.doc.source != "" {
		return text
	}
	out, used, err := expand(text, t.env)
	if err != nil {
		t.unresolved(err, at, "%s %v", t.doc.name(t.at(at[0])), err)
		return text
	}
	for name, value := range used {
		t.hide(secret.Of(name, value))
	}
	return out
}

// variable is the value of an environment variable that a key names.
func (t *table) variable(name string, at ...string) string {
	value, set := t.env(name)
	switch {
	case set:
	case !variableName(name) || secret.NoName(name): // it is not repeated, and it is wrong whether or not the table is in use
		holds := map[bool]string{true: "be", false: "hold"}[len(at) == 1]
		t.mistake(t.at(at...), "%q must %s the name of an environment variable; put what must stay secret into a variable, not into the file", at[0], holds)
	default:
		t.unresolved(unsetError(name), at, "%q names the environment variable %q, which is not set", at[0], name)
	}
	return value
}

// headers resolves the keys that set headers into one map. All its values are secret.
func (t *table) headers(written, variables map[string]string) map[string]string {
	headers := map[string]string{}
	maps.Copy(headers, written)
	for _, header := range slices.Sorted(maps.Keys(variables)) {
		headers[header] = t.variable(variables[header], "env_http_headers", header)
	}
	for _, value := range headers {
		t.hide(secret.Of("Authorization", value))
	}
	return headers
}

func (t *table) unresolved(cause error, at []string, format string, args ...any) {
	mistake := t.doc.mistake(t.at(at...), format, args...)
	mistake.Err = cause
	t.unset = append(t.unset, mistake)
}

// hide notes what must be masked.
func (t *table) hide(secrets []string) { t.secrets = append(t.secrets, secrets...) }

// unsetError says that a variable is not set. Only the environment is wrong then, not the file.
type unsetError string

func (e unsetError) Error() string { return string(e) }

// expand replaces ${NAME} and ${NAME:-default} by the environment; $${ stands for ${ itself. It also returns the
// variables that it put in. The error finishes a sentence that begins with the key.
func expand(text string, env func(string) (string, bool)) (string, map[string]string, error) {
	var out strings.Builder
	used := map[string]string{}
	var unset []string
	for {
		before, inside, found := strings.Cut(text, "${")
		if !found {
			out.WriteString(text)
			return out.String(), used, needs(unset)
		}
		if plain, escaped := strings.CutSuffix(before, "$"); escaped {
			out.WriteString(plain + "${")
			text = inside
			continue
		}
		out.WriteString(before)
		inside, rest, closed := strings.Cut(inside, "}")
		if !closed {
			return "", nil, errors.New("has ${ without }; write $${ for the characters themselves")
		}
		name, fallback, optional := strings.Cut(inside, ":-")
		if !variableName(name) {
			return "", nil, fmt.Errorf("has ${%.40s}, which names no variable; write $${ for the characters themselves", strings.Trim(fmt.Sprintf("%q", inside), `"`))
		}
		value, set := env(name)
		switch {
		case optional && value == "":
			value = fallback
		case !set:
			unset = append(unset, name)
		}
		used[name] = value
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

func variableName(s string) bool {
	for i := range len(s) {
		letter := s[i] == '_' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z'
		if !letter && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}
