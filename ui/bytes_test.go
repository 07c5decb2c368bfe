package ui

import (
	"strings"
	"testing"
	"time"
)

// The bytes written per token of an answer that streams, with the tape, the clocks and the spinner.
func TestBytesOfAToken(t *testing.T) {
	const tokens = 3000
	words := strings.Fields("The build reads each file once and keeps what it needs, so a change costs little more than " +
		"the file itself. Tests run beside it and report the first thing that fails.")
	said := make([]string, tokens)
	for i := range said {
		said[i] = words[i%len(words)] + " "
		if i%60 == 59 {
			said[i] = "\n\n"
		}
	}
	for _, rate := range []int{50, 100, 200} {
		for _, keys := range []string{"", syncReport} {
			o := with(says(chunks(time.Second/time.Duration(rate), said...)))
			program(t, 100, 34, o, func(term *terminal) {
				term.types(keys + "go" + enter)
				before := term.bytes()
				term.wait(time.Duration(tokens/rate)*time.Second - time.Second)
				perToken := float64(term.bytes()-before) / float64(tokens-rate)
				t.Logf("%d tokens per second, synchronized %v: %.1f bytes per token", rate, keys != "", perToken)
				if perToken > 24 {
					t.Errorf("%d tokens per second, synchronized %v: %.1f bytes per token, limit 24", rate, keys != "", perToken)
				}
				term.wait(5 * time.Second)
				term.leave()
			})
		}
	}
}
