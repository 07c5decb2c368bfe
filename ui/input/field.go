package input

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/ui/look"
)

// field is one field with what was said so far.
type field struct {
	elicit.Field
	text    Line   // what was typed
	chosen  int    // of one with options, -1: none
	on      []bool // of one of which several can be chosen
	fault   string // what is wrong with it, once you have left it or want to send
	letters string // the beginning of an option that is being typed
	judged  look.Memo[string, string]
}

func newField(f elicit.Field) *field {
	in := &field{Field: f, chosen: -1}
	switch f.Kind {
	case elicit.Boolean:
		in.Options = []elicit.Option{{Value: true, Title: "yes"}, {Value: false, Title: "no"}}
		fallthrough
	case elicit.Choice:
		for i, o := range in.Options {
			if f.Default != nil && o.Value == f.Default {
				in.chosen = i
				break
			}
		}
	case elicit.Choices:
		in.on = make([]bool, len(f.Options))
		in.choose(f.Default)
	default:
		in.text.Put(in.typed(f.Default), "")
	}
	return in
}

// choose switches those options on whose values are in a list of some, and the others off.
func (in *field) choose(list any) {
	several, _ := list.([]any)
	chosen := make(map[any]bool, len(several))
	for _, value := range several {
		chosen[value] = true
	}
	for i, o := range in.Options {
		in.on[i] = chosen[o.Value]
	}
}

// typed is how a value is written in the field. A text is there as it came, so that it goes as it came: it is made safe where it is drawn.
func (in *field) typed(value any) string {
	if text, ok := value.(string); ok && in.Kind == elicit.Text {
		return text
	}
	return in.Typed(value)
}

// picks reports whether one of some options is chosen, and nothing typed.
func (in *field) picks() bool { return in.Kind == elicit.Boolean || in.Kind == elicit.Choice }

// value is what was said; given is false when nothing was, and may be left out.
func (in *field) value() (value any, given bool, err error) {
	switch {
	case in.picks() && in.chosen < 0:
		if in.Required {
			return nil, false, elicit.ErrMissing
		}
		return nil, false, nil
	case in.picks():
		return in.Options[in.chosen].Value, true, nil
	case in.Kind == elicit.Text && in.text.Text != "" && in.Default == any(in.text.Text): // also one of blanks only
		return in.Default, true, nil
	case in.on == nil:
		return in.Read(in.text.Text)
	}
	chosen := []any{}
	for i, on := range in.on {
		if on {
			chosen = append(chosen, in.Options[i].Value)
		}
	}
	if len(chosen) == 0 && !in.Required {
		return nil, false, nil
	}
	return chosen, true, in.Check(chosen)
}

func (in *field) judge() {
	in.fault = ""
	if _, _, err := in.value(); err != nil {
		in.fault = err.Error()
	}
}

// turn goes on to another option, by way of none if the field may be left out.
func (in *field) turn(by int) {
	first := -1
	if in.Required {
		first = 0
	}
	switch in.chosen += by; {
	case in.chosen >= len(in.Options):
		in.chosen = first
	case in.chosen < first:
		in.chosen = len(in.Options) - 1
	}
}

// unfinished says what is wrong with JSON that is still being written.
func (in *field) unfinished() string {
	if in.Kind != elicit.JSON || in.text.Text == "" || in.fault != "" {
		return ""
	}
	return in.judged.Of(in.text.Text, func() string {
		if _, _, err := in.value(); err != nil {
			return err.Error()
		}
		return ""
	})
}

// jump goes to the next option that begins with what was typed, or else with its last letter, and reports whether there is one.
func (in *field) jump(typed string) bool {
	from := max(in.chosen, 0)
	in.letters = strings.ToLower(in.letters + typed)
	if len(in.letters) == len(typed) {
		from = in.chosen + 1
	}
	for i := range in.Options {
		o := (from + i) % len(in.Options)
		if strings.HasPrefix(strings.ToLower(in.Options[o].Title), in.letters) {
			in.chosen = o
			return true
		}
	}
	if len(in.letters) > len(typed) {
		in.letters = ""
		return in.jump(typed)
	}
	in.letters = ""
	return false
}

// pick chooses one of the options.
func (in *field) pick(k tea.KeyPressMsg, name string) {
	if k.Text != "" && (name != "space" || in.letters != "") && in.jump(k.Text) {
		return
	}
	in.letters = ""
	switch {
	case name == "space", name == "right":
		in.turn(1)
	case name == "left":
		in.turn(-1)
	case name == "backspace" && !in.Required:
		in.chosen = -1
	}
}

// hint says what is expected in an empty field.
func (in *field) hint() string {
	switch {
	case in.Format == elicit.Email:
		return "name@example.org"
	case in.Format == elicit.URI:
		return "https://…"
	case in.Format == elicit.Date:
		return "year-month-day"
	case in.Format == elicit.DateTime:
		return "2026-07-28T14:30:00Z"
	case in.Kind == elicit.Integer:
		return strings.TrimSpace("a whole number " + in.span())
	case in.Kind == elicit.Number:
		return strings.TrimSpace("a number " + in.span())
	case in.Kind == elicit.JSON:
		return "JSON"
	}
	return ""
}

func (in *field) span() string {
	low, high := "", ""
	if in.Min != nil {
		low = in.Typed(*in.Min)
	}
	if in.Max != nil {
		high = in.Typed(*in.Max)
	}
	switch {
	case low != "" && high != "":
		return low + " to " + high
	case low != "":
		return "from " + low
	case high != "":
		return "up to " + high
	}
	return ""
}
