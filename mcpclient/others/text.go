package others

import (
	"strings"
)

// Text is a value of a file, taken apart: what stands there, and what is put in when it is used.
type Text []Part

// Part is a piece of a Text.
type Part struct {
	Kind       Kind
	Text       string // the characters, the name of the variable, or the id of the input
	Default    string // of a variable
	HasDefault bool
}

// Kind says what a Part is.
type Kind int

// The kinds of parts.
const (
	Literal Kind = iota
	Variable
	Ask // an Input
)

// Lit is a text that stands for itself.
func Lit(s string) Text {
	if s == "" {
		return nil
	}
	return Text{{Kind: Literal, Text: s}}
}

// Var is the value of a variable.
func Var(name string) Text { return Text{{Kind: Variable, Text: name}} }

// String writes the text as aloud's configuration has it: ${NAME}, ${NAME:-default}, and $${ for the characters themselves.
func (t Text) String() string {
	var b strings.Builder
	for _, p := range t {
		switch {
		case p.Kind == Literal:
			b.WriteString(strings.ReplaceAll(p.Text, "${", "$${"))
		case p.Kind == Ask:
			b.WriteString("${" + VariableName(p.Text) + "}")
		case p.HasDefault:
			b.WriteString("${" + p.Text + ":-" + p.Default + "}")
		default:
			b.WriteString("${" + p.Text + "}")
		}
	}
	return b.String()
}

// Plain is the text when nothing is put in.
func (t Text) Plain() (string, bool) {
	var b strings.Builder
	for _, p := range t {
		if p.Kind != Literal {
			return "", false
		}
		b.WriteString(p.Text)
	}
	return b.String(), true
}

// VariableName makes the name of a variable of any words: "github-token" becomes GITHUB_TOKEN.
func VariableName(words string) string {
	const longest = 64
	var b strings.Builder
	for _, r := range strings.ToUpper(words) {
		switch {
		case b.Len() >= longest:
		case r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	name := strings.TrimRight(b.String(), "_")
	if name == "" {
		return "VALUE"
	}
	return name
}

// IsVariable tells whether s may be the name of a variable everywhere.
func IsVariable(s string) bool {
	for i := range len(s) {
		letter := s[i] == '_' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z'
		if !letter && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}
