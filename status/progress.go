package status

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// What of a message of a tool's progress is read, in bytes, and shown, in cells: servers send whole logs, ten thousand times a second.
const (
	messageBytes = 256
	messageCells = 60
)

// Progress says how far a tool is: "Index Repository · 40/120", or "Index Repository · 40" when total is 0, and then its message.
// A message that has the count in it stands for both, and numbers that make no sense are left out.
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

// counted writes "40/120". A total smaller than done is ignored, as is 0 of an unknown total, which tasks report that do not count.
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

// amount writes a step of progress with as many decimals as it needs, two at most: servers count files, bytes, or fractions of one.
func amount(f float64) string {
	if f >= 1e15 {
		return strconv.FormatFloat(f, 'g', 3, 64)
	}
	s := strconv.FormatFloat(max(f, 0), 'f', 2, 64) // there is a zero below zero
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
