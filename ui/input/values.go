package input

import (
	"encoding/json"
	"fmt"

	"github.com/aloudchat/aloud/sanitize"
)

// Values are those of all fields, by name. When something is wrong with one the cursor goes there.
func (x *Form) Values() (values map[string]any, ok bool) {
	ok = x.judge(func(*field) bool { return true })
	return x.Said(), ok
}

// JudgeBegun tells whether nothing is wrong with the fields in which there is something. Else each says what, and the cursor goes to the first of
// them.
func (x *Form) JudgeBegun() (ok bool) { return x.judge((*field).begun) }

// judge tells whether nothing is wrong with the fields that are meant. Else each says what, and the cursor goes to the first of them.
func (x *Form) judge(meant func(*field) bool) (ok bool) {
	wrong := -1
	for i, s := range x.places {
		if s.field < 0 || s.option > 0 || !meant(x.fields[s.field]) {
			continue
		}
		in := x.fields[s.field]
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

// Said are the values of those fields with which nothing is wrong, by name.
func (x *Form) Said() map[string]any {
	values := map[string]any{}
	for _, in := range x.fields {
		if value, given, err := in.value(); err == nil && given {
			values[in.Name] = value
		}
	}
	return values
}

// Take fills the form in with the values of an object. The error says which of them it cannot show.
func (x *Form) Take(object json.RawMessage) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(object, &values); err != nil {
		return err
	}
	for _, in := range x.fields {
		raw, given := values[in.Name]
		delete(values, in.Name)
		if err := in.take(raw, given); err != nil {
			return fmt.Errorf("the field %q cannot hold its value: %w", in.Title, err)
		}
	}
	for name := range values {
		return fmt.Errorf("there is no field %q", sanitize.Line(sanitize.Cut(name, 100)))
	}
	x.changed = true
	return nil
}
