package elicit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aloudchat/aloud/jsonschema"
	"github.com/aloudchat/aloud/sanitize"
)

// LongestTyped is how many bytes may be typed into a field, or pasted.
const LongestTyped = 1 << 20

var errTooLong = fmt.Errorf("this is longer than the %d MB that a field takes", LongestTyped>>20)

// ErrMissing is what is wrong with a required field that was left empty.
var ErrMissing = errors.New("this has to be filled in")

// Read makes a value of what was typed into a Text, a Number, an Integer or JSON. given is false when nothing was: the value is then left
// out. The error says in one sentence what is wrong.
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
	case Number:
		value, err = readNumber(text)
	case Integer:
		value, err = strconv.ParseInt(text, 10, 64)
		if err != nil {
			err = errors.New("this is no whole number: write digits only, like 42")
		}
	default:
		value, err = readJSON(text)
	}
	if err == nil {
		err = f.Check(value)
	}
	if err != nil {
		return nil, false, err
	}
	return value, true, nil
}

func readNumber(text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789+-.eE") != "" || math.IsInf(n, 0) {
		return 0, errors.New("this is no number: write it like 3.5")
	}
	return n, nil
}

func readJSON(text string) (any, error) {
	value, ok := jsonschema.Decode([]byte(text))
	if !ok {
		return nil, errors.New("this is no JSON, or not all of it")
	}
	return simple(value), nil
}

// Typed is how a value is written so that Read gives it again. It is safe to show.
func (f Field) Typed(value any) string {
	if text, ok := value.(string); ok && f.Kind != JSON {
		return sanitize.Text(text)
	}
	text, err := json.Marshal(value)
	if value == nil || err != nil {
		return ""
	}
	return string(sanitize.JSON(text))
}

// Check returns what is wrong with a value, in one sentence. The value is of the type of the Kind, or nil if there is none.
func (f Field) Check(value any) error {
	if value == nil && f.Kind != Choice && f.Kind != JSON {
		if f.Required {
			return ErrMissing
		}
		return nil
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return errors.New("this cannot be sent as JSON")
	}
	v, ok := jsonschema.Decode(raw)
	if !ok {
		return errors.New("this is nested too deep, or has a number that is too large")
	}
	if faults, known := new(jsonschema.Check).Validate(f.schema, v); len(faults) > 0 && known {
		return errors.New("this " + faultWords(faults[0]))
	}
	text, _ := value.(string)
	if f.Kind == Text {
		return f.Format.check(text)
	}
	return nil
}

// faultWords say a fault after "this": "must be at least 3".
func faultWords(f jsonschema.Fault) string {
	said := line(strings.Replace(f.Text, "expected ", "must be ", 1))
	if len(f.Path) > 0 {
		said = "has a mistake at " + line(strings.Join(f.Path, ".")) + ": " + said
	}
	return said
}

func (f Format) check(text string) error {
	switch f {
	case Email:
		if a, err := mail.ParseAddress(text); err != nil || a.Address != text {
			return errors.New("this is no e-mail address: write it like ann@example.org")
		}
	case URI:
		if u, err := url.Parse(text); err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "" && u.Path == "" || strings.ContainsAny(text, " \t\n") {
			return errors.New("this is no address: write it like https://example.org/page")
		}
	case Date:
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return errors.New("this is no date: write year, month and day, like 2026-07-28")
		}
	case DateTime:
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return errors.New("this is no date with a time: write it like 2026-07-28T14:30:00Z")
		}
	}
	return nil
}
