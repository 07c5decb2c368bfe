package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/ui/look"
)

// form is a form that is being filled in: its fields one below the other, and buttons at its end. Buttons are numbered
// from 0. Values stay as they came and are sanitised where they are drawn.
type form struct {
	fields  []*field
	buttons []string
	places  []place // where the cursor can be, from top to bottom
	at      int     // the place of the cursor; -1: nowhere yet
	changed bool    // you wrote or chose something
	follow  bool    // the cursor has to be in view
	rows    look.Scroller
}

// place is where the cursor can be: a field, an option of a field with several choices, or a button.
type place struct {
	field  int // -1: not in a field
	option int // of the field, or the button; -1: neither
}

// newForm begins with the defaults. In a form without fields the cursor is nowhere at first, so that enter does nothing
// by accident.
func newForm(f elicit.Form, buttons ...string) *form {
	x := &form{buttons: buttons}
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
	x.Reopen()
	return x
}

// Reopen puts the cursor at the beginning and keeps the values.
func (x *form) Reopen() {
	x.at, x.rows = 0, look.Scroller{}
	if len(x.fields) == 0 {
		x.at = -1
	}
}

// Key takes a key, and returns the button that it pressed, or -1.
func (x *form) Key(k tea.KeyPressMsg) (button int) {
	x.follow = true
	switch name := k.String(); name {
	case "pgup", "pgdown":
		x.follow = false
		x.rows.Scroll(name)
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
		x.move(x.previousField())
	case "up":
		x.move(x.at - 1)
	case "enter":
		switch {
		case !x.InField():
			return x.Button()
		case len(x.buttons) == 0 && x.at == len(x.places)-1:
			return 0 // a form without buttons is sent from its last field
		}
		x.move(x.nextField())
	default:
		x.edit(k, name)
	}
	return -1
}

// within moves to the beginning or the end of the text under the cursor, and reports whether the cursor was elsewhere
// in a text.
func (x *form) within(k tea.KeyPressMsg, name string) bool {
	text := x.line()
	if text == nil {
		return false
	}
	if before, after := text.parts(); name == "home" && before == "" || name == "end" && after == "" {
		return false
	}
	text.Key(k)
	return true
}

// here is where the cursor is.
func (x *form) here() place {
	if x.at < 0 {
		return place{-1, -1}
	}
	return x.places[x.at]
}

// line is the text under the cursor, or nil.
func (x *form) line() *line {
	if !x.InField() {
		return nil
	}
	if in := x.fields[x.here().field]; in.on == nil && !in.picks() {
		return &in.text
	}
	return nil
}

// edit changes what is under the cursor.
func (x *form) edit(k tea.KeyPressMsg, name string) {
	s := x.here()
	if s.field < 0 {
		switch {
		case name == "left" && s.option > 0:
			x.at--
		case name == "right" && s.option >= 0 && s.option < len(x.buttons)-1:
			x.at++
		}
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
		in.judge() // a mistake that is mended disappears at once
	}
}

// move puts the cursor elsewhere. A field that is left with something in it is checked.
func (x *form) move(to int) {
	to = max(0, min(to, len(x.places)-1))
	if at := x.here().field; at >= 0 && x.places[to].field != at {
		in := x.fields[at]
		in.letters = ""
		if in.on != nil || in.text.Text != "" {
			in.judge()
		}
	}
	x.at = to
}

// nextField is the first place of the next field, or the first button.
func (x *form) nextField() int {
	s, to := x.here(), x.at+1
	for s.field >= 0 && to < len(x.places) && x.places[to].field == s.field {
		to++
	}
	return to
}

// previousField is the first place of the field before, or the button before.
func (x *form) previousField() int {
	s, to := x.here(), x.at-1
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
func (x *form) InField() bool { return x.here().field >= 0 }

// Button is the button under the cursor, or -1.
func (x *form) Button() int {
	if s := x.here(); s.field < 0 {
		return s.option
	}
	return -1
}

// Field returns the name of the text field under the cursor, and what is typed there.
func (x *form) Field() (name, text string) {
	if line := x.line(); line != nil {
		return x.fields[x.here().field].Name, line.Text
	}
	return "", ""
}

// Put replaces what is typed in the field under the cursor.
func (x *form) Put(text string) {
	if line := x.line(); line != nil {
		line.Put(text, "")
	}
}

// Texts returns what is typed in the text fields, by name, without the empty ones.
func (x *form) Texts() map[string]string {
	texts := map[string]string{}
	for _, in := range x.fields {
		if in.text.Text != "" {
			texts[in.Name] = in.text.Text
		}
	}
	return texts
}

// Empty reports whether the form has no fields.
func (x *form) Empty() bool { return len(x.fields) == 0 }

// Touched reports whether you wrote or chose something.
func (x *form) Touched() bool { return x.changed }

// Paste puts a text into the field under the cursor, and reports false if the text is too long for it.
func (x *form) Paste(text string) (taken bool) {
	line := x.line()
	if line == nil {
		return true
	}
	x.follow = true
	taken = line.insertAll(text)
	x.changed = x.changed || taken
	return taken
}

// Writing reports whether a text can be pasted now.
func (x *form) Writing() bool { return x.line() != nil }

// Values are those of all fields, by name. ok is false when one is wrong; the cursor goes to the first of these.
func (x *form) Values() (values map[string]any, ok bool) {
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
