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
	"iter"
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
	Rounds        RoundStats              `json:"rounds"`
	Latency       struct {
		Load   Latency `json:"load"`
		Prompt Latency `json:"prompt"`
		Answer Latency `json:"answer"`
		Tools  Latency `json:"tools"`
		Total  Latency `json:"total"` // at least as long as each of the others
	} `json:"latency_ms"`
	Speed struct {
		Read    speed `json:"read"`
		Written speed `json:"written"`
	} `json:"tokens_per_second"`
	Tools []*ToolStats `json:"tools"` // most calls first

	last string // the session of the last turn
}

// RoundStats counts the tool rounds of turns.
type RoundStats struct {
	Mean    float64 `json:"mean"`
	Median  int     `json:"median"`
	P99     int     `json:"p99"`
	Chained float64 `json:"chained"` // the share of turns with two rounds or more

	counts []int
}

// Latency has the milliseconds that half of the turns, and 95 of 100, take at most.
type Latency struct {
	Median int64 `json:"median"`
	P95    int64 `json:"p95"`

	all []int64
}

func (l *Latency) finish() { l.Median, l.P95 = percentile(l.all, .5), percentile(l.all, .95) }

// speed sums up tokens and the milliseconds that they took. In JSON it is the tokens per second, 0 if nothing was
// measured.
type speed struct{ tokens, ms float64 }

// add leaves out what was not measured: its tokens would make the rest seem faster.
func (s *speed) add(tokens int, ms int64) {
	if tokens > 0 && ms > 0 {
		s.tokens, s.ms = s.tokens+float64(tokens), s.ms+float64(ms)
	}
}

func (s speed) perSecond() float64 { return rounded(1000*s.tokens/max(s.ms, 1), 1) }

// MarshalJSON implements json.Marshaler.
func (s speed) MarshalJSON() ([]byte, error) { return json.Marshal(s.perSecond()) }

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
		if stats.Turns >= most {
			break
		}
		before := stats.Turns
		for turn, err := range s.ends(in, id) {
			if err != nil {
				errs = append(errs, err)
			} else if (which.Model == "" || turn.Model == which.Model) && !turn.Time.Before(which.Since) && stats.Turns < most {
				stats.Turns++
				if stats.From.IsZero() || turn.Time.Before(stats.From) {
					stats.From = turn.Time
				}
				if turn.Time.After(stats.Until) {
					stats.Until = turn.Time
				}
				m := models[turn.Model]
				if m == nil {
					m = &ModelStats{Model: turn.Model, Stops: map[provider.Reason]int{}, Tools: []*ToolStats{}}
					models[turn.Model], stats.Models = m, append(stats.Models, m)
				}
				m.count(id, turn.End)
			}
		}
		if stats.Turns > before {
			stats.Conversations++
		}
	}
	for _, m := range stats.Models {
		m.finish()
	}
	slices.SortFunc(stats.Models, func(a, b *ModelStats) int { return cmp.Or(b.Turns-a.Turns, cmp.Compare(a.Model, b.Model)) })
	return stats, errors.Join(errs...)
}

func (m *ModelStats) count(session string, end *turnEnd) {
	m.Turns++
	if m.Turns == 1 || session != m.last {
		m.Conversations++
		m.last = session
	}
	m.Stops[end.Stop.Reason]++
	for _, c := range end.Calls {
		m.call(c)
	}
	if end.Stop.Reason == provider.Cancelled || end.Stop.Reason == provider.Failed {
		return
	}
	t := end.Timing
	total := max(t.Total, t.Load, t.Prompt, t.Answer, t.Tools) // model servers measure with clocks of their own
	for i, ms := range []int64{t.Load, t.Prompt, t.Answer, t.Tools, total} {
		l := m.latencies()[i]
		l.all = append(l.all, ms)
	}
	m.Rounds.counts = append(m.Rounds.counts, end.Rounds)
	m.Speed.Read.add(end.Usage.PromptTokens, t.Prompt)
	m.Speed.Written.add(end.Usage.AnswerTokens, t.Answer)
}

func (m *ModelStats) latencies() []*Latency {
	return []*Latency{&m.Latency.Load, &m.Latency.Prompt, &m.Latency.Answer, &m.Latency.Tools, &m.Latency.Total}
}

// readMore is a tool without a server: each turn offers it itself.
const readMore = "read_more"

// call counts a call. Tools that do not exist are one: a model may invent any number of names.
func (m *ModelStats) call(c callEnd) {
	if c.Server == "" && c.Name != readMore {
		c.Name = ""
	}
	i := slices.IndexFunc(m.Tools, func(t *ToolStats) bool { return t.Name == c.Name && t.Server == c.Server })
	if i < 0 {
		i, m.Tools = len(m.Tools), append(m.Tools, &ToolStats{Name: c.Name, Server: c.Server})
	}
	t := m.Tools[i]
	t.Calls++
	if c.Repaired {
		t.Repaired++
	}
	switch c.Status {
	case provider.CallOK:
		t.Duration.all = append(t.Duration.all, c.DurationMS)
	case provider.CallError:
		t.Failed++
	default:
		t.NotRun++
	}
}

