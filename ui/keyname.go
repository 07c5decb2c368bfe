package ui

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/suggest"
)

// keyNames returns the names of all keys in the form that [tea.KeyPressMsg] has, except for single characters.
func keyNames() []string {
	names := strings.Fields("enter esc tab space backspace delete insert up down left right home end pgup pgdown " +
		"f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12")
	all := slices.Clone(names)
	for _, held := range []string{"shift+", "ctrl+", "alt+", "ctrl+shift+", "alt+shift+", "ctrl+alt+", "ctrl+alt+shift+"} {
		for _, name := range names {
			all = append(all, held+name)
		}
		for char := '!'; char <= '~' && held != "shift+"; char++ { // shift+a is "A"
			all = append(all, held+string(char))
		}
	}
	return all
}

// readKey returns the name of a key. The error continues a sentence that begins with "has".
func readKey(text string) (key string, err error) {
	if r, size := utf8.DecodeRuneInString(text); size > 0 && size == len(text) && unicode.IsGraphic(r) && r != ' ' {
		return text, nil
	}
	key = strings.ToLower(text)
	if second, ok := strings.CutPrefix(key, prefix+" "); ok {
		key, err = readKey(second)
		return prefix + " " + key, err
	}
	names := keyNames()
	if slices.Contains(names, key) {
		return key, nil
	}
	if near := suggest.Nearest(key, names); near != "" {
		return "", fmt.Errorf("the unknown key %q%s", text, meant(near))
	}
	return "", fmt.Errorf(`the unknown key %q. Use one like "ctrl+o", "alt+enter" or "f5"`, text)
}

// meant returns the end of an error that suggests a word, or "".
func meant(word string) string {
	if word == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", word)
}
