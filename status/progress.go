package status

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// What of a message of a tool's progress is read, in bytes, and shown, in cells: servers send whole logs, ten thousand times a second.
const (
	messageBytes = 256
	messageCells = 60
)

// Progress tells how far a tool says it is: "Index Repository · 40/120", or "Index Repository · 40" when total is 0, and then its message.
// What the message says already is not said twice, and numbers that make no sense are not said at all.
func Progress(title string, done, total float64, message string) string {
	words := []string{title}
	count := counted(done, total)
	message = news(message, title)
	if count != "" && !tells(message, done, total) {
		words = append(words, count)
	}
	if message != "" && !(count != "" && onlyNumbers.MatchString(message)) {
		words = append(words, message)
	}
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

// news is what a message says beside the title, as one short safe line.
func news(message, title string) string {
	if len(message) > messageBytes {
		message = strings.ToValidUTF8(message[:messageBytes], "")
	}
	message = sanitize.Line(message)
	if n := len(title); len(message) >= n && strings.EqualFold(message[:n], title) {
		if rest := message[n:]; rest == "" || strings.ContainsAny(rest[:1], ":.- ") {
			message = strings.TrimLeft(rest, ":.- ")
		}
	}
	return sanitize.CutEnd(message, messageCells)
}

// tells reports whether a message has the count in it, as in "Read 40 of 120 files".
func tells(message string, done, total float64) bool {
	if total <= 0 || onlyNumbers.MatchString(message) {
		return false
	}
	for _, m := range fraction.FindAllStringSubmatch(message, -1) {
		if m[1] == amount(done) && m[2] == amount(total) {
			return true
		}
	}
	return false
}

var (
	fraction    = regexp.MustCompile(`([\d.]+) ?(?:/|of) ?([\d.]*\d)`)
	onlyNumbers = regexp.MustCompile(`^(?i:progress)?[\d.,/%:()\[\] ]*(?:of[\d.,/% ]+)?$`)
)
