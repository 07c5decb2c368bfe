package config

import (
	"cmp"
	"net/url"
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

// hide notes a value as a secret if it may be one.
func (t *serverTable) hide(name, value string) {
	if secret(name, value) {
		t.server.Secrets = append(t.server.Secrets, value)
	}
}

// hideTold notes a value whose name speaks of secrets, as arguments and variables that are passed on rarely do.
func (t *serverTable) hideTold(name, value string) {
	if tells(name) {
		t.hide(name, value)
	}
}

// hideArguments knows --token=… and --token ….
func (t *serverTable) hideArguments(args []string) {
	for i, arg := range args {
		flag, value, joined := strings.Cut(arg, "=")
		switch {
		case !strings.HasPrefix(arg, "-"):
		case joined:
			t.hideTold(flag, value)
		case i+1 < len(args):
			t.hideTold(flag, args[i+1])
		}
	}
}

// secret tells whether a value must be masked. It must not when masking it everywhere would rather destroy text than protect anything:
// when it is very short, or when its name does not speak of secrets and it is a plain word, a path or an address.
func secret(name, value string) bool {
	const shortest = 6
	return len(value) >= shortest && (tells(name) || !plain(value))
}

// tells knows the names that say that what they hold is secret.
func tells(name string) bool {
	name = strings.ToLower(name)
	words := []string{"token", "key", "secret", "pass", "pwd", "auth", "credential", "cookie", "header"}
	return strings.HasSuffix(name, "_pat") || slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// plain knows single words, paths, and addresses without parameters and numbers, which results are full of.
func plain(value string) bool {
	word := strings.Trim(value, letters) == ""
	return word || strings.ContainsAny(value[:1], "/~.") || strings.Contains(value, `:\`) || plainAddress(value)
}

func plainAddress(value string) bool {
	rest, ok := strings.CutPrefix(value, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(value, "http://")
	}
	host, path, _ := strings.Cut(rest, "/")
	return ok && !strings.ContainsAny(host, "@?#") && strings.Trim(path, letters+"/-_.") == ""
}

// addressSecrets are what may be secret of an address, as it is meant and as it is written: the password, values of the query,
// and long parts of the path, which some servers know their users by.
func addressSecrets(address string) (all []string) {
	const longPart = 20
	add := func(name, written, meant string) {
		for _, value := range []string{written, meant} {
			if secret(name, value) {
				all = append(all, value)
			}
		}
	}
	_, rest, _ := strings.Cut(address, "://")
	rest, query, _ := strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		_, password, _ := strings.Cut(authority[:at], ":")
		meant, _ := url.PathUnescape(password) // "" when it cannot be meant
		add("password", password, meant)
	}
	for part := range strings.SplitSeq(path, "/") {
		if len(part) >= longPart {
			meant, _ := url.PathUnescape(part)
			add("part", part, meant)
		}
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		meant, _ := url.QueryUnescape(value)
		add(name, value, meant)
	}
	return all
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
