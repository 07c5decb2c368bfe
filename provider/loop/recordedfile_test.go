package loop_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
)

// A recording is a recorded turn, and the outcome of playing it.
type recording struct {
	turn      recordedTurn
	ready     []span
	offered   []mcpclient.Tool
	exchanges []*exchange
	server    *player
	rules     *rules
	told      string
	steps     map[int]bool // rounds in which tools ran, and whether the line had a sentence
}

// recordedTurn is the start of a turn, and your actions in it.
type recordedTurn struct {
	Question string
	Model    string
	Context  int
	Think    provider.Think
	Style    status.Style
	Earlier  int // number of long turns before this one
	Rounds   int // the limits; 0 means the default
	Time     span
	Silence  span
	Answers  span // how long you take to answer
	Refuses  bool
	Stop     span // when you stop the turn
	Load     span // previous load time
	Read     span // previous time to read a thousand tokens
}

// span is a duration such as "1.5s".
type span time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*s = span(d)
	return err
}

// An exchange is one request or one call, and its outcome.
type exchange struct {
	key  string // "POST /api/chat answer", or the name of a tool and its arguments
	head recorded
	came []recorded
}

// recorded is one line of the file.
type recorded struct {
	Turn  *recordedTurn
	Ready []span
	Tool  *mcpclient.Tool

	Request, For, Type string
	Status             int

	Call      string
	Arguments json.RawMessage

	At       span // since the request or the call
	Line     json.RawMessage
	Progress *mcpclient.Progress
	Result   *mcpclient.Result
	Error    string
	End      string // "lost", "cut" or "left"
}

func readRecording(t *testing.T, file string) *recording {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := &recording{steps: map[int]bool{}}
	for line := range bytes.Lines(text) {
		var e recorded
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil {
			t.Fatalf("%v in the line %s", err, line)
		}
		r.add(e)
	}
	return r
}

func (r *recording) add(e recorded) {
	switch {
	case e.Turn != nil:
		r.turn = *e.Turn
	case e.Ready != nil:
		r.ready = e.Ready
	case e.Tool != nil:
		r.offered = append(r.offered, *e.Tool)
	case e.Request != "":
		r.exchanges = append(r.exchanges, &exchange{key: strings.TrimSpace(e.Request + " " + e.For), head: e})
	case e.Call != "":
		r.exchanges = append(r.exchanges, &exchange{key: e.Call + compactJSON(e.Arguments), head: e})
	default:
		last := r.exchanges[len(r.exchanges)-1]
		last.came = append(last.came, e)
	}
}
