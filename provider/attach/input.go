package attach

import (
	"strings"
	"unicode"
)

// Input is what a person asks with. Parts of it they may not have typed, nor read: what was pasted or piped mentions nothing and asks for nothing.
type Input struct {
	Text    string
	Foreign []Span // in order, none inside another
}

// Span is a part of a text, in bytes.
type Span struct{ From, Until int }

// Typed is an input that a person typed from its first to its last letter, or could edit.
func Typed(text string) Input { return Input{Text: text} }

// Begins tells whether the person typed this at the beginning.
func (in Input) Begins(with string) bool {
	return strings.HasPrefix(in.Text, with) && (len(in.Foreign) == 0 || in.Foreign[0].From >= len(with))
}

// Part is the input between two places.
func (in Input) Part(from, until int) Input {
	part := Input{Text: in.Text[from:until]}
	for _, f := range in.Foreign {
		if f.From, f.Until = max(f.From, from), min(f.Until, until); f.From < f.Until {
			part.Foreign = append(part.Foreign, Span{f.From - from, f.Until - from})
		}
	}
	return part
}

// Trim is the input without the space around it.
func (in Input) Trim() Input {
	from := len(in.Text) - len(strings.TrimLeftFunc(in.Text, unicode.IsSpace))
	return in.Part(from, max(from, len(strings.TrimRightFunc(in.Text, unicode.IsSpace))))
}

// Join puts inputs below one another, an empty line between them. Empty ones are left out.
func Join(inputs ...Input) Input {
	var all Input
	for _, in := range inputs {
		if in = in.Trim(); in.Text == "" {
			continue
		}
		if all.Text != "" {
			all.Text += "\n\n"
		}
		for _, f := range in.Foreign {
			all.Foreign = append(all.Foreign, Span{f.From + len(all.Text), f.Until + len(all.Text)})
		}
		all.Text += in.Text
	}
	return all
}

// typed is what the person typed, with a space in the place of the rest.
func (in Input) typed() string {
	var b strings.Builder
	at := 0
	for _, f := range in.Foreign {
		b.WriteString(in.Text[at:f.From])
		b.WriteByte(' ')
		at = f.Until
	}
	b.WriteString(in.Text[at:])
	return b.String()
}
