package ui

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/form"
	"github.com/aloudchat/aloud/sanitize"
)

// fillIn is a form that is being filled in: its fields one below the other, and buttons at its end. Whoever shows it asks after each key
// whether a button was pressed.
type fillIn struct {
	inputs  []*input
	buttons []string
	places  []place // where the cursor can be, from top to bottom
	at      int     // the place of the cursor; -1: it is nowhere yet
	changed bool    // something is in it that somebody wrote or chose
	follow  bool    // the cursor has to be in view
	scroller
}

// place is where the cursor can be: a field, an option of one, or a button.
type place struct {
	input  int // -1: a button
	option int // of a field with several choices, or the button; else -1
}

// input is one field with what was said so far.
type input struct {
	form.Field
	text   field  // what was typed
	chosen int    // of one with options, -1: none
	on     []bool // of one of which several can be chosen
	fault  string // what is wrong with it, once somebody has left it or wants to send
	begun  string // the beginning of an option that is being typed
	judged memo[string, string]
}

// newFillIn begins with the defaults. A form without fields has the cursor nowhere, so that enter does nothing by accident.
func newFillIn(f form.Form, buttons ...string) *fillIn {
	x := &fillIn{buttons: buttons}
	for i, one := range f.Fields {
		in := newInput(one)
		x.inputs = append(x.inputs, in)
		if in.on == nil {
			x.places = append(x.places, place{i, -1})
		}
		for o := range in.on {
			x.places = append(x.places, place{i, o})
		}
	}
	for b := range buttons {
		x.places = append(x.places, place{-1, b})
	}
	if len(x.inputs) == 0 {
		x.at = -1
	}
	return x
}

func newInput(f form.Field) *input {
	in := &input{Field: f, chosen: -1}
	switch f.Kind {
	case form.Boolean:
		in.Options = []form.Option{{Value: true, Title: "yes"}, {Value: false, Title: "no"}}
		fallthrough
	case form.Choice:
		for i, o := range in.Options {
			if f.Default != nil && o.Value == f.Default {
				in.chosen = i
				break
			}
		}
	case form.Choices:
		in.on = make([]bool, len(f.Options))
		given, _ := f.Default.([]any)
		for i, o := range f.Options {
			for _, v := range given {
				in.on[i] = in.on[i] || o.Value == v
			}
		}
	default:
		in.text.insert(f.Typed(f.Default))
	}
	return in
}

// picks tells whether one of some options is chosen, and nothing typed.
func (in *input) picks() bool { return in.Kind == form.Boolean || in.Kind == form.Choice }

