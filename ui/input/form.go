// Package input is what you type into: one line (Line), and forms with fields and buttons (Form). Both take keys and draw themselves.
package input

import (
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/ui/look"
)

// Form is a form that is being filled in: its fields one below the other, and buttons at its end. Buttons are told by their place, from 0.
// What is put into its fields stays as it came, and is made safe where it is drawn.
type Form struct {
	fields  []*field
	buttons []string
	places  []place // where the cursor can be, from top to bottom
	at      int     // the place of the cursor; -1: it is nowhere yet
	changed bool    // you wrote or chose something
	follow  bool    // the cursor has to be in view
	rows    look.Scroller
}

// place is where the cursor can be: a field, an option of one, or a button.
type place struct {
	field  int // -1: a button
	option int // of a field with several choices, or the button; else -1
}

// NewForm begins with the defaults. A form without fields has the cursor nowhere, so that enter does nothing by accident.
func NewForm(f elicit.Form, buttons ...string) *Form {
	x := &Form{}
	for i, one := range f.Fields {
		in := newField(one)
		x.fields = append(x.fields, in)
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
	x.buttons = buttons
	x.Reopen()
	return x
}

// Reopen puts the cursor at the beginning and leaves the fields as they are.
func (x *Form) Reopen() {
	x.at, x.rows = 0, look.Scroller{}
	if len(x.fields) == 0 {
		x.at = -1
	}
}

// Key takes a key, and returns the button that was pressed by it, or -1.
func (x *Form) Key(k tea.KeyPressMsg) (button int) {
	x.follow = true
	switch name := k.String(); name {
	case "pgup", "pgdown":
		by := max(1, x.rows.Page-1)
		if name == "pgup" {
			by = -by
		}
		if !x.leap(by) {
			x.follow = false
			x.rows.Scroll(name)
		}
	case "home":
		if !x.within(k, name) {
			x.move(0)
		}
	case "end":
		if !x.within(k, name) {
			x.move(len(x.places) - len(x.buttons))
		}
	case "tab":
		x.move(x.nextField())
	case "down":
		x.move(x.at + 1)
	case "shift+tab":
		x.move(x.lastField())
	case "up":
		x.move(x.at - 1)
	case "enter":
		if s, ok := x.here(); ok && s.field < 0 {
			return s.option
		} else if ok {
			x.move(x.nextField())
		}
	default:
		x.edit(k, name)
	}
	return -1
}

// within goes to the beginning or the end of the text under the cursor, and reports whether it was elsewhere in one.
func (x *Form) within(k tea.KeyPressMsg, name string) bool {
	if !x.Writing() {
		return false
	}
	text := &x.fields[x.places[x.at].field].text
	if before, after := text.parts(); name == "home" && before == "" || name == "end" && after == "" {
		return false
	}
	text.Key(k)
	return true
}

// leap goes on by so many options within a field that has more of them than are in view, and reports whether it does.
func (x *Form) leap(by int) bool {
	s, ok := x.here()
	if !ok || s.field < 0 || len(x.fields[s.field].on) <= x.rows.Page {
		return false
	}
	x.move(x.at - s.option + max(0, min(s.option+by, len(x.fields[s.field].on)-1)))
	return true
}

// here is where the cursor is.
func (x *Form) here() (place, bool) {
	if x.at < 0 {
		return place{}, false
	}
	return x.places[x.at], true
}

// edit changes the field under the cursor.
func (x *Form) edit(k tea.KeyPressMsg, name string) {
	s, ok := x.here()
	switch {
	case !ok:
	case s.field < 0 && name == "left" && s.option > 0:
		x.at--
	case s.field < 0 && name == "right" && s.option < len(x.buttons)-1:
		x.at++
	}
	if !ok || s.field < 0 {
		return
	}
	in := x.fields[s.field]
	x.changed = true
	switch {
	case in.on != nil:
		if name == "space" || name == "x" {
			in.on[s.option] = !in.on[s.option]
		}
	case in.picks():
		in.pick(k, name)
	default:
		in.text.Key(k)
	}
	if in.fault != "" {
		in.judge() // it goes as soon as it is mended
	}
}

// move puts the cursor elsewhere. What is wrong with a field is said when it is left with something in it.
func (x *Form) move(to int) {
	to = max(0, min(to, len(x.places)-1))
	if s, ok := x.here(); ok && s.field >= 0 && x.places[to].field != s.field {
		in := x.fields[s.field]
		in.letters = ""
		if in.on != nil || in.text.Text != "" {
			in.judge()
		}
	}
	x.at = to
}

// nextField is the first place of the next field, or the first button.
func (x *Form) nextField() int {
	s, ok := x.here()
	to := x.at + 1
	for ok && s.field >= 0 && to < len(x.places) && x.places[to].field == s.field {
		to++
	}
	return to
}

// lastField is the first place of the field before.
func (x *Form) lastField() int {
	s, _ := x.here()
	to := x.at - 1
	if s.field < 0 {
		return to
	}
	for to >= 0 && x.places[to].field == s.field {
		to--
	}
	for to > 0 && x.places[to-1].field == x.places[to].field {
		to--
	}
	return to
}

// InField reports whether the cursor is in a field, so that letters mean something.
func (x *Form) InField() bool {
	s, ok := x.here()
	return ok && s.field >= 0
}

// Button is the one under the cursor, by its place; -1: none is.
func (x *Form) Button() int {
	if s, ok := x.here(); ok && s.field < 0 {
		return s.option
	}
	return -1
}

// Empty reports whether there is no field in it.
func (x *Form) Empty() bool { return len(x.fields) == 0 }

// Touched reports whether you wrote or chose something.
func (x *Form) Touched() bool { return x.changed }

// Paste puts a text into the field under the cursor. It is not taken when the field cannot hold all of it.
func (x *Form) Paste(text string) (taken bool) {
	if s, ok := x.here(); ok && s.field >= 0 && x.writes(s) {
		x.follow = true
		taken = x.fields[s.field].text.insertAll(text)
		x.changed = x.changed || taken
		return taken
	}
	return true
}

// writes reports whether text can be typed at a place.
func (x *Form) writes(s place) bool {
	return !x.fields[s.field].picks() && x.fields[s.field].on == nil
}

// Writing reports whether a text can be pasted now.
func (x *Form) Writing() bool {
	s, ok := x.here()
	return ok && s.field >= 0 && x.writes(s)
}

// Values are those of all fields, by name. When something is wrong with one the cursor goes there, and ok is false.
func (x *Form) Values() (values map[string]any, ok bool) {
	values, ok = map[string]any{}, true
	for i, s := range x.places {
		if s.field < 0 || s.option > 0 {
			continue
		}
		in := x.fields[s.field]
		value, given, err := in.value()
		if in.judge(); err != nil && ok {
			ok, x.at, x.follow = false, i, true
		} else if given {
			values[in.Name] = value
		}
	}
	return values, ok
}
