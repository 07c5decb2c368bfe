package config

import (
	"regexp"
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

var (
	tellingName = regexp.MustCompile(`(?i)token|key|secret|pass|auth|credential|header`)
	plainValue  = regexp.MustCompile(`^([A-Za-z]*|[/~.].*|[A-Za-z]:\\.*)$`)
)

// hide notes a value as a secret, unless masking it everywhere would rather destroy text than protect anything:
// when it is very short, or when its name does not speak of secrets and it is a plain word or a path.
func (t *serverTable) hide(name, value string) {
	const shortest = 6
	if len(value) < shortest || plainValue.MatchString(value) && !tellingName.MatchString(name) {
		return
	}
	t.server.Secrets = append(t.server.Secrets, value)
}

// mask hides the secrets of a text.
func mask(text string, secrets []string) string {
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "•••")
	}
	return text
}
