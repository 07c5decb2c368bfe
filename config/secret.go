package config

import (
	"cmp"
	"slices"
	"strings"
)

// expanded puts the environment into a text of the server and notes what may be secret of it. at is the key, and the place in its value.
// A server that is switched off needs no variables: its texts stay as they are written.
func (t *serverTable) expanded(text string, at ...string) string {
	out, used, err := expand(text, t.loader.env)
	if err != nil {
		t.unresolved(at, "%q %v", at[0], err)
		return text
	}
	for _, v := range used {
		t.hide(v.name, v.value)
	}
	return out
}

// variable is the value of an environment variable that a key names.
func (t *serverTable) variable(name string, at ...string) string {
	value, set := t.loader.env(name)
	if !set {
		t.unresolved(at, "%q names the environment variable %q, which is not set", at[0], name)
	}
	return value
}

func (t *serverTable) unresolved(at []string, format string, args ...any) {
	if t.server.Enabled {
		t.loader.mistake(append(t.path[:len(t.path):len(t.path)], at...), format, args...)
	}
}

// hide notes a value as a secret, unless masking it everywhere would rather destroy text than protect anything:
// when it is very short, or when its name does not speak of secrets and it is a plain word or a path.
func (t *serverTable) hide(name, value string) {
	const shortest = 6
	if len(value) >= shortest && (tells(name) || !plain(value)) {
		t.server.Secrets = append(t.server.Secrets, value)
	}
}

// tells knows the names that say that what they hold is secret.
func tells(name string) bool {
	name = strings.ToLower(name)
	words := []string{"token", "key", "secret", "pass", "auth", "credential", "header"}
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// plain knows single words and paths.
func plain(value string) bool {
	word := strings.Trim(value, letters) == ""
	return word || strings.ContainsAny(value[:1], "/~.") || strings.Contains(value, `:\`)
}

// longestFirst sorts secrets so that one that begins like another is masked as a whole.
func longestFirst(secrets []string) []string {
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(secrets)
}

// mask hides secrets, the longest first, in a text.
func mask(text string, secrets []string) string {
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "•••")
	}
	return text
}
