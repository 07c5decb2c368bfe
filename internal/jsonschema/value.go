package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// Limits for JSON.
const (
	largest = 2 << 20 // bytes of a schema
	deepest = 200     // nested arrays and objects
)

// Object is a JSON object that keeps the order of its members. For duplicate keys, the last value counts.
type Object struct {
	Keys   []string
	Values map[string]any
}

// NewObject returns an empty object.
func NewObject() *Object { return &Object{Values: map[string]any{}} }

// Set adds or replaces a member.
func (o *Object) Set(key string, value any) {
	if _, known := o.Values[key]; !known {
		o.Keys = append(o.Keys, key)
	}
	o.Values[key] = value
}

// Decode reads a JSON value as *Object, []any, string, json.Number, bool or nil. It returns false for invalid JSON
// and for values beyond the limits.
func Decode(raw []byte) (value any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	value, ok = decode(d, deepest)
	_, err := d.Token()
	return value, ok && errors.Is(err, io.EOF)
}

func decode(d *json.Decoder, levels int) (any, bool) {
	token, err := d.Token()
	if err != nil || levels < 0 {
		return nil, false
	}
	switch token := token.(type) {
	case json.Number:
		_, err := token.Float64()
		return token, err == nil
	case json.Delim:
		if token == '[' {
			return decodeList(d, levels-1)
		}
		return decodeObject(d, levels-1)
	}
	return token, true
}

func decodeList(d *json.Decoder, levels int) (any, bool) {
	list := []any{}
	for d.More() {
		value, ok := decode(d, levels)
		if !ok {
			return nil, false
		}
		list = append(list, value)
	}
	_, err := d.Token()
	return list, err == nil
}

func decodeObject(d *json.Decoder, levels int) (any, bool) {
	o := NewObject()
	for d.More() {
		key, err := d.Token()
		name, isName := key.(string)
		if err != nil || !isName {
			return nil, false
		}
		value, ok := decode(d, levels)
		if !ok {
			return nil, false
		}
		o.Set(name, value)
	}
	_, err := d.Token()
	return o, err == nil
}

// Plain decodes JSON as encoding/json does, but keeps numbers exact, as json.Number.
func Plain(raw []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

// Sorted returns JSON with the members of objects in order. It returns invalid JSON unchanged.
func Sorted(raw []byte) []byte {
	value, err := Plain(raw)
	if err != nil {
		return raw
	}
	sorted, _ := json.Marshal(value) // cannot fail for decoded JSON
	return sorted
}

// Encode returns the JSON of a value from Decode.
func Encode(value any) json.RawMessage {
	var out bytes.Buffer
	encode(&out, value)
	return out.Bytes()
}

func encode(out *bytes.Buffer, value any) {
	switch value := value.(type) {
	case *Object:
		out.WriteByte('{')
		for i, key := range value.Keys {
			if i > 0 {
				out.WriteByte(',')
			}
			encodeText(out, key)
			out.WriteByte(':')
			encode(out, value.Values[key])
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for i, element := range value {
			if i > 0 {
				out.WriteByte(',')
			}
			encode(out, element)
		}
		out.WriteByte(']')
	case string:
		encodeText(out, value)
	default:
		text, ok := Scalar(value)
		if !ok {
			text = "null"
		}
		out.WriteString(text)
	}
}

func encodeText(out *bytes.Buffer, text string) {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	_ = e.Encode(text)          // strings never fail
	out.Truncate(out.Len() - 1) // the line break
}

// Scalar returns a string, number or bool as text.
func Scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return string(v), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// TypeOf returns the JSON Schema type of a value.
func TypeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		if !strings.ContainsAny(string(v), ".eE") {
			return "integer"
		}
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}
