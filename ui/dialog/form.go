package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/ui/look"
)

// form is a form to fill in: fields one below the other, and buttons at the end. Buttons are numbered from 0. Values
// are not changed, and are sanitised when they are drawn.
type form struct {
	title  string
	asker  any                                     // see Traits
	notice string                                  // see Traits
	above  func(width int, st *look.Look) []string // drawn above the fields
	keys   []string                                // the hint, from long to short
	press  func(button int, values map[string]any) tea.Cmd
	leave  func() tea.Cmd

	fields    []*field
	buttons   []button
	positions []position // where the cursor can be, from top to bottom
	at        int        // index of the cursor in positions; -1 before the first key
	changed   bool       // you wrote or chose something
	leaving   bool       // esc was pressed, and a second one closes the form
	follow    bool       // the cursor must be in view
	rows      look.Scroller
	drawn     look.Memo[canvas, []string] // what is above
}

// button ends a form. The first one requires all fields to be valid.
type button struct {
	name string
	hint string // shown if the cursor is on it; "" means that of the form
}

// position is where the cursor can be: a field, an option of a field with several choices, or a button.
type position struct {
	field  int // -1 outside of fields
	option int // of the field, or the button; -1 if neither
}

// newForm begins with the defaults. In a form without fields nothing has the cursor at first, so that enter has no
// effect by accident.
func newForm(ask elicit.Form, buttons ...button) *form {
	f := &form{buttons: buttons}
	for i, one := range ask.Fields {
		in := newField(one)
		f.fields = append(f.fields, in)
		if in.on == nil {
			f.positions = append(f.positions, position{i, -1})
		}
		for o := range in.on {
			f.positions = append(f.positions, position{i, o})
		}
	}
	for b := range buttons {
		f.positions = append(f.positions, position{-1, b})
	}
	if len(f.fields) == 0 {
		f.at = -1
	}
	return f
}

// Traits implements Dialog. Letters are for fields, not for buttons.
func (f *form) Traits() Traits {
	return Traits{Letters: f.here().field >= 0, Text: f.line() != nil, Asker: f.asker, Notice: f.notice}
}

func (f *form) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return false, f.paste(msg)
	case tea.KeyPressMsg:
		name := msg.String()
		if f.leaving = name == "esc" && f.changed && !f.leaving; f.leaving {
			return false, nil
		}
		if name == "esc" || name == "ctrl+c" {
			return true, f.leave()
		}
		return f.key(msg)
	}
	return false, nil
}

func (f *form) key(k tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	f.follow = true
	switch name := k.String(); name {
	case "pgup", "pgdown":
		f.follow = false
		f.rows.Scroll(name)
	case "tab":
		f.move(f.otherField(1))
	case "shift+tab":
		f.move(f.otherField(-1))
	case "down":
		f.move(f.at + 1)
	case "up":
		f.move(f.at - 1)
	case "enter":
		switch here := f.here(); {
		case here.field < 0:
			return f.end(here.option)
		case len(f.buttons) == 0 && f.at == len(f.positions)-1: // a form without buttons is sent from its last field
			return f.end(0)
		}
		f.move(f.otherField(1))
	default:
		f.edit(k, name)
	}
	return false, nil
}

// end presses a button; -1 means none.
func (f *form) end(button int) (done bool, cmd tea.Cmd) {
	var values map[string]any
	if button == 0 {
		values = f.values()
	}
	if button < 0 || button == 0 && values == nil {
		return false, nil
	}
	return true, f.press(button, values)
}

// here returns the position of the cursor.
func (f *form) here() position {
	if f.at < 0 {
		return position{-1, -1}
	}
	return f.positions[f.at]
}

// line returns the text under the cursor, or nil.
func (f *form) line() *line {
	if here := f.here(); here.field >= 0 && f.fields[here.field].types() {
		return &f.fields[here.field].text
	}
	return nil
}

// edit changes the field under the cursor.
func (f *form) edit(k tea.KeyPressMsg, name string) {
	here, text := f.here(), f.line()
	switch {
	case text == nil && name == "home":
		f.move(0)
	case text == nil && name == "end":
		f.move(len(f.positions) - len(f.buttons))
	case here.field < 0 && name == "left":
		f.move(f.at - 1)
	case here.field < 0 && name == "right":
		f.move(f.at + 1)
	case here.field >= 0:
		f.changed = true
		f.fields[here.field].edit(k, name, here.option)
	}
}

// move moves the cursor. A field that it leaves is checked unless it is empty.
func (f *form) move(to int) {
	to = max(0, min(to, len(f.positions)-1))
	if at := f.here().field; at >= 0 && f.positions[to].field != at {
		if in := f.fields[at]; in.on != nil || in.text.Text != "" {
			_, _, _ = in.judge() // the error is shown below the field
		}
	}
	f.at = to
}

// otherField returns the nearest position outside this field in a direction.
func (f *form) otherField(by int) int {
	here, to := f.here().field, f.at+by
	for here >= 0 && to >= 0 && to < len(f.positions) && f.positions[to].field == here {
		to += by
	}
	return to
}

// paste puts a text into the field under the cursor.
func (f *form) paste(msg tea.PasteMsg) tea.Cmd {
	line := f.line()
	if line == nil {
		return nil
	}
	f.follow = true
	before := line.Text
	cmd := line.Update(msg)
	f.changed = f.changed || line.Text != before
	return cmd
}

// values returns the values of all fields, by name, or nil if one is invalid. The cursor moves to the first invalid
// one.
func (f *form) values() map[string]any {
	values, wrong := map[string]any{}, false
	for i, in := range f.fields {
		value, given, err := in.judge()
		if err != nil && !wrong {
			wrong, f.at = true, slices.IndexFunc(f.positions, func(p position) bool { return p.field == i })
		}
		if given {
			values[in.Name] = value
		}
	}
	if wrong {
		return nil
	}
	return values
}
