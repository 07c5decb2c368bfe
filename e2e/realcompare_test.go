//go:build e2e && unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider/event"
)

const (
	// Numbers without a mark may be off by this share, or by this time.
	tolerance     = 0.02
	timeTolerance = 100 * time.Millisecond
	// The wire shows all times of a request later than the server, by more on a busy machine.
	wireTolerance     = 0.1
	wireTimeTolerance = time.Second
	// Numbers with "about" may be off by a factor, or by some tokens. The line estimates a prompt from its text. It
	// cannot see what the template adds, and the first time not how the model divides words: the examples in the
	// template here more than double the prompt. After the reply, two counts of the server are compared. They differ from
	// the truth only by the marks around a message.
	estimateFactor = 2.5
	countFactor    = 1.1
	aboutTokens    = 8
)

// A comparison compares what aloud said with what the server and the wire show.
type comparison struct {
	t     testing.TB
	chats []work
	rows  []string
	wrong int
}

// work is what a chat request made the server do.
type work struct {
	chatRequest
	read  cacheRead
	loads []serverLoad
	end   replyEnd
}

// A replyEnd has the measurements in the last line of a reply.
type replyEnd struct {
	Prompt  int           `json:"prompt_eval_count"` // includes the cached tokens
	Wrote   int           `json:"eval_count"`
	Reading time.Duration `json:"prompt_eval_duration"`
	Writing time.Duration `json:"eval_duration"`
}

// newComparison finds out what the server did for each request of w.
func newComparison(t testing.TB, w *realWorld) *comparison {
	t.Helper()
	c := &comparison{t: t}
	log := w.log()
	reads, loads := cacheReads(t, log), serverLoads(t, log)
	for _, chat := range w.traffic.requests() {
		work := work{chatRequest: chat, end: endOf(t, chat.reply)}
		work.read, _ = readFor(reads, &chat)
		// Loads before the request are requested separately.
		work.loads = slices.DeleteFunc(slices.Clone(loads), func(l serverLoad) bool { return l.at.After(chat.ended) })
		loads = loads[len(work.loads):]
		c.chats = append(c.chats, work)
	}
	return c
}

func endOf(t testing.TB, reply []byte) (end replyEnd) {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(reply), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &end); err != nil {
		t.Fatalf("%v in %s", err, reply)
	}
	return end
}

// turn compares a turn.
func (c *comparison) turn(n int, s said) {
	c.t.Helper()
	laps := s.result.Timing.Steps
	var mine []work
	var total struct {
		read, prompt, wrote int
		writing             time.Duration
	}
	for len(c.chats) > 0 && slices.ContainsFunc(laps, isWrite) {
		end := slices.IndexFunc(laps, isWrite)
		work := c.chats[0]
		c.request(fmt.Sprintf("turn %d, request %d", n, len(mine)+1), laps[:end+1], work)
		mine, c.chats, laps = append(mine, work), c.chats[1:], laps[end+1:]
		total.read, total.prompt = total.read+work.read.new(), total.prompt+work.read.prompt
		total.wrote, total.writing = total.wrote+work.end.Wrote, total.writing+work.end.Writing
	}
	if len(mine) == 0 {
		c.t.Errorf("turn %d has no request: %+v", n, s)
		return
	}
	where := fmt.Sprintf("turn %d", n)
	for _, line := range s.lines {
		for i, work := range mine {
			if line.at.Before(work.first) {
				c.line(fmt.Sprintf("%s, request %d", where, i+1), line.text, work)
				break
			}
		}
	}
	usage, last := s.result.Usage, mine[len(mine)-1]
	c.tokens(where, "usage.prompt_tokens", event.Counted, usage.PromptTokens, 0, total.prompt)
	c.tokens(where, "usage.answer_tokens", event.Counted, usage.AnswerTokens, 0, total.wrote)
	c.tokens(where, "usage.context_used", event.Counted, usage.ContextUsed, 0, last.read.prompt+last.end.Wrote)
	c.tokens(where, "usage.context_size", event.Counted, usage.ContextSize, 0, last.Options.NumCtx)
	c.receipt(where, s.receipt, total.read, total.wrote, total.writing)
}

func isWrite(l event.Lap) bool { return l.Kind == event.LapWrite }

// request compares the laps of a request. A reply with a tool call comes in one piece, so the wire only shows when all
// of it was written.
func (c *comparison) request(where string, laps []event.Lap, w work) {
	loads, all := 0, time.Duration(0)
	for _, lap := range laps {
		took := time.Duration(lap.MS) * time.Millisecond
		switch lap.Kind {
		case event.LapLoad:
			if loads++; loads <= len(w.loads) {
				c.took(where, "load", took, w.loads[loads-1].took, tolerance, timeTolerance)
			}
		case event.LapRead:
			all += took
			c.tokens(where, "read", lap.Mark, lap.Tokens, 0, w.read.new())
			if lap.Most > 0 {
				c.tokens(where, "most", event.UpTo, lap.Most, 0, w.read.new())
			}
			c.took(where, "reading", took, w.end.Reading, tolerance, timeTolerance)
		case event.LapWrite:
			all += took
			c.tokens(where, "wrote", lap.Mark, lap.Tokens, 0, w.end.Wrote)
			c.took(where, "writing", took, w.end.Writing, tolerance, timeTolerance)
		}
	}
	c.took(where, "reading and writing", all, w.ended.Sub(w.read.at), wireTolerance, wireTimeTolerance)
	c.tokens(where, "loads", event.Counted, loads, 0, len(w.loads))
	for _, load := range w.loads {
		c.tokens(where, "num_ctx of the load", event.Counted, w.Options.NumCtx, 0, load.context)
	}
}

