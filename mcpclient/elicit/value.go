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

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/internal/sanitize"
)

// LongestTyped is the maximum size of a typed or pasted value, in bytes.
const LongestTyped = 1 << 20

var errTooLong = fmt.Errorf("longer than %d MB", LongestTyped>>20)

// ErrMissing is the error of a required field that is empty.
var ErrMissing = errors.New("this field is required")

// Read parses the text typed into a Text, a Number or an Integer. given is false if the text is empty, so that the
// value is left out.
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
		n, wrong := strconv.ParseFloat(text, 64)
		if value = n; wrong != nil || strings.Trim(text, "0123456789+-.eE") != "" || math.IsInf(n, 0) {
			err = errors.New("not a number (example: 3.5)")
		}
	case Integer:
		value, err = strconv.ParseInt(text, 10, 64)
		if err != nil {
			err = errors.New("not a whole number (example: 42)")
		}
	}
	if err == nil {
		err = f.Check(value)
	}
	if err != nil {
		return nil, false, err
	}
	return value, true, nil
}

// Typed returns a value as you would type it, sanitized.
func (f Field) Typed(value any) string {
	if text, ok := value.(string); ok {
		return sanitize.Text(text)
	}
	text, err := json.Marshal(value)
	if value == nil || err != nil {
		return ""
	}
	return string(sanitize.JSON(text))
}

// Check returns an error if the field does not allow a value. The value has the type of the Kind, or is nil if it is
// missing.
func (f Field) Check(value any) error {
	if value == nil && f.Kind != Choice {
		if f.Required {
			return ErrMissing
		}
		return nil
	}
	raw, err := json.Marshal(value)
	v, ok := jsonschema.Decode(raw)
	if err != nil || !ok {
		return errors.New("cannot be encoded as JSON")
	}
	if faults, known := new(jsonschema.Check).Validate(f.schema, v); len(faults) > 0 && known {
		return errors.New(title(strings.Replace(faults[0].Text, "expected ", "must be ", 1)))
	}
	text, _ := value.(string)
	if f.Kind == Text {
		return f.Format.check(text)
	}
	return nil
}

func (f Format) check(text string) error {
	switch f {
	case Email:
		if a, err := mail.ParseAddress(text); err != nil || a.Address != text {
			return errors.New("not an email address (example: ann@example.org)")
		}
	case URI:
		u, err := url.Parse(text)
		if err != nil || u.Scheme == "" || u.Host+u.Opaque+u.Path == "" || strings.ContainsAny(text, " \t\n") {
			return errors.New("not a URL (example: https://example.org/page)")
		}
	case Date:
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return errors.New("not a date (example: 2026-07-28)")
		}
	case DateTime:
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return errors.New("not a date and time (example: 2026-07-28T14:30:00Z)")
		}
	}
	return nil
}
