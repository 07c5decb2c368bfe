package config

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/secret"
)

// resolving is a table whose texts may name variables of the environment, and hold secrets.
type resolving struct {
	*table
	secrets []string // the values that must be masked
	unset   []*Error // what could not be resolved: a mistake only when the table is in use
}

// expanded puts the environment into a text and notes what may be secret of it. at is the key, and the place in its value.
// Without a variable that it needs the text stays as it is written.
func (t *resolving) expanded(text string, at ...string) string {
	out, used, err := expand(text, t.loader.env)
	if err != nil {
		t.unresolved(err, at, "%q %v", at[0], err)
		return text
	}
	for _, v := range used {
		t.hide(v.name, v.value)
	}
	return out
}

// variable is the value of an environment variable that a key names.
func (t *resolving) variable(name string, at ...string) string {
	value, set := t.loader.env(name)
	switch {
	case set:
	case !variableName(name) || likeKey(name): // it is not repeated, and it is wrong whether or not the table is in use
		holds := map[bool]string{true: "be", false: "hold"}[len(at) == 1]
		t.loader.mistake(append(t.path[:len(t.path):len(t.path)], at...),
			"%q must %s the name of an environment variable; put what must stay secret into a variable, not into the file", at[0], holds)
	default:
		t.unresolved(unsetError(name), at, "%q names the environment variable %q, which is not set", at[0], name)
	}
	return value
}

// likeKey tells a key that was written in the place of a variable's name: long, with digits among letters of both kinds.
func likeKey(name string) bool {
	const long = 20
	return len(name) >= long && strings.ContainsAny(name, "0123456789") && strings.ToLower(name) != name && strings.ToUpper(name) != name
}

func (t *resolving) unresolved(cause error, at []string, format string, args ...any) {
	mistake := t.loader.doc.mistake(append(t.path[:len(t.path):len(t.path)], at...), format, args...)
	mistake.Err = cause
	t.unset = append(t.unset, mistake)
}

// onlyUnset tells a variable that is not set from what can never be right.
func onlyUnset(mistake *Error) bool { return errors.As(mistake.Err, new(unsetError)) }

// hide notes a value as a secret if it may be one.
func (t *resolving) hide(name, value string) {
	if secret.MayBe(name, value) {
		t.secrets = append(t.secrets, value)
	}
}

// hideTold notes a value whose name speaks of secrets, as arguments and variables that are passed on rarely do.
func (t *resolving) hideTold(name, value string) {
	if secret.Tells(name) {
		t.hide(name, value)
	}
}

// hideIn notes the parts of a value that are secret, as the password of an address is, which a server may repeat alone.
func (t *resolving) hideIn(value string) { t.secrets = append(t.secrets, secret.Of(value)...) }

// hideArguments knows --token=…, TOKEN=…, --token …, and what shows itself.
func (t *resolving) hideArguments(args []string) {
	for i, arg := range args {
		t.hideIn(arg)
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case joined:
			t.hideTold(name, value)
		case strings.HasPrefix(arg, "-") && i+1 < len(args):
			t.hideTold(name, args[i+1])
		}
	}
}

// headers resolves the keys that set headers into one map. All their values are secret.
func (t *resolving) headers() map[string]string {
	var headers, variables map[string]string
	written := "http_headers"
	t.pairs("http_headers", &headers)
	if t.has("headers") {
		if t.has("http_headers") {
			t.mistake("headers", `is another name of "http_headers"; keep one of them`)
		}
		written = "headers"
	}
	t.pairs("headers", &headers)
	if headers == nil {
		headers = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		headers[name] = t.expanded(headers[name], written, name)
	}
	t.pairs("env_http_headers", &variables)
	for _, header := range slices.Sorted(maps.Keys(variables)) {
		headers[header] = t.variable(variables[header], "env_http_headers", header)
	}
	for _, value := range headers {
		t.hideHeader(value)
	}
	return headers
}

// hideHeader notes a header's value as a secret, also without the scheme in front of it.
func (t *resolving) hideHeader(value string) {
	t.hide("header", value)
	if scheme, token, ok := strings.Cut(value, " "); ok && scheme != "" {
		t.hide("header", token)
	}
}

// home replaces a leading ~ by the home folder.
func (t *resolving) home(path string) string {
	dir := home(t.loader.env)
	if rest, ok := strings.CutPrefix(path, "~"); ok && dir != "" && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		return filepath.Join(dir, rest)
	}
	return path
}
