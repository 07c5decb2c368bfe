package ollama

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// object is a JSON object with the order of its keys. Of a key that comes twice the last value counts.
type object struct {
	keys   []string
	values map[string]json.RawMessage
}

// parseObject reads raw; ok is false when it is not a JSON object.
func parseObject(raw json.RawMessage) (o object, ok bool) {
	o.values = map[string]json.RawMessage{}
	d := json.NewDecoder(bytes.NewReader(raw))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return o, false
	}
	for d.More() {
		key, err := d.Token()
		name, isName := key.(string)
		if err != nil || !isName {
			return o, false
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return o, false
		}
		o.set(name, value)
	}
	return o, true
}

func (o *object) set(key string, value json.RawMessage) {
	if _, known := o.values[key]; !known {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

// has says whether there is something at key other than null.
func (o object) has(key string) bool {
	v := bytes.TrimSpace(o.values[key])
	return len(v) > 0 && !bytes.Equal(v, []byte("null"))
}

// The readers below give the zero value for what is missing or of another type: schemas of strangers have both.

func (o object) text(key string) string {
	var s string
	_ = json.Unmarshal(o.values[key], &s)
	return s
}

func (o object) isTrue(key string) bool {
	var b bool
	_ = json.Unmarshal(o.values[key], &b)
	return b
}

func (o object) isFalse(key string) bool {
	var b bool
	return json.Unmarshal(o.values[key], &b) == nil && !b && o.has(key)
}

func (o object) number(key string) (json.Number, bool) {
	v := strings.TrimSpace(string(o.values[key]))
	var f float64
	if v == "" || v == "null" || json.Unmarshal([]byte(v), &f) != nil {
		return "", false
	}
	return json.Number(v), true
}

func (o object) list(key string) []json.RawMessage {
	var l []json.RawMessage
	_ = json.Unmarshal(o.values[key], &l)
	return l
}

// strings are the strings of the list at key, each once.
func (o object) strings(key string) []string {
	var out []string
	for _, raw := range o.list(key) {
		var s string
		if json.Unmarshal(raw, &s) == nil && string(raw) != "null" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
