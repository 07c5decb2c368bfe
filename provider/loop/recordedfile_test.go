package loop_test

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/recording"
	"github.com/aloudchat/aloud/mcpclient"
)

// played is a recorded turn, and the outcome of playing it.
type played struct {
	turn      recording.Turn
	ready     []recording.Span
	offered   []mcpclient.Tool
	exchanges []*exchange
	server    *player
	rules     *rules
	told      string
	steps     map[int]bool // rounds in which tools ran, and whether the line had a sentence
}

// An exchange is one request or one call, and its outcome.
type exchange struct {
	key  string // "POST /api/chat answer", or the name of a tool and its arguments
	head recording.Line
	came []recording.Line
}

func readRecording(t *testing.T, file string) *played {
	t.Helper()
	lines, err := recording.Read(file)
	must(t, err)
	r := &played{steps: map[int]bool{}}
	for _, line := range lines {
		r.add(line)
	}
	return r
}

func (r *played) add(line recording.Line) {
	switch {
	case line.Turn != nil:
		r.turn = *line.Turn
	case line.Ready != nil:
		r.ready = line.Ready
	case line.Tool != nil:
		r.offered = append(r.offered, *line.Tool)
	case line.Request != "":
		key := strings.TrimSpace(line.Request + " " + line.For)
		r.exchanges = append(r.exchanges, &exchange{key: key, head: line})
	case line.Call != "":
		r.exchanges = append(r.exchanges, &exchange{key: line.Call + compactJSON(line.Arguments), head: line})
	default:
		last := r.exchanges[len(r.exchanges)-1]
		last.came = append(last.came, line)
	}
}
