package session

import (
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
)

// oldDetail matches the sentence about an end. The first group is the reason in a few words.
var oldDetail = sanitize.Pattern(`(?s)^(?:\[Unable to complete task: )?(.*?)(?:(?:, the last was | \(limits\.).*)?\]?$`)

// withWhy completes the end of a turn from an older version, which saved only the sentence.
func withWhy(s event.Stop) event.Stop {
	if s.Why != "" || s.Detail == "" || s.Reason == event.Failed {
		return s
	}
	s.Why = sanitize.Cut(oldDetail().FindStringSubmatch(s.Detail)[1], 200)
	switch {
	case s.Reason != event.Length:
	case strings.HasSuffix(s.Detail, " repeats itself"):
		s.Cause = event.AnswerRepeats
	case strings.HasPrefix(s.Detail, "the context window"):
		s.Cause = event.WindowFull
	}
	return s
}
