package attach

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// Input is a message before it is sent. Foreign parts were pasted or piped in, so you may not have read them. They
// cannot mention resources or call prompts.
type Input struct {
	Text    string
	Foreign []Span // sorted, not overlapping
	Message bool   // not a command or prompt, whatever it looks like
	Images  []Image
}

// Span is a range of bytes in a text.
type Span = provider.Span

// Typed returns an input without foreign parts.
func Typed(text string) Input { return Input{Text: text} }

// Served returns an input with a text of a server that you edit. Its mentions are foreign.
func Served(text string) Input {
	in := Input{Text: text}
	for at := range mentions(text) {
		in.Foreign = append(in.Foreign, at)
	}
	return in
}

// Begins reports whether the input begins with the prefix of a command, which is not foreign.
func (in Input) Begins(with string) bool {
	return !in.Message && strings.HasPrefix(in.Text, with) && (len(in.Foreign) == 0 || in.Foreign[0].From >= len(with))
}

// Part returns the input between two offsets, with the images whose marks are there.
func (in Input) Part(from, until int) Input {
	part := Input{Text: in.Text[from:until]}
	for _, f := range in.Foreign {
		if len(in.Images) > 0 && in.Text[f.From:f.Until] == in.Images[0].Mark {
			if from <= f.From && f.Until <= until {
				part.Images = append(part.Images, in.Images[0])
			}
			in.Images = in.Images[1:]
		}
		if f.From, f.Until = max(f.From, from), min(f.Until, until); f.From < f.Until {
			part.Foreign = append(part.Foreign, Span{From: f.From - from, Until: f.Until - from})
		}
	}
	return part
}

// Trim returns the input without leading and trailing white space.
func (in Input) Trim() Input {
	from := len(in.Text) - len(strings.TrimLeftFunc(in.Text, unicode.IsSpace))
	return in.Part(from, max(from, len(strings.TrimRightFunc(in.Text, unicode.IsSpace))))
}

// Join joins inputs with blank lines and drops blank inputs.
func Join(inputs ...Input) Input {
	var all Input
	for _, in := range inputs {
		if in = in.Trim(); in.Text == "" {
			continue
		}
		if all.Text != "" {
			all.Text += "\n\n"
		}
		all = all.Append(in)
	}
	return all
}

// Append returns the input with another one at its end.
func (in Input) Append(more Input) Input {
	joined := Input{Text: in.Text + more.Text, Foreign: slices.Clip(in.Foreign),
		Images: slices.Concat(in.Images, more.Images)}
	for _, f := range more.Foreign {
		joined.Foreign = append(joined.Foreign, Span{From: f.From + len(in.Text), Until: f.Until + len(in.Text)})
	}
	return joined
}

// Wants returns the resources or prompt that the input seems to request, for display: "/server:prompt",
// "@server:resource", "@server:resource + 2", or "" for nothing. The servers may not exist.
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
