package session

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/pace"
	"github.com/aloudchat/aloud/status/tape"
)

// Stats has statistics of the finished turns by model. Its JSON form is the contract of `aloud stats --output json`.
type Stats struct {
	Turns  int           `json:"turns"`
	Models []*ModelStats `json:"models"` // most turns first
}

// ModelStats has the sums for a model.
type ModelStats struct {
	Model        string               `json:"model"`
	Turns        int                  `json:"turns"`
	Stops        map[event.Reason]int `json:"stops"`  // turns by stop reason
	Rounds       int                  `json:"rounds"` // tool rounds
	AnswerTokens int                  `json:"answer_tokens"`
	Timing       struct {
		Load   int64 `json:"load"`
		Prompt int64 `json:"prompt"`
		Answer int64 `json:"answer"`
		Tools  int64 `json:"tools"`
		Total  int64 `json:"total"`
	} `json:"timing_ms"`
	Tools []*ToolStats `json:"tools"` // most calls first
	// what limits.iterations = "auto" means for it, by set of servers; the caller sets it
	Auto []pace.Rounds `json:"auto_iterations,omitempty"`
}

// ToolStats counts the calls of a tool. All unknown tools count as one tool with an empty name.
type ToolStats struct {
	Name       string `json:"name"`
	Server     string `json:"server"`
	Calls      int    `json:"calls"`   // requested by the model
	Failed     int    `json:"failed"`  // with an error
	NotRun     int    `json:"not_run"` // denied, cancelled, skipped or cached
	DurationMS int64  `json:"duration_ms"`
}

// Stats returns the statistics of all sessions. The error names the files that could not be read.
func (s *Store) Stats() (Stats, error) {
	infos, err := s.all(s.changed)
	errs := []error{err}
	stats, models := Stats{Models: []*ModelStats{}}, map[string]*ModelStats{}
	for _, i := range infos {
		h, err := s.read(i.ID, math.MaxInt)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) { // not removed in the meantime
				errs = append(errs, err)
			}
			continue
		}
		for _, turn := range h.ran() {
			m := models[turn.Result.Model]
			if m == nil {
				m = &ModelStats{Model: turn.Result.Model, Stops: map[event.Reason]int{}, Tools: []*ToolStats{}}
				models[m.Model], stats.Models = m, append(stats.Models, m)
			}
			stats.Turns++
			m.count(turn.Result)
		}
	}
	for _, m := range stats.Models {
		slices.SortStableFunc(m.Tools, func(a, b *ToolStats) int { return b.Calls - a.Calls })
	}
	slices.SortStableFunc(stats.Models, func(a, b *ModelStats) int { return b.Turns - a.Turns })
	return stats, errors.Join(errs...)
}

func (m *ModelStats) count(r event.Result) {
	m.Turns++
	m.Stops[r.Stop.Reason]++
	m.Rounds += r.Rounds
	m.AnswerTokens += r.Usage.AnswerTokens
	m.Timing.Load += r.Timing.Load
	m.Timing.Prompt += r.Timing.Prompt
	m.Timing.Answer += r.Timing.Answer
	m.Timing.Tools += r.Timing.Tools
	m.Timing.Total += r.Timing.Total
	for _, call := range r.ToolCalls {
		m.tool(call).count(call)
	}
}

// tool returns the statistics of the tool of a call.
func (m *ModelStats) tool(c event.ToolCall) *ToolStats {
	if c.Server == "" {
		c.Name = ""
	}
	i := slices.IndexFunc(m.Tools, func(t *ToolStats) bool { return t.Name == c.Name && t.Server == c.Server })
	if i < 0 {
		i, m.Tools = len(m.Tools), append(m.Tools, &ToolStats{Name: c.Name, Server: c.Server})
	}
	return m.Tools[i]
}

func (t *ToolStats) count(c event.ToolCall) {
	t.Calls++
	t.DurationMS += c.DurationMS
	switch c.Status {
	case event.CallOK:
	case event.CallError:
		t.Failed++
	default:
		t.NotRun++
	}
}

// Text returns a summary that is safe to show in a terminal.
func (s Stats) Text() string {
	var b strings.Builder
	for _, m := range s.Models {
		m.write(&b)
	}
	return b.String()
}

// statsCells is the width of the tape of the mean turn.
const statsCells = 60

// tape returns a turn in which each kind of work takes its part of the time of all turns. Thinking counts as an answer.
func (m *ModelStats) tape() tape.Tape {
	var axis tape.Tape
	t := m.Timing
	for kind, ms := range [...]int64{tape.Load: t.Load, tape.Read: t.Prompt, tape.Write: t.Answer, tape.Tool: t.Tools} {
		span := tape.Span{Kind: tape.Kind(kind), Start: axis.Now, Length: time.Duration(ms) * time.Millisecond}
		axis.Spans, axis.Now = append(axis.Spans, span), span.End()
	}
	return axis
}

func (m *ModelStats) write(b *strings.Builder) {
	turns := int64(m.Turns)
	brief := func(ms int64) string { return quantity.Brief(time.Duration(ms/turns) * time.Millisecond) }
	often := func(a, b event.Reason) int { return cmp.Or(m.Stops[b]-m.Stops[a], cmp.Compare(a, b)) }
	var stops []string
	for _, reason := range slices.SortedFunc(maps.Keys(m.Stops), often) {
		stops = append(stops, fmt.Sprintf("%d %s", m.Stops[reason], sanitize.Line(string(reason))))
	}
	t := m.Timing
	fmt.Fprintf(b, "%s\n  %s: %s\n", sanitize.Line(m.Model), quantity.Plural(m.Turns, "turn"), strings.Join(stops, ", "))
	if axis := m.tape(); axis.Now > 0 {
		fmt.Fprintf(b, "  %s\n", tape.Text(axis.Shrunk(statsCells)))
	}
	fmt.Fprintf(b, "  on average %.1f tool rounds, %s: load %s, prompt %s, answer %s, tools %s\n",
		float64(m.Rounds)/float64(m.Turns), brief(t.Total), brief(t.Load), brief(t.Prompt), brief(t.Answer), brief(t.Tools))
	for _, t := range m.Tools {
		name := cmp.Or(sanitize.Line(t.Name), "unknown tools")
		fmt.Fprintf(b, "  %s: %s, %d failed, %d not run\n", name, quantity.Plural(t.Calls, "call"), t.Failed, t.NotRun)
	}
	for _, r := range m.Auto {
		on := ""
		if r.Address != m.Auto[0].Address || r.Address != m.Auto[len(m.Auto)-1].Address {
			on = " on " + sanitize.Line(r.Address)
		}
		with := cmp.Or(sanitize.Line(strings.Join(r.Servers, ", ")), "no servers")
		fmt.Fprintf(b, "  iterations = \"auto\" means %s with %s%s, learned from %s\n",
			quantity.Plural(r.Limit, "tool round"), with, on, quantity.Plural(r.Turns, "turn"))
	}
}
