package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/internal/secret"
)

// escaped matches a path on Windows with a control character, from "C:\tools". A line may end after a colon.
var escaped = sanitize.Pattern(
	`(?:^|[=;,])[A-Za-z]:(?:\\[^\x00-\x1f]*[\x00-\x1f]|[\x00-\x09\x0b\x0c\x0e-\x1f]|\r(?:[^\n]|$))`)

// expanded replaces the environment variables in a value and notes their values as secrets, and in a path the home
// folder. at is the key and the path within its value. If a variable is not set, it stays.
func (t *table) expanded(f field, text string, at ...string) string {
	if f.Tag.Get("is") != "path" {
		return t.withVariables(f, text, at...)
	}
	isPath := f.Type.Kind() == reflect.String // others may hold other text
	if isPath && strings.ContainsAny(text, "\b\t\n\f\r") || escaped().MatchString(text) {
		t.mistake(t.at(at...), "%s has a control character, because %s", t.doc.name(t.at(at[0])), inDoubleQuotes)
	}
	return InHome(t.withVariables(f, text, at...), t.env)
}

func (t *table) withVariables(f field, text string, at ...string) string {
	is := f.Tag.Get("is")
	isWord := is == "word" || is == "protocol" || f.Tag.Get("of") != "" // errors repeat words, so no secrets in them
	if !t.expands && is != "host" && is != "base" || is == "variable" || isWord || t.doc.source != "" {
		return text
	}
	out, used, unset, err := expand(text, t.env)
	switch {
	case err != nil:
		t.mistake(t.at(at...), "%s %v", t.doc.name(t.at(at[0])), err)
		return text
	case unset != nil:
		t.unusable(at, "%s uses environment variables that are not set: %s. Set them, or write ${NAME:-default}",
			t.doc.name(t.at(at[0])), strings.Join(unset, ", "))
		return text
	}
	for name, value := range used {
		t.hide(secret.Of(name, value))
	}
	return out
}

// variable returns the value of the environment variable that a key names.
func (t *table) variable(name string, at ...string) string {
	value, set := t.env(name)
	switch {
	case set:
	case !IsVariable(name): // the error leaves it out, it may be a secret
		t.mistake(t.at(at...), "%q must be the name of an environment variable. Keep secrets out of this file",
			at[0])
	default:
		t.unusable(at, "%q names the environment variable %q, which is not set", at[0], name)
	}
	return value
}

// headers merges the keys that set headers into one map. All values count as secrets.
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

// headerVariables returns the environment variables that the headers of a server use, sorted.
func (t *table) headerVariables(s *Server) []string {
	names := slices.Collect(maps.Values(s.EnvHeaders))
	if s.BearerEnv != "" {
		names = append(names, s.BearerEnv)
	}
	written, _ := t.values["http_headers"].(map[string]any)
	for _, value := range written {
		if text, ok := value.(string); ok {
			_, used, _, _ := expand(text, t.env) // mistakes are reported elsewhere
			names = slices.AppendSeq(names, maps.Keys(used))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// unusable notes what keeps the table from being used, such as a variable that is not set. It is no mistake otherwise.
func (t *table) unusable(at []string, format string, args ...any) {
	t.unset = append(t.unset, t.doc.mistake(t.at(at...), format, args...))
}

// hide adds values to mask.
func (t *table) hide(secrets []string) { t.secrets = append(t.secrets, secrets...) }

// expand replaces ${NAME} and ${NAME:-default} with environment variables, and $${ with ${. It also returns the
// variables it used and the names of those that are not set. The error continues a sentence that begins with the key.
func expand(text string, env Lookup) (_ string, used map[string]string, unset []string, err error) {
	var out strings.Builder
	used = map[string]string{}
	for {
		before, inside, found := strings.Cut(text, "${")
		if !found {
			out.WriteString(before)
			return out.String(), used, unset, nil
		}
		if plain, escaped := strings.CutSuffix(before, "$"); escaped {
			out.WriteString(plain + "${")
			text = inside
			continue
		}
		inside, rest, closed := strings.Cut(inside, "}")
		name, fallback, optional := strings.Cut(inside, ":-")
		if !closed || !variableName().MatchString(name) {
			shown := strings.Trim(strconv.Quote(inside), `"`)
			return "", nil, nil, fmt.Errorf("has ${%.40s without a variable name. Write $${ for a literal ${", shown)
		}
		value, set := env(name)
		switch {
		case optional && value == "":
			value = fallback
		case !set:
			unset = append(unset, name)
		}
		used[name] = value
		out.WriteString(before + value)
		text = rest
	}
}

// IsVariable reports whether name is the name of an environment variable, and not a secret in its place.
func IsVariable(name string) bool {
	return variableName().MatchString(name) && !secret.LooksLikeValue(name)
}

// variableName matches the name of an environment variable.
var variableName = sanitize.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)
