package others

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// take returns the value of a key, which then counts as understood.
func (e *entry) take(key string) any {
	e.asked = append(e.asked, key)
	return e.values[key]
}

// word is the first of the keys that holds one.
func (e *entry) word(keys ...string) (word string) {
	for _, key := range keys {
		if s, _ := e.take(key).(string); word == "" {
			word = s
		}
	}
	return word
}

// duration reads a number of units within reason; 0: none is said.
func (e *entry) duration(unit time.Duration, key string) time.Duration {
	d := e.number(key) * float64(unit)
	if math.IsNaN(d) || d <= 0 {
		return 0
	}
	const least, longest = 100 * time.Millisecond, time.Hour
	return time.Duration(min(max(d, float64(least)), float64(longest)))
}

// number is what a key holds; 0 when it is none.
func (e *entry) number(key string) float64 {
	switch v := e.take(key).(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

func list(v any) []any {
	elements, _ := v.([]any)
	return elements
}

// texts reads a list of words; numbers and truths count as they are written.
func texts(v any) (words []string) {
	for _, element := range list(v) {
		if s, ok := scalar(element); ok {
			words = append(words, s)
		}
	}
	return words
}

// pairs reads a table of words, or a list of "Name: word".
func pairs(v any) map[string]string {
	all := map[string]string{}
	table, _ := v.(map[string]any)
	for name, value := range table {
		if s, ok := scalar(value); ok {
			all[name] = s
		}
	}
	for _, line := range texts(v) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			all[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return all
}

func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool, int, int64, uint64:
		return fmt.Sprint(v), true
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return fmt.Sprintf("%.0f", v), true
		}
		return fmt.Sprint(v), true
	}
	return "", false
}
