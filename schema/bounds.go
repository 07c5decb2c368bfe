package schema

import (
	"bytes"
	"encoding/json"
)

// Bounds on JSON that is looked at: what is beyond them serves nobody but costs without end.
const (
	deepest      = 200 // brackets open within each other
	longestDigit = 400 // bytes of a number
	largestPower = 400 // of ten, in a number
)

// Decode reads valid JSON and keeps the digits of its numbers. It is not ok with what is beyond the bounds.
func Decode(raw []byte) (value any, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	err := decoder.Decode(&value)
	return value, err == nil && modest(value, deepest)
}

// modest reports whether a value is within the bounds, with so many levels to go.
func modest(value any, levels int) bool {
	switch value := value.(type) {
	case json.Number:
		return ModestNumber(string(value))
	case []any:
		for _, element := range value {
			if !modest(element, levels-1) {
				return false
			}
		}
	case map[string]any:
		for _, member := range value {
			if !modest(member, levels-1) {
				return false
			}
		}
	}
	return levels >= 0
}

// ModestNumber tells of a number whether it can be counted with.
func ModestNumber(number string) bool {
	if len(number) > longestDigit {
		return false
	}
	power, exponent := 0, false
	for _, c := range []byte(number) {
		switch {
		case c == 'e' || c == 'E':
			exponent = true
		case exponent && c >= '0' && c <= '9':
			power = min(power*10+int(c-'0'), largestPower+1)
		}
	}
	return power <= largestPower
}

// Bounds on schemas. The library that compiles them compares every part of a schema with every other one, by their paths.
const (
	partsLimit = 20_000        // objects and booleans
	pathsLimit = 500_000_000   // bytes of the paths to all of them, times their depths
	pairsLimit = 8_000_000_000 // bytes of the paths to all of them, times their number
)

// affordable reports whether a schema compiles in a few seconds at most, or in a share of them; the usual one takes less than a millisecond.
func affordable(document any, share int) bool {
	parts, bytes, paths := 0, 0, 0
	var walk func(value any, path, depth int)
	walk = func(value any, path, depth int) {
		switch value.(type) {
		case bool, map[string]any:
			parts++
			bytes += path
			paths += path * depth
		}
		switch value := value.(type) {
		case map[string]any:
			for key, inner := range value {
				walk(inner, path+1+len(key), depth+1)
			}
		case []any:
			for _, inner := range value {
				walk(inner, path+3, depth+1)
			}
		}
	}
	walk(document, 0, 0)
	return parts <= partsLimit/share && paths <= pathsLimit/share && int64(parts)*int64(bytes) <= pairsLimit/int64(share)
}
