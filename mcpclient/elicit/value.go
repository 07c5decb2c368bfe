package elicit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aloudchat/aloud/jsonschema"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/spelling"
)

// LongestTyped is how many bytes may be typed into a field, or pasted.
const LongestTyped = 1 << 20

var errTooLong = fmt.Errorf("this is longer than the %d MB that a field takes", LongestTyped>>20)

// ErrMissing is what is wrong with a required field that was left empty.
var ErrMissing = errors.New("this has to be filled in")

// Read makes a value of what was typed. given is false when nothing was: the value is then left out. The error says in one sentence why it is
// no value of the field. A Choice takes the value or the title of an option, and Choices several of them with commas between.
func (f Field) Read(typed string) (value any, given bool, err error) {
	if len(typed) > LongestTyped {
		return nil, false, errTooLong
	}
	text := strings.TrimSpace(typed)
	if text == "" {
		if f.Required {
			return nil, false, ErrMissing
		}
		return nil, false, nil
	}
	switch f.Kind {
	case Text:
		value = typed
	case Number, Integer:
		value, err = f.readNumber(text)
	case Boolean:
		value, err = readBool(text)
	case Choice:
		value, err = f.choose(text)
	case Choices:
		value, err = f.chooseAll(text)
	default:
		value, err = f.readJSON(text)
	}
	if err == nil {
		err = f.Check(value)
	}
	if err != nil {
		return nil, false, err
	}
	return value, true, nil
}

// FromJSON makes a value of the field of one that came as JSON. The error says in one sentence why it is none.
func (f Field) FromJSON(raw json.RawMessage) (any, error) {
	value, ok := decode(raw)
	if !ok {
		return nil, errors.New("this is no JSON value")
	}
	return f.settle(value)
}

// Typed is how a value is written so that Read gives it again, which is what you begin with to change it. It is safe to show.
func (f Field) Typed(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case []any:
		if f.Kind == Choices {
			var titles []string
			for _, v := range value {
				titles = append(titles, f.titleOf(v))
			}
			return strings.Join(titles, ", ")
		}
	case string:
		if f.Kind == Text {
			return sanitize.Text(value)
		}
	}
	switch f.Kind {
	case Choice:
		return f.titleOf(value)
	case JSON:
		text, err := json.Marshal(value)
		if err != nil {
			return ""
		}
		return string(sanitize.JSON(text))
	default:
		return sanitize.Line(plain(value))
	}
}

func (f Field) titleOf(value any) string {
	for _, o := range f.Options {
		if o.Value == value {
			return o.Title
		}
	}
	return sanitize.Line(plain(value))
}

func (f Field) readNumber(text string) (any, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789+-.eE") != "" || math.IsInf(n, 0) {
		if f.Kind == Integer {
			return nil, errors.New("this is no whole number: write digits only, like 42")
		}
		return nil, errors.New("this is no number: write it like 3.5")
	}
	if f.Kind == Number {
		return n, nil
	}
	if whole, err := strconv.ParseInt(strings.TrimPrefix(text, "+"), 10, 64); err == nil {
		return whole, nil
	}
	return wholeOf(n)
}

func wholeOf(n float64) (any, error) {
	if n != math.Trunc(n) || math.Abs(n) > 1<<53 {
		return nil, errors.New("this is no whole number: write digits only, like 42")
	}
	return int64(n), nil
}

func readBool(text string) (any, error) {
	switch strings.ToLower(text) {
	case "true", "yes", "y", "on", "1":
		return true, nil
	case "false", "no", "n", "off", "0":
		return false, nil
	}
	return nil, errors.New("this is neither yes nor no: write one of the two")
}

// choose finds an option by its value or its title, and one that can only be meant in other letters.
func (f Field) choose(text string) (any, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, o := range f.Options {
			if same(plain(o.Value), text) || same(o.Title, text) {
				return o.Value, nil
			}
		}
	}
	shown := sanitize.Clip(sanitize.Line(text), 40)
	nearest, distance := "", min(len(text), 60)/3
	for _, o := range f.Options {
		if d := spelling.Distance(strings.ToLower(o.Title), strings.ToLower(text)); d <= distance {
			nearest, distance = o.Title, d-1
		}
	}
	if nearest != "" {
		return nil, fmt.Errorf("there is no %q to choose: maybe %q", shown, nearest)
	}
	return nil, fmt.Errorf("there is no %q to choose: take %s", shown, f.someOptions())
}

// someOptions names what can be chosen, and not more than a sentence holds.
func (f Field) someOptions() string {
	var names []string
	for i, o := range f.Options {
		if i == 5 {
			names = append(names, fmt.Sprintf("one of %d more", len(f.Options)-i))
			break
		}
		names = append(names, sanitize.Clip(o.Title, 40))
	}
	return strings.Join(names, ", ")
}

func (f Field) chooseAll(text string) (any, error) {
	wanted := map[any]bool{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		value, err := f.choose(part)
		if err != nil {
			return nil, err
		}
		wanted[value] = true
	}
	chosen := []any{}
	for _, o := range f.Options {
		if wanted[o.Value] {
			chosen = append(chosen, o.Value)
			delete(wanted, o.Value) // options may come twice
		}
	}
	return chosen, nil
}

func (f Field) readJSON(text string) (any, error) {
	if value, ok := decode(json.RawMessage(text)); ok {
		return value, nil
	}
	like := `"text"`
	switch kindOf(f.schema) {
	case "array":
		like = `["a", "b"]`
	case "object":
		like = `{"name": "value"}`
	}
	err := json.Unmarshal([]byte(text), new(any))
	if broken, ok := errors.AsType[*json.SyntaxError](err); ok && !strings.HasPrefix(broken.Error(), "unexpected end") {
		return nil, fmt.Errorf("this is no JSON from character %d on: write it like %s", utf8.RuneCountInString(text[:broken.Offset]), like)
	}
	return nil, fmt.Errorf("this JSON is not complete: write it like %s", like)
}

// decode reads a JSON text with whole numbers as int64. ok is false when it is none.
func decode(raw json.RawMessage) (value any, ok bool) {
	value, ok = jsonschema.Decode(raw)
	return simple(value), ok
}

func scalar(value any) bool {
	switch value.(type) {
	case nil, string, bool, int64, float64:
		return true
	}
	return false
}

// plain writes a scalar without quotes.
func plain(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}
