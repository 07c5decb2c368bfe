package secret

import (
	"slices"
	"strings"
)

// Tells knows the names that may say that what they hold is secret.
func Tells(name string) bool {
	words := []string{"token", "key", "secret", "pass", "pwd", "auth", "credential", "cookie", "header"}
	return has(name, words) || strings.HasSuffix(strings.ToLower(name), "_pat")
}

// TellsClearly knows the names of which also a plain word is secret.
func TellsClearly(name string) bool {
	return has(name, []string{
		"token", "secret", "passw", "passphrase", "pwd", "apikey", "api_key", "api-key", "access_key", "accesskey", "access-key", "accountkey",
		"private_key", "privatekey", "private-key", "_pat", "authorization", "cookie",
	})
}

func has(name string, words []string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// NoName knows what somebody wrote where the name of a variable belongs, and may be its value: a token, or a long word with digits among letters of
// both kinds. Whoever finds one does not repeat it.
func NoName(word string) bool {
	const long = 20
	return Looks("", word) || len(word) >= long && strings.ContainsAny(word, digits) && strings.ToLower(word) != word && strings.ToUpper(word) != word
}
