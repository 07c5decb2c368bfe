package math

import "strings"

// Raised returns text in superscript characters, if there is one for each of its characters.
func Raised(text string) (string, bool) {
	return translate(raised, strings.ReplaceAll(text, "-", "−"))
}

// Lowered returns text in subscript characters, if there is one for each of its characters.
func Lowered(text string) (string, bool) {
	return translate(lowered, strings.ReplaceAll(text, "-", "−"))
}
