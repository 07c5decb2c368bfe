package elicit

import (
	"encoding/json"
	"errors"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"github.com/aloudchat/aloud/jsonschema"
	"github.com/aloudchat/aloud/sanitize"
)

// Check returns what is wrong with a value, in one sentence. The value is of the type that the Kind says; nil if there is none.
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
	words := sanitize.Clip(sanitize.Line(strings.Replace(f.Text, "expected ", "must be ", 1)), maxTitle)
	if len(f.Path) > 0 {
		words = "has a mistake at " + sanitize.Clip(sanitize.Line(strings.Join(f.Path, ".")), maxTitle) + ": " + words
	}
	return words
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

// settle makes a value that came as JSON one of the field, or says what is wrong with it.
func (f Field) settle(value any) (any, error) {
	switch n := value.(type) {
	case int64:
		if f.Kind == Number {
			value = float64(n)
		}
	case float64:
		if f.Kind == Integer {
			whole, err := wholeOf(n)
			if err != nil {
				return nil, err
			}
			value = whole
		}
	}
	return value, f.Check(value)
}