// value is what was said; given is false when nothing was, and may be left out.
func (in *input) value() (value any, given bool, err error) {
	switch {
	case in.picks() && in.chosen < 0:
		if in.Required {
			return nil, false, form.ErrMissing
		}
		return nil, false, nil
	case in.picks():
		return in.Options[in.chosen].Value, true, nil
	case in.on == nil:
		return in.Read(in.text.text)
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

func (in *input) judge() {
	in.fault = ""
	if _, _, err := in.value(); err != nil {
		in.fault = err.Error()
	}
}

// turn goes on to another option, by way of none where that is possible.
func (in *input) turn(by int) {
	n := len(in.Options)
	if in.Required {
		in.chosen = (max(in.chosen, 0) + n + by*min(1, in.chosen+1)) % n
		return
	}
	in.chosen = (in.chosen+1+by+n+1)%(n+1) - 1
}

// unfinished says what is wrong with JSON that is still being written.
func (in *input) unfinished() string {
	if in.Kind != form.JSON || in.text.text == "" || in.fault != "" {
		return ""
	}
	return in.judged.of(in.text.text, func() string {
		if _, _, err := in.value(); err != nil {
			return err.Error()
		}
		return ""
	})
}

// jump goes to the next option that begins with what was typed, or else with its last letter, and tells whether there is one.
func (in *input) jump(letters string) bool {
	from := max(in.chosen, 0)
	in.begun = strings.ToLower(in.begun + letters)
	if len(in.begun) == len(letters) {
		from = in.chosen + 1
	}
	for i := range in.Options {
		o := (from + i) % len(in.Options)
		if strings.HasPrefix(strings.ToLower(in.Options[o].Title), in.begun) {
			in.chosen = o
			return true
		}
	}
	if len(in.begun) > len(letters) {
		in.begun = ""
		return in.jump(letters)
	}
	in.begun = ""
	return false
}

// key takes a key, and returns the button that was pressed by it, or -1.
func (x *fillIn) key(k tea.KeyPressMsg) (button int) {
	x.follow = true
	switch name := k.String(); name {
	case "pgup", "pgdown":
		if x.leap(map[string]int{"pgup": -1, "pgdown": 1}[name] * max(1, x.page-1)) {
			break
		}
		x.follow = false
		x.scroll(name)
	case "home":
		x.move(0)
	case "end":
		x.move(len(x.places) - len(x.buttons))
	case "tab":
		x.move(x.nextField())
	case "down":
		x.move(x.at + 1)
	case "shift+tab":
		x.move(x.lastField())
	case "up":
		x.move(x.at - 1)
	case "enter":
		if s, ok := x.here(); ok && s.input < 0 {
			return s.option
		} else if ok {
			x.move(x.nextField())
		}
	default:
		x.edit(k, name)
	}
	return -1
}

// leap goes on by so many options within a field that has more of them than are in view, and tells whether it does.
func (x *fillIn) leap(by int) bool {
	s, ok := x.here()
	if !ok || s.input < 0 || len(x.inputs[s.input].on) <= x.page {
		return false
	}
	x.move(x.at - s.option + max(0, min(s.option+by, len(x.inputs[s.input].on)-1)))
	return true
}

// here is where the cursor is.
func (x *fillIn) here() (place, bool) {
	if x.at < 0 {
		return place{}, false
	}
	return x.places[x.at], true
}

// edit changes the field under the cursor.
func (x *fillIn) edit(k tea.KeyPressMsg, name string) {
	s, ok := x.here()
	switch {
	case !ok:
		return
	case s.input < 0:
		if by, ok := map[string]int{"left": -1, "right": 1}[name]; ok && s.option+by >= 0 && s.option+by < len(x.buttons) {
			x.at += by
		}
		return
	}
	in := x.inputs[s.input]
	x.changed = true
	switch {
	case in.on != nil:
		if name == "space" || name == "x" {
			in.on[s.option] = !in.on[s.option]
		}
	case in.picks():
		in.pick(k, name)
	default:
		in.text.key(k)
	}
	if in.fault != "" {
		in.judge() // it goes as soon as it is mended
	}
}

// pick chooses one of the options.
func (in *input) pick(k tea.KeyPressMsg, name string) {
	if k.Text != "" && (name != "space" || in.begun != "") && in.jump(k.Text) {
		return
	}
	in.begun = ""
	switch {
	case name == "space", name == "right":
		in.turn(1)
	case name == "left":
		in.turn(-1)
	case name == "backspace" && !in.Required:
		in.chosen = -1
	}
}

// move puts the cursor elsewhere. What is wrong with a field is said when it is left with something in it.
func (x *fillIn) move(to int) {
	to = max(0, min(to, len(x.places)-1))
	if s, ok := x.here(); ok && s.input >= 0 && x.places[to].input != s.input {
		in := x.inputs[s.input]
		in.begun = ""
		if in.on != nil || in.text.text != "" {
			in.judge()
		}
	}
	x.at = to
}

// nextField is the first place of the next field, or the first button.
func (x *fillIn) nextField() int {
	s, ok := x.here()
	to := x.at + 1
	for ok && s.input >= 0 && to < len(x.places) && x.places[to].input == s.input {
		to++
	}
	return to
}

// lastField is the first place of the field before.
func (x *fillIn) lastField() int {
	s, _ := x.here()
	to := x.at - 1
	if s.input < 0 {
		return to
	}
	for to >= 0 && x.places[to].input == s.input {
		to--
	}
	for to > 0 && x.places[to-1].input == x.places[to].input {
		to--
	}
	return to
}

// paste puts a text into the field under the cursor.
func (x *fillIn) paste(text string) {
	if s, ok := x.here(); ok && s.input >= 0 && x.writes(s) {
		x.changed, x.follow = true, true
		x.inputs[s.input].text.insert(text)
	}
}

// writes tells whether text can be typed at a place.
func (x *fillIn) writes(s place) bool {
	return !x.inputs[s.input].picks() && x.inputs[s.input].on == nil
}

// writing tells whether a text can be pasted now.
func (x *fillIn) writing() bool {
	s, ok := x.here()
	return ok && s.input >= 0 && x.writes(s)
}

// values are those of all fields, by name. When something is wrong with one the cursor goes there.
func (x *fillIn) values() (values map[string]any, ok bool) {
	wrong := -1
	for i, s := range x.places {
		if s.input < 0 || s.option > 0 {
			continue
		}
		in := x.inputs[s.input]
		in.judge()
		if in.fault != "" && wrong < 0 {
			wrong = i
		}
	}
	if wrong >= 0 {
		x.at, x.follow = wrong, true
	}
	return x.said(), wrong < 0
}

// said are the values of those fields with which nothing is wrong, by name.
func (x *fillIn) said() map[string]any {
	values := map[string]any{}
	for _, in := range x.inputs {
		if value, given, err := in.value(); err == nil && given {
			values[in.Name] = value
		}
	}
	return values
}

// take fills the form in with the values of an object. The error says which of them it cannot show.
func (x *fillIn) take(object json.RawMessage) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(object, &values); err != nil {
		return err
	}
	for _, in := range x.inputs {
		raw, given := values[in.Name]
		delete(values, in.Name)
		if err := in.take(raw, given); err != nil {
			return fmt.Errorf("the field %q cannot hold its value: %w", in.Title, err)
		}
	}
	for name := range values {
		return fmt.Errorf("there is no field %q", sanitize.Line(cut(name, 100)))
	}
	x.changed = true
	return nil
}

// take fills the field in, or leaves it empty. What could not be read from it again is no value for it.
func (in *input) take(raw json.RawMessage, given bool) error {
	in.chosen, in.text.text = -1, ""
	clear(in.on)
	if !given {
		return nil
	}
	value, err := in.FromJSON(raw)
	if err != nil {
		return err
	}
	several, _ := value.([]any)
	for i, o := range in.Options {
		if in.on != nil {
			in.on[i] = slices.Contains(several, o.Value)
		} else if o.Value == value && in.chosen < 0 {
			in.chosen = i
		}
	}
	if in.on == nil && !in.picks() {
		in.text.insert(in.Typed(value))
	}
	if again, _, err := in.value(); err != nil || !reflect.DeepEqual(again, value) {
		return errors.New("it is written as JSON only")
	}
	return nil
}

// hint says what is expected in an empty field.
func (in *input) hint() string {
	switch {
	case in.Format == form.Email:
		return "name@example.org"
	case in.Format == form.URI:
		return "https://…"
	case in.Format == form.Date:
		return "year-month-day"
	case in.Format == form.DateTime:
		return "2026-07-28T14:30:00Z"
	case in.Kind == form.Integer:
		return strings.TrimSpace("a whole number " + in.span())
	case in.Kind == form.Number:
		return strings.TrimSpace("a number " + in.span())
	case in.Kind == form.JSON:
		return cmp.Or(in.Example, "JSON")
	}
	return ""
}

func (in *input) span() string {
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
