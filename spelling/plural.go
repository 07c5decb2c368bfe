package spelling

import "strconv"

// Plural returns a count with its noun: "1 tool", "3 tools".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
