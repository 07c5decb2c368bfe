package attach

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// Input is what you ask. Text that was pasted or piped, which you may not have read, mentions nothing and asks for
// nothing.
type Input struct {
	Text    string
	Foreign []Span // in order, none inside another
}

// Span is a part of a text, in bytes.
type Span = provider.Span

// Typed is an input that you typed from its first to its last letter, or could edit.
func Typed(text string) Input { return Input{Text: text} }

// Begins reports whether you typed this at the beginning.
func (in Input) Begins(with string) bool {
	return strings.HasPrefix(in.Text, with) && (len(in.Foreign) == 0 || in.Foreign[0].From >= len(with))
}

// Part is the input between two places.
func (in Input) Part(from, until int) Input {
	part := Input{Text: in.Text[from:until]}
	for _, f := range in.Foreign {
		if f.From, f.Until = max(f.From, from), min(f.Until, until); f.From < f.Until {
			part.Foreign = append(part.Foreign, Span{From: f.From - from, Until: f.Until - from})
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
			all.Foreign = append(all.Foreign, Span{From: f.From + len(all.Text), Until: f.Until + len(all.Text)})
		}
		all.Text += in.Text
	}
	return all
}

// Wants is what you ask servers for, as far as the text alone tells: "/server:prompt", "@server:resource", or with
// more of them "@server:resource + 2". It is for display, and "" if it is nothing.
func (in Input) Wants() string {
	line, _, _ := strings.Cut(in.Text, "\n")
	word, _, _ := strings.Cut(line, " ")
	server, prompt, ok := strings.Cut(strings.TrimPrefix(word, "/"), ":")
	if in.Begins("/") && ok && server != "" && prompt != "" && !strings.Contains(server, "/") {
		return sanitize.Line(word)
	}
	mentions := in.Mentions()
	if len(mentions) == 0 {
		return ""
	}
	first := strings.TrimRight(mentions[0].Name(), endings)
	if more := len(mentions) - 1; more > 0 {
		return fmt.Sprintf("%s + %d", first, more)
	}
	return first
}
