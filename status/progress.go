package status

import (
	"math"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
)

// The part of a progress message that is read and shown. Some servers send whole logs, ten thousand times a second.
const (
	messageBytes = 256
	messageCells = 60
)

// With returns the work with the progress of its first tool: "40/120", or "40" if total is 0, and the message. The
// count is left out if the message contains it or the numbers are invalid.
func (w Work) With(p mcpclient.Progress) Work {
	w.Done = counted(p.Done, p.Total)
	w.Note = sanitize.CutEnd(sanitize.Line(sanitize.Cut(p.Message, messageBytes)), messageCells)
	if strings.Contains(w.Done, "/") && strings.Contains(strings.ReplaceAll(w.Note, " of ", "/"), w.Done) {
		w.Done = ""
	}
	if strings.EqualFold(w.Note, w.Tool) {
		w.Note = ""
	}
	return w
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
