package elicit

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

var errKind = errors.New("this is a value of another kind")

// Check tells what is wrong with a value, in one sentence. The value is of the type that the Kind says; nil: there is none.
func (f Field) Check(value any) error {
	if value == nil && f.Kind != Choice && f.Kind != JSON {
		if f.Required {
			return ErrMissing
		}
		return nil
	}
	switch f.Kind {
	case Text:
		text, ok := value.(string)
		if !ok {
			return errKind
		}
		return f.checkText(text)
	case Number, Integer:
		return f.checkNumber(value)
	case Boolean:
		if _, ok := value.(bool); !ok {
			return errKind
		}
	case Choice:
		if !f.has(value) {
			return fmt.Errorf("this cannot be chosen: take %s", f.someOptions())
		}
	case Choices:
		return f.checkChoices(value)
	case JSON:
		return f.checkJSON(value)
	}
	return nil
}

func (f Field) has(value any) bool {
	return scalar(value) && slices.ContainsFunc(f.Options, func(o Option) bool { return o.Value == value })
}

func (f Field) checkText(text string) error {
	n := utf8.RuneCountInString(text)
	switch {
	case f.MinLength != nil && n < *f.MinLength:
		return fmt.Errorf("this has %s: at least %d are needed", characters(n), *f.MinLength)
	case f.MaxLength != nil && n > *f.MaxLength:
		return fmt.Errorf("this has %s: at most %d are taken", characters(n), *f.MaxLength)
	}
	return f.Format.check(text)
}

func characters(n int) string {
	if n == 1 {
		return "1 character"
	}
	return fmt.Sprintf("%d characters", n)
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

func (f Field) checkNumber(value any) error {
	var n float64
	switch value := value.(type) {
	case int64:
		n = float64(value)
	case float64:
		if f.Kind == Integer {
			return errKind
		}
		n = value
	default:
		return errKind
	}
	switch {
	case f.Min != nil && n < *f.Min:
		return fmt.Errorf("this is too small: at least %s", plain(*f.Min))
	case f.Max != nil && n > *f.Max:
		return fmt.Errorf("this is too large: at most %s", plain(*f.Max))
	}
	return nil
}

func (f Field) checkChoices(value any) error {
	chosen, ok := value.([]any)
	if !ok {
		return errKind
	}
	offered := make(map[any]bool, len(f.Options))
	for _, o := range f.Options {
		offered[o.Value] = true
	}
	for _, v := range chosen {
		if !scalar(v) || !offered[v] {
			return fmt.Errorf("one of these cannot be chosen: take %s", f.someOptions())
		}
	}
	switch n := len(chosen); {
	case f.MinItems != nil && n < *f.MinItems:
		return fmt.Errorf("%d chosen: at least %d are needed", n, *f.MinItems)
	case f.MaxItems != nil && n > *f.MaxItems:
		return fmt.Errorf("%d chosen: at most %d can be taken", n, *f.MaxItems)
	}
	return nil
}

// examples are of JSON, by shape.
var examples = map[string]string{"array": `["a", "b"]`, "object": `{"name": "value"}`, "": `"text"`}

func (f Field) checkJSON(value any) error {
	_, isObject := value.(map[string]any)
	_, isArray := value.([]any)
	switch {
	case f.shape == "object" && !isObject:
		return fmt.Errorf("this is no JSON object: write it like %s", examples[f.shape])
	case f.shape == "array" && !isArray:
		return fmt.Errorf("this is no JSON array: write it like %s", examples[f.shape])
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
