package arguments

import "github.com/aloudchat/aloud/provider/loosejson"

// Bounds on JSON that is looked at: what is beyond them serves nobody but costs without end.
const (
	longestDigit = 400 // bytes of a number
	largestPower = 400 // of ten, in a number
)

// modest reports whether valid JSON is within the bounds.
func modest(raw []byte) bool {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			i = stringEnd(raw, i)
		case c == '{' || c == '[':
			if depth++; depth > loosejson.Deepest {
				return false
			}
		case c == '}' || c == ']':
			depth--
		case c == '-' || c >= '0' && c <= '9':
			end := i
			for end < len(raw) && numeric(raw[end]) {
				end++
			}
			if !modestNumber(raw[i:end]) {
				return false
			}
			i = end - 1
		}
	}
	return true
}

// stringEnd is where the string ends whose opening quote is at i.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

func numeric(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// modestNumber reports whether it can be counted with.
func modestNumber(number []byte) bool {
	if len(number) > longestDigit {
		return false
	}
	power, exponent := 0, false
	for _, c := range number {
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
	schemaLimit = 2 << 20       // bytes
	partsLimit  = 20_000        // objects and booleans
	pathsLimit  = 500_000_000   // bytes of the paths to all of them, times their depths
	pairsLimit  = 8_000_000_000 // bytes of the paths to all of them, times their number
)

// affordable reports whether a schema compiles in a few seconds at most; the usual one takes less than a millisecond.
func affordable(document any) bool {
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
	return parts <= partsLimit && paths <= pathsLimit && parts*bytes <= pairsLimit
}
