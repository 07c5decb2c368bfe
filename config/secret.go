package config

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/secret"
)

// resolving is a table whose texts may refer to environment variables and hold secrets.
type resolving struct {
	*table
	secrets []string // the values that must be masked
	unset   []*Error // what could not be resolved: a mistake only when the table is in use
}

// expanded fills in the environment variables of a text and notes what may be secret of it. at is the key, and the place
// in its value. If a variable is not set the text stays as it is.
func (t *resolving) expanded(text string, at ...string) string {
	out, used, err := expand(text, t.loader.env)
	if err != nil {
		t.unresolved(err, at, "%q %v", at[0], err)
		return text
	}
	for _, v := range used {
		t.hide(secret.Of(v.name, v.value))
	}
	return out
}

// variable is the value of an environment variable that a key names.
func (t *resolving) variable(name string, at ...string) string {
	value, set := t.loader.env(name)
	switch {
	case set:
	case !variableName(name) || secret.NoName(name): // it is not repeated, and it is wrong whether or not the table is in use
		holds := map[bool]string{true: "be", false: "hold"}[len(at) == 1]
		t.loader.mistake(append(t.path[:len(t.path):len(t.path)], at...),
			"%q must %s the name of an environment variable; put what must stay secret into a variable, not into the file", at[0], holds)
	default:
		t.unresolved(unsetError(name), at, "%q names the environment variable %q, which is not set", at[0], name)
	}
	return value
}

func (t *resolving) unresolved(cause error, at []string, format string, args ...any) {
	mistake := t.loader.doc.mistake(append(t.path[:len(t.path):len(t.path)], at...), format, args...)
	mistake.Err = cause
	t.unset = append(t.unset, mistake)
}

// onlyUnset reports whether the mistake is only that a variable is not set.
func onlyUnset(mistake *Error) bool { return errors.As(mistake.Err, new(unsetError)) }

// hide notes what must be masked.
func (t *resolving) hide(secrets []string) { t.secrets = append(t.secrets, secrets...) }

// headers resolves the keys that set headers into one map. All their values are secret.
func (t *resolving) headers() map[string]string {
	var headers, variables map[string]string
	t.pairs("http_headers", &headers)
	if headers == nil {
		headers = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		headers[name] = t.expanded(headers[name], "http_headers", name)
	}
	t.pairs("env_http_headers", &variables)
	for _, header := range slices.Sorted(maps.Keys(variables)) {
		headers[header] = t.variable(variables[header], "env_http_headers", header)
	}
	t.shows("http_headers", func() any { return headers })
	for _, value := range headers {
		t.hide(secret.Of("Authorization", value))
	}
	return headers
}

// home replaces a leading ~ by the home folder.
func (t *resolving) home(path string) string {
	dir := home(t.loader.env)
	if rest, ok := strings.CutPrefix(path, "~"); ok && dir != "" && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		return filepath.Join(dir, rest)
	}
	return path
}