func (m *ModelStats) finish() {
	m.Finished = m.Stops[provider.Done]
	r, sum, chained := &m.Rounds, 0, 0
	for _, n := range r.counts {
		sum += n
		if n >= 2 {
			chained++
		}
	}
	r.Mean, r.Chained = rounded(share(sum, len(r.counts)), 2), rounded(share(chained, len(r.counts)), 4)
	r.Median, r.P99 = percentile(r.counts, .5), percentile(r.counts, .99)
	for _, l := range m.latencies() {
		l.finish()
	}
	for _, t := range m.Tools {
		t.FailureRate = rounded(share(t.Failed, t.Calls-t.NotRun), 4)
		t.Duration.finish()
	}
	slices.SortFunc(m.Tools, func(a, b *ToolStats) int {
		return cmp.Or(b.Calls-a.Calls, cmp.Compare(a.Server, b.Server), cmp.Compare(a.Name, b.Name))
	})
}

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

func rounded(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}

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
	if stats, _ := s.stats(StatsFilter{Model: model}, 1000); stats.Turns > 0 {
		if r := stats.Models[0].Rounds; len(r.counts) >= 20 {
			n = min(max(r.P99*3/2, 5), 25)
		}
	}
	if s.rounds == nil {
		s.rounds = map[string]int{}
	}
	s.rounds[model] = n
	return n
}

// longestEnd is how long the line is at most that says how a turn ended, in bytes.
const longestEnd = 1 << 20

// ends reads the records of the ends of turns from a file, each with its model, and an error last. It looks at every
// line and decodes few, so reading is about as fast as the disk.
func (s *Store) ends(in *bufio.Reader, id string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		f, err := os.Open(s.path(id))
		if errors.Is(err, fs.ErrNotExist) {
			return // removed in the meantime
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
			if !mayEnd(line) {
				continue
			}
			var r record // here, so that lines that are skipped cost no memory
			switch bad := json.Unmarshal(line, &r); {
			case bad != nil:
			case r.Type == typeMeta && r.Version > version:
				yield(r, fmt.Errorf("session %q %w", id, errNewer(r.Version)))
				return
			case r.Type == typeModel:
				model = r.Model
			case r.Type == typeEnd && r.End != nil:
				r.Model = model
				if !yield(r, nil) {
					return
				}
			}
		}
		if !errors.Is(err, io.EOF) {
			yield(record{}, unreadable(id, err))
		}
	}
}

// mayEnd reports whether a line is about the end of a turn: every line begins with its type.
func mayEnd(line []byte) bool {
	for _, begin := range []string{`{"type":"end"`, `{"type":"model"`, `{"type":"meta"`} {
		if bytes.HasPrefix(line, []byte(begin)) {
			return true
		}
	}
	return false
}

// mostListed is how many models, and tools of one, the text lists. The JSON form has all of them.
const mostListed = 30

// Text is the same for people: short lines, safe to show in a terminal, without a newline at the end.
func (s Stats) Text() string {
	if s.Turns == 0 {
		return "No turns yet."
	}
	var b strings.Builder
	for i, m := range s.Models[:min(len(s.Models), mostListed)] {
		if i > 0 {
			b.WriteString("\n")
		}
		m.text(&b)
	}
	if more := len(s.Models) - mostListed; more > 0 {
		fmt.Fprintf(&b, "\n… and %s\n", quantity.Plural(more, "more model"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (m *ModelStats) text(b *strings.Builder) {
	name := func(s string) string { return cmp.Or(sanitize.Clip(sanitize.Line(s), 40), "(without a name)") }
	fmt.Fprintf(b, "%s\n  turns   %d in %s\n", name(m.Model), m.Turns, quantity.Plural(m.Conversations, "conversation"))
	often := func(a, b provider.Reason) int { return cmp.Or(m.Stops[b]-m.Stops[a], cmp.Compare(a, b)) }
	for i, reason := range slices.SortedFunc(maps.Keys(m.Stops), often) {
		if i < mostListed {
			fmt.Fprintf(b, "          %d %s\n", m.Stops[reason], name(string(reason)))
		}
	}
	fmt.Fprintf(b, "  rounds  %.1f a turn, median %d, 99%% at most %d\n", m.Rounds.Mean, m.Rounds.Median, m.Rounds.P99)
	fmt.Fprintf(b, "  speed   %.0f tokens/s read, %.0f written\n", m.Speed.Read.perSecond(), m.Speed.Written.perSecond())
	l := m.Latency
	fmt.Fprintf(b, "  time    median %s, 95%% at most %s\n", brief(l.Total.Median), brief(l.Total.P95))
	fmt.Fprintf(b, "          load %s, prompt %s, answer %s, tools %s\n", brief(l.Load.Median), brief(l.Prompt.Median),
		brief(l.Answer.Median), brief(l.Tools.Median))
	for _, t := range m.Tools[:min(len(m.Tools), mostListed)] {
		tool := "tools that do not exist"
		if t.Name != "" {
			tool = name(t.Name)
		}
		fmt.Fprintf(b, "  %s: %s, %d not run, %d failed, median %s\n",
			tool, quantity.Plural(t.Calls, "call"), t.NotRun, t.Failed, brief(t.Duration.Median))
	}
	if more := len(m.Tools) - mostListed; more > 0 {
		fmt.Fprintf(b, "  … and %s\n", quantity.Plural(more, "more tool"))
	}
}

func brief(ms int64) string { return quantity.Brief(time.Duration(ms) * time.Millisecond) }