var (
	readingText = regexp.MustCompile(`^Reading (about |up to )?([\d.]+)(k?) tok`)
	readText    = regexp.MustCompile(` read (about |up to )?([\d.]+)(k?) tok`)
	wroteText   = regexp.MustCompile(` (about |up to )?([\d.]+)(k?) tok(?: at ([\d.]+)/s)? · `)
)

// shownMarks has the marks by the words before a number.
var shownMarks = map[string]event.Mark{"": event.Counted, "about ": event.About, "up to ": event.UpTo}

// line compares a text of the live line.
func (c *comparison) line(where, text string, w work) {
	if found := readingText.FindStringSubmatch(text); found != nil {
		said, rounded := shownCount(c.t, found[2], found[3])
		c.tokens(where, fmt.Sprintf("%q", text), shownMarks[found[1]], said, rounded, w.read.new())
	}
	if strings.HasPrefix(text, "Loading ") {
		c.tokens(where, fmt.Sprintf("%q", text), event.Counted, 1, 0, len(w.loads))
	}
}

// receipt compares the text of a receipt with the tokens of the turn. Writing is the time for all of wrote.
func (c *comparison) receipt(where, text string, read, wrote int, writing time.Duration) {
	what := fmt.Sprintf("%q", text)
	if found := readText.FindStringSubmatch(text); found != nil {
		said, rounded := shownCount(c.t, found[2], found[3])
		c.tokens(where, what, shownMarks[found[1]], said, rounded, read)
		text = strings.Replace(text, found[0], "", 1)
	}
	if found := wroteText.FindStringSubmatch(text); found != nil {
		said, rounded := shownCount(c.t, found[2], found[3])
		c.tokens(where, what, shownMarks[found[1]], said, rounded, wrote)
		if found[4] != "" {
			rate, _ := shownCount(c.t, found[4], "")
			c.tokens(where, what+" per second", event.Counted, rate, 1, int(float64(wrote)/writing.Seconds()))
		}
	}
}

// shownCount returns a count as shown, "412" or "12.4k", and by how much it may be rounded.
func shownCount(t testing.TB, digits, thousands string) (count, rounded int) {
	t.Helper()
	f, err := strconv.ParseFloat(digits, 64)
	must(t, err)
	if thousands == "" {
		return int(f), 0
	}
	if f >= 100 { // "128k"
		return int(f * 1000), 500
	}
	return int(f*1000 + 0.5), 50
}

// tokens compares a count with the truth.
func (c *comparison) tokens(where, what string, m event.Mark, said, rounded, truth int) {
	low, high, is := float64(said-rounded), float64(said+rounded), float64(truth)
	good := high >= is*(1-tolerance) && low <= is*(1+tolerance)
	switch m {
	case event.About:
		factor := countFactor
		if strings.Contains(what, "Reading ") {
			factor = estimateFactor
		}
		good = high >= is/factor-aboutTokens && low <= is*factor+aboutTokens
	case event.UpTo:
		good = high >= is
	}
	c.row(good, where, what, strings.TrimSpace(string(m)+" "+strconv.Itoa(said)), strconv.Itoa(truth))
}

// took compares a time with the truth. It may be off by share or by delay.
func (c *comparison) took(where, what string, said, truth time.Duration, share float64, delay time.Duration) {
	slack := max(delay, time.Duration(float64(truth)*share))
	c.row((said-truth).Abs() <= slack, where, what, said.String(), truth.Round(time.Millisecond).String())
}

func (c *comparison) row(good bool, where, what, said, truth string) {
	verdict := ""
	if !good {
		verdict = "WRONG "
		c.wrong++
	}
	c.rows = append(c.rows, fmt.Sprintf("%s%s: %s: said %s, true %s", verdict, where, what, said, truth))
}

// report fails the test if a number was wrong.
func (c *comparison) report() {
	c.t.Helper()
	if len(c.chats) > 0 {
		c.t.Errorf("%d requests are not in the steps of the turns", len(c.chats))
	}
	all := strings.Join(c.rows, "\n")
	if c.wrong > 0 {
		c.t.Errorf("%d of %d numbers are wrong:\n%s", c.wrong, len(c.rows), all)
		return
	}
	c.t.Logf("%d numbers are right:\n%s", len(c.rows), all)
}
