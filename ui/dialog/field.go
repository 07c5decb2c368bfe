package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/ui/look"
)

// field is one field with its value so far.
type field struct {
	elicit.Field
	text    line   // what was typed
	chosen  int    // the chosen option; -1: none
	on      []bool // the chosen options, where you can choose several; else nil
	fault   string // what is wrong with the value, after you left the field or pressed a button
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
		chosen := map[any]bool{}
		list, _ := f.Default.([]any)
		for _, value := range list {
			chosen[value] = true
		}
		in.on = make([]bool, len(f.Options))
		for i, o := range in.Options {
			in.on[i] = chosen[o.Value]
		}
	default:
		text, ok := f.Default.(string) // a text goes as it came
		if !ok || f.Kind != elicit.Text {
			text = in.Typed(f.Default)
		}
		in.text.Put(text, "")
	}
	return in
}

// picks reports whether you choose one option here and do not type.
func (in *field) picks() bool { return in.Kind == elicit.Boolean || in.Kind == elicit.Choice }

// value is the value of the field; given is false when it is empty and optional.
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

// turn moves to another option, and to none if the field is optional.
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

// unfinished says what is wrong with JSON while you type it.
func (in *field) unfinished() string {
	if in.Kind != elicit.JSON || in.text.Text == "" || in.fault != "" {
		return ""
	}
	return in.judged.Of(in.text.Text, func() string { // which may be a megabyte
		if _, _, err := in.value(); err != nil {
			return err.Error()
		}
		return ""
	})
}

// jump moves to the next option that begins with the letters typed so far, or else with the last one, and reports
// whether there is one.
func (in *field) jump(typed string) bool {
	typed = strings.ToLower(typed)
	for _, letters := range []string{in.letters + typed, typed} {
		from := max(in.chosen, 0)
		if letters == typed {
			from = in.chosen + 1
		}
		for i := range in.Options {
			o := (from + i) % len(in.Options)
			if strings.HasPrefix(strings.ToLower(in.Options[o].Title), letters) {
				in.letters, in.chosen = letters, o
				return true
			}
		}
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
		return "a whole number"
	case in.Kind == elicit.Number:
		return "a number"
	case in.Kind == elicit.JSON:
		return "JSON"
	}
	return ""
}
