package dialog

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// field is one field with its value so far.
type field struct {
	elicit.Field
	text   line   // the typed text
	chosen int    // the chosen option; -1 if none
	on     []bool // the chosen options of a field with several choices, else nil
	fault  string // the error of the value, after you left the field or pressed a button
}

func newField(f elicit.Field) *field {
	in := &field{Field: f, chosen: -1}
	switch f.Kind {
	case elicit.Boolean:
		in.Options = []elicit.Option{{Value: true, Title: "yes"}, {Value: false, Title: "no"}}
		fallthrough
	case elicit.Choice:
		isDefault := func(o elicit.Option) bool { return f.Default != nil && o.Value == f.Default }
		in.chosen = slices.IndexFunc(in.Options, isDefault)
	case elicit.Choices:
		chosen, _ := f.Default.([]any)
		in.on = make([]bool, len(f.Options))
		for i, o := range in.Options {
			in.on[i] = slices.Contains(chosen, o.Value)
		}
	default:
		text, ok := f.Default.(string) // a text is used unchanged
		if !ok || f.Kind != elicit.Text {
			text = in.Typed(f.Default)
		}
		in.text.breaks = true
		in.text.Put(text, "")
	}
	return in
}

// picks reports whether the field is a choice of one option that you do not type.
func (in *field) picks() bool { return in.Kind == elicit.Boolean || in.Kind == elicit.Choice }

// types reports whether you type the value.
func (in *field) types() bool { return in.on == nil && !in.picks() }

// value returns the value of the field. given is false if it is empty and optional.
func (in *field) value() (value any, given bool, err error) {
	switch {
	case in.picks() && in.chosen < 0:
		if in.Required {
			return nil, false, elicit.ErrMissing
		}
		return nil, false, nil
	case in.picks():
		return in.Options[in.chosen].Value, true, nil
	case in.Kind == elicit.Text && in.text.Text != "" && in.Default == any(in.text.Text): // also a text of blanks
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

// judge returns value, and stores its error in fault.
func (in *field) judge() (value any, given bool, err error) {
	in.fault = ""
	if value, given, err = in.value(); err != nil {
		in.fault = err.Error()
	}
	return value, given, err
}

// edit changes the value, or one option of a field with several choices.
func (in *field) edit(k tea.KeyPressMsg, name string, option int) {
	switch {
	case in.types():
		in.text.Key(k)
	case in.picks():
		in.pick(k, name)
	case name == "space", name == "x":
		in.on[option] = !in.on[option]
	}
	if in.fault != "" {
		_, _, _ = in.judge() // the error disappears as soon as it is corrected
	}
}

// turn chooses the next or previous option, or none if the field is optional.
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

// pick chooses one of the options. A letter chooses the next option that begins with it.
func (in *field) pick(k tea.KeyPressMsg, name string) {
	switch {
	case name == "space", name == "right":
		in.turn(1)
	case name == "left":
		in.turn(-1)
	case name == "backspace" && !in.Required:
		in.chosen = -1
	case k.Text != "":
		for i := range in.Options {
			at := (in.chosen + 1 + i) % len(in.Options)
			if strings.HasPrefix(strings.ToLower(in.Options[at].Title), strings.ToLower(k.Text)) {
				in.chosen = at
				return
			}
		}
	}
}

// hint describes the values of an empty field; "" if any text is valid.
func (in *field) hint() string {
	return cmp.Or(map[elicit.Format]string{
		elicit.Email: "name@example.org", elicit.URI: "https://…", elicit.Date: "year-month-day",
		elicit.DateTime: "2026-07-28T14:30:00Z",
	}[in.Format], map[elicit.Kind]string{
		elicit.Integer: "a whole number", elicit.Number: "a number",
	}[in.Kind])
}
