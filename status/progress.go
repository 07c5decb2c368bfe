package status

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// The part of a progress message that is read and shown. Some servers send whole logs, ten thousand times a second.
const (
	messageBytes = 256
	messageCells = 60
)

// Progress returns "Index Repository · 40/120", or "Index Repository · 40" if total is 0, and then the message. The
// count is left out if the message contains it or the numbers are invalid.
func Progress(title string, done, total float64, message string) string {
	count := counted(done, total)
	message = sanitize.CutEnd(sanitize.Line(sanitize.Cut(message, messageBytes)), messageCells)
	if strings.Contains(count, "/") && strings.Contains(strings.ReplaceAll(message, " of ", "/"), count) {
		count = ""
	}
	if strings.EqualFold(message, title) {
		message = ""
	}
	words := slices.DeleteFunc([]string{title, count, message}, func(s string) bool { return s == "" })
	return strings.Join(words, separator)
}

// counted returns "40/120". It ignores a total smaller than done, and 0 of an unknown total.
func counted(done, total float64) string {
	switch {
	case math.IsNaN(done) || math.IsInf(done, 0) || done < 0:
		return ""
	case total > 0 && total >= done && !math.IsInf(total, 0):
		return amount(done) + "/" + amount(total)
	case done == 0:
		return ""
	}
	return amount(done)
}

// amount formats a number with at most two decimals.
func amount(f float64) string {
	if f >= 1e15 {
		return strconv.FormatFloat(f, 'g', 3, 64)
	}
	s := strconv.FormatFloat(max(f, 0), 'f', 2, 64) // no negative zero
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
