package session

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
)

// Stats counts how turns went, by model. Its JSON form is the contract of `aloud stats --output json`.
//
// Every turn that ended counts, also one that was taken back later with /retry or /clear.
type Stats struct {
	Turns         int           `json:"turns"`
	Conversations int           `json:"conversations"`
	From          time.Time     `json:"from,omitzero"`  // when the first of the turns ended
	Until         time.Time     `json:"until,omitzero"` // and the last
	Models        []*ModelStats `json:"models"`         // most turns first
}

// ModelStats counts the turns of one model. Rounds, Latency and Speed leave out turns that were cancelled or failed,
// whose times say nothing about the work.
type ModelStats struct {
	Model         string                  `json:"model"`
	Turns         int                     `json:"turns"`
	Conversations int                     `json:"conversations"`
	Finished      int                     `json:"finished"` // those with stop reason done
	Stops         map[provider.Reason]int `json:"stops"`    // turns by stop reason
	Rounds        struct {
		Mean    float64 `json:"mean"`
		Median  int     `json:"median"`
		P99     int     `json:"p99"`
		Chained float64 `json:"chained"` // the share of turns with two rounds or more
	} `json:"rounds"`
	Latency struct {
		Load   Latency `json:"load"`
		Prompt Latency `json:"prompt"`
		Answer Latency `json:"answer"`
		Tools  Latency `json:"tools"`
		Total  Latency `json:"total"` // at least as long as each of the others
	} `json:"latency_ms"`
	Speed struct {
		Read    float64 `json:"read"`
		Written float64 `json:"written"`
	} `json:"tokens_per_second"`
	Tools []*ToolStats `json:"tools"` // most calls first

	turns []provider.Result // whose times count
	last  string            // the session of the last turn
}

// Latency has the milliseconds that half of the turns, and 95 of 100, take at most.
type Latency struct {
	Median int64 `json:"median"`
	P95    int64 `json:"p95"`
}

// ToolStats counts the calls of one tool. All calls of tools that do not exist count as one tool with an empty name.
type ToolStats struct {
	Name        string  `json:"name"`
	Server      string  `json:"server"`
	Calls       int     `json:"calls"`        // that the model asked for
	Failed      int     `json:"failed"`       // that gave an error
	NotRun      int     `json:"not_run"`      // that were refused, cancelled, skipped, or answered from an earlier call
	Repaired    int     `json:"repaired"`     // whose arguments were mended before they ran
	FailureRate float64 `json:"failure_rate"` // of the calls that ran: Failed / (Calls - NotRun)
	Duration    Latency `json:"duration_ms"`  // of those that worked

	durations []int64
}

// StatsFilter chooses turns. Its zero value chooses all.
type StatsFilter struct {
	Model string    // "" means every model
	Since time.Time // turns that ended before do not count
}

// mostTurns bounds the memory that statistics take. Beyond it the turns of the conversations that were changed last
// count.
const mostTurns = 100_000

// Stats counts the turns on disk. Sessions that cannot be read are left out and named in the error.
func (s *Store) Stats(which StatsFilter) (Stats, error) { return s.stats(which, mostTurns) }

func (s *Store) stats(which StatsFilter, most int) (Stats, error) {
	stats, models := Stats{Models: []*ModelStats{}}, map[string]*ModelStats{}
	ids, err := s.ids()
	errs := []error{err}
	in := bufio.NewReaderSize(nil, longestEnd)
	for _, id := range ids {
		before := stats.Turns
		errs = append(errs, s.ends(in, id, func(r record) bool {
			if which.Model != "" && r.Model != which.Model || r.Time.Before(which.Since) {
				return true
			}
			if stats.Turns == 0 || r.Time.Before(stats.From) {
				stats.From = r.Time
			}
			if r.Time.After(stats.Until) {
				stats.Until = r.Time
			}
			stats.Turns++
			m := models[r.Model]
			if m == nil {
				m = &ModelStats{Model: r.Model, Stops: map[provider.Reason]int{}, Tools: []*ToolStats{}}
				models[r.Model], stats.Models = m, append(stats.Models, m)
			}
			m.count(id, r.End.Result)
			return stats.Turns < most
		}))
		if stats.Turns > before {
			stats.Conversations++
		}
		if stats.Turns >= most {
			break
		}
	}
	for _, m := range stats.Models {
		m.finish()
	}
	slices.SortFunc(stats.Models, func(a, b *ModelStats) int { return cmp.Or(b.Turns-a.Turns, cmp.Compare(a.Model, b.Model)) })
	return stats, errors.Join(errs...)
}

