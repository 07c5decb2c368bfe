package ui

import (
	"encoding/json"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/form"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
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
	look.Scroller
}

// place is where the cursor can be: a field, an option of one, or a button.
type place struct {
	input  int // -1: a button
	option int // of a field with several choices, or the button; else -1
}

// newFillIn begins with the defaults. A form without fields has the cursor nowhere, so that enter does nothing by accident.
func newFillIn(f form.Form, buttons ...string) *fillIn {
	x := &fillIn{}
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
	x.reopen(buttons)
	return x
}

// reopen has the cursor at the beginning, and the fields as they are.
func (x *fillIn) reopen(buttons []string) {
	x.buttons, x.at, x.Scroller = buttons, 0, look.Scroller{}
	if len(x.inputs) == 0 {
		x.at = -1
	}
}

// key takes a key, and returns the button that was pressed by it, or -1.
func (x *fillIn) key(k tea.KeyPressMsg) (button int) {
	x.follow = true
	switch name := k.String(); name {
	case "pgup", "pgdown":
		if x.leap(map[string]int{"pgup": -1, "pgdown": 1}[name] * max(1, x.Page-1)) {
			break
		}
		x.follow = false
		x.Scroll(name)
	case "home", "end":
		if x.within(k, name) {
			break
		}
		x.move(map[string]int{"home": 0, "end": len(x.places) - len(x.buttons)}[name])
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

// within goes to the beginning or the end of the text under the cursor, and tells whether it was elsewhere in one.
func (x *fillIn) within(k tea.KeyPressMsg, name string) bool {
	if !x.writing() {
		return false
	}
	text := &x.inputs[x.places[x.at].input].text
	if before, after := text.parts(); name == "home" && before == "" || name == "end" && after == "" {
		return false
	}
	text.key(k)
	return true
}

// leap goes on by so many options within a field that has more of them than are in view, and tells whether it does.
func (x *fillIn) leap(by int) bool {
	s, ok := x.here()
	if !ok || s.input < 0 || len(x.inputs[s.input].on) <= x.Page {
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

// move puts the cursor elsewhere. What is wrong with a field is said when it is left with something in it.
func (x *fillIn) move(to int) {
	to = max(0, min(to, len(x.places)-1))
	if s, ok := x.here(); ok && s.input >= 0 && x.places[to].input != s.input {
		in := x.inputs[s.input]
		in.letters = ""
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
		x.inputs[s.input].text.insertAll(text)
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
	ok = x.judge(func(*input) bool { return true })
	return x.said(), ok
}

// judge tells whether nothing is wrong with the fields that are meant. Else each says what, and the cursor goes to the first of them.
func (x *fillIn) judge(meant func(*input) bool) (ok bool) {
	wrong := -1
	for i, s := range x.places {
		if s.input < 0 || s.option > 0 || !meant(x.inputs[s.input]) {
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
	return wrong < 0
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
		return fmt.Errorf("there is no field %q", sanitize.Line(look.Cut(name, 100)))
	}
	x.changed = true
	return nil
}
