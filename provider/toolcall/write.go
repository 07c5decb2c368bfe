package toolcall

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// writer writes JSON.
type writer struct{ bytes.Buffer }

// string writes a string, with no more escapes than JSON wants.
func (w *writer) string(s string) {
	encoder := json.NewEncoder(&w.Buffer)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string has no way to fail
	w.Truncate(w.Len() - 1)
}

// value writes a value as the decoder makes it. The members of objects come in the order that the keys have, others behind them.
func (w *writer) value(v any, order map[string]int) {
	switch v := v.(type) {
	case nil:
		w.WriteString("null")
	case bool:
		if v {
			w.WriteString("true")
		} else {
			w.WriteString("false")
		}
	case json.Number:
		w.WriteString(string(v))
	case string:
		w.string(v)
	case []any:
		w.WriteByte('[')
		for i, element := range v {
			if i > 0 {
				w.WriteByte(',')
			}
			w.value(element, order)
		}
		w.WriteByte(']')
	case map[string]any:
		w.object(v, order)
	}
}

func (w *writer) object(fields map[string]any, order map[string]int) {
	w.WriteByte('{')
	for i, key := range sorted(fields, order) {
		if i > 0 {
			w.WriteByte(',')
		}
		w.string(key)
		w.WriteByte(':')
		w.value(fields[key], order)
	}
	w.WriteByte('}')
}

// sorted are the keys in their order.
func sorted(fields map[string]any, order map[string]int) []string {
	keys := make([]string, 0, len(fields))
	for key := range fields {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if by := rank(order, a) - rank(order, b); by != 0 {
			return by
		}
		return strings.Compare(a, b)
	})
	return keys
}

func rank(order map[string]int, key string) int {
	if place, ok := order[key]; ok {
		return place
	}
	return len(order)
}

// isNumber reports whether text is a number as JSON has them.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && json.Valid([]byte(text))
}