func (m *ModelStats) count(session string, end provider.Result) {
	m.Turns++
	if m.Turns == 1 || session != m.last {
		m.Conversations++
		m.last = session
	}
	m.Stops[end.Stop.Reason]++
	for _, c := range end.ToolCalls {
		m.call(c)
	}
	if end.Stop.Reason == provider.Cancelled || end.Stop.Reason == provider.Failed {
		return
	}
	t := end.Timing
	t.Total, t.Steps = max(t.Total, t.Load, t.Prompt, t.Answer, t.Tools), nil // model servers measure with clocks of their own
	m.turns = append(m.turns, provider.Result{Rounds: end.Rounds, Usage: end.Usage, Timing: t})
}

// readMore is a tool without a server: each turn offers it itself.
const readMore = "read_more"

// call counts a call. Tools that do not exist are one: a model may invent any number of names.
func (m *ModelStats) call(c provider.ToolCall) {
	if c.Server == "" && c.Name != readMore {
		c.Name = ""
	}
	i := slices.IndexFunc(m.Tools, func(t *ToolStats) bool { return t.Name == c.Name && t.Server == c.Server })
	if i < 0 {
		i, m.Tools = len(m.Tools), append(m.Tools, &ToolStats{Name: c.Name, Server: c.Server})
	}
	t := m.Tools[i]
	t.Calls++
	if len(c.Repairs) > 0 {
		t.Repaired++
	}
	switch c.Status {
	case provider.CallOK:
		t.durations = append(t.durations, c.DurationMS)
	case provider.CallError:
		t.Failed++
	default:
		t.NotRun++
	}
}

// finish works out the shares and percentiles of what was counted.
func (m *ModelStats) finish() {
	m.Finished = m.Stops[provider.Done]
	var rounds []int
	sum, chained := 0, 0
	var load, prompt, answer, tools, total []int64
	var read, written struct{ tokens, ms float64 }
	for _, turn := range m.turns {
		rounds = append(rounds, turn.Rounds)
		sum += turn.Rounds
		if turn.Rounds >= 2 {
			chained++
		}
		t := turn.Timing
		load, prompt, answer, tools, total = append(load, t.Load), append(prompt, t.Prompt), append(answer, t.Answer), append(tools, t.Tools), append(total, t.Total)
		// The tokens of what was not measured would make the rest seem faster.
		if turn.Usage.PromptTokens > 0 && t.Prompt > 0 {
			read.tokens, read.ms = read.tokens+float64(turn.Usage.PromptTokens), read.ms+float64(t.Prompt)
		}
		if turn.Usage.AnswerTokens > 0 && t.Answer > 0 {
			written.tokens, written.ms = written.tokens+float64(turn.Usage.AnswerTokens), written.ms+float64(t.Answer)
		}
	}
	m.Rounds.Mean, m.Rounds.Chained = share(sum, len(rounds), 2), share(chained, len(rounds), 4)
	m.Rounds.Median, m.Rounds.P99 = percentile(rounds, .5), percentile(rounds, .99)
	m.Latency.Load, m.Latency.Prompt, m.Latency.Answer, m.Latency.Tools, m.Latency.Total =
		latency(load), latency(prompt), latency(answer), latency(tools), latency(total)
	m.Speed.Read, m.Speed.Written = rounded(1000*read.tokens/max(read.ms, 1), 1), rounded(1000*written.tokens/max(written.ms, 1), 1)
	for _, t := range m.Tools {
		t.FailureRate, t.Duration = share(t.Failed, t.Calls-t.NotRun, 4), latency(t.durations)
	}
	slices.SortFunc(m.Tools, func(a, b *ToolStats) int {
		return cmp.Or(b.Calls-a.Calls, cmp.Compare(a.Server, b.Server), cmp.Compare(a.Name, b.Name))
	})
}

func share(part, whole, digits int) float64 {
	return rounded(float64(part)/float64(max(whole, 1)), digits)
}

func rounded(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}

func latency(ms []int64) Latency { return Latency{percentile(ms, .5), percentile(ms, .95)} }

// percentile is the smallest value that p of all values do not exceed. It sorts them.
func percentile[T cmp.Ordered](values []T, p float64) (value T) {
	if len(values) == 0 {
		return value
	}
	slices.Sort(values)
	rank := int(math.Ceil(p * float64(len(values))))
	return values[max(rank, 1)-1]
}

