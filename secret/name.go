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