// Rounds returns how many tool rounds the next turn with a model may take, learned from the last thousand: half as many
// again as 99 of 100 took, so that a limit that stops turns can grow. It is between 5 and 25, and 10 while fewer than
// 20 turns are known. The files are read once for each model; what cannot be read does not count.
func (s *Store) Rounds(model string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, known := s.rounds[model]; known {
		return n
	}
	n := 10
	if stats, _ := s.stats(StatsFilter{Model: model}, 1000); stats.Turns > 0 && len(stats.Models[0].turns) >= 20 {
		n = min(max(stats.Models[0].Rounds.P99*3/2, 5), 25)
	}
	if s.rounds == nil {
		s.rounds = map[string]int{}
	}
	s.rounds[model] = n
	return n
}

// longestEnd is how long the line is at most that says how a turn ended, in bytes.
const longestEnd = 1 << 20

// ends calls each with the records of the ends of turns in a file, each with its model, until that returns false. It
// looks at every line and decodes few, so reading is about as fast as the disk.
func (s *Store) ends(in *bufio.Reader, id string, each func(record) bool) error {
	f, err := os.Open(s.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed in the meantime
	}
	defer f.Close()
	in.Reset(f)
	for model := ""; err == nil; {
		var line []byte
		line, err = in.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) { // too long to be the end of a turn
			line = nil
			_, err = in.ReadSlice('\n')
		}
		if !bytes.HasPrefix(line, []byte(`{"type":"end"`)) && !bytes.HasPrefix(line, []byte(`{"type":"model"`)) {
			continue
		}
		var r record // here, so that lines that are skipped cost no memory
		switch bad := json.Unmarshal(line, &r); {
		case bad != nil:
		case r.Type == typeModel:
			model = r.Model
		case r.End != nil:
			r.Model = model
			for _, c := range r.End.Calls {
				if c.Repaired {
					c.Repairs = []string{""}
				}
				r.End.ToolCalls = append(r.End.ToolCalls, c.ToolCall)
			}
			if !each(r) {
				return nil
			}
		}
	}
	if !errors.Is(err, io.EOF) {
		return unreadable(id, err)
	}
	return nil
}

// mostLines bounds the text. The JSON form has everything.
const mostLines = 500

// Text is a summary in short lines, safe to show in a terminal, without a newline at the end.
func (s Stats) Text() string {
	if s.Turns == 0 {
		return "No turns yet."
	}
	var lines []string
	for _, m := range s.Models {
		if len(lines) > mostLines {
			break
		}
		lines = append(append(lines, m.text()...), "")
	}
	lines = lines[:len(lines)-1]
	if len(lines) > mostLines {
		lines = append(lines[:mostLines], "…")
	}
	return strings.Join(lines, "\n")
}

func (m *ModelStats) text() (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	name := func(s string) string { return cmp.Or(sanitize.Clip(sanitize.Line(s), 40), "(without a name)") }
	brief := func(ms int64) string { return quantity.Brief(time.Duration(ms) * time.Millisecond) }
	say("%s", name(m.Model))
	say("  turns   %d in %s", m.Turns, quantity.Plural(m.Conversations, "conversation"))
	often := func(a, b provider.Reason) int { return cmp.Or(m.Stops[b]-m.Stops[a], cmp.Compare(a, b)) }
	for _, reason := range slices.SortedFunc(maps.Keys(m.Stops), often) {
		say("          %d %s", m.Stops[reason], name(string(reason)))
	}
	say("  rounds  %.1f a turn, median %d, 99%% at most %d", m.Rounds.Mean, m.Rounds.Median, m.Rounds.P99)
	say("  speed   %.0f tokens/s read, %.0f written", m.Speed.Read, m.Speed.Written)
	l := m.Latency
	say("  time    median %s, 95%% at most %s", brief(l.Total.Median), brief(l.Total.P95))
	say("          load %s, prompt %s, answer %s, tools %s", brief(l.Load.Median), brief(l.Prompt.Median), brief(l.Answer.Median), brief(l.Tools.Median))
	for _, t := range m.Tools {
		tool := "tools that do not exist"
		if t.Name != "" {
			tool = name(t.Name)
		}
		say("  %s: %s, %d not run, %d failed, median %s", tool, quantity.Plural(t.Calls, "call"), t.NotRun, t.Failed, brief(t.Duration.Median))
	}
	return lines
}
