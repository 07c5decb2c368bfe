package session

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// Stats says how turns went, model by model. Its JSON form is the contract of `aloud stats --output json`.
//
// Every turn that ended counts, also one that was taken back later with /retry or /clear.
type Stats struct {
	Turns         int          `json:"turns"`
	Conversations int          `json:"conversations"`
	From          time.Time    `json:"from,omitzero"`  // when the first of the turns ended
	Until         time.Time    `json:"until,omitzero"` // and the last
	Models        []ModelStats `json:"models"`         // the one with the most turns first
}

// ModelStats is about the turns of one model. Rounds, Latency and Speed are about the same turns: all but those that were cancelled or failed, which
// say how long somebody waited, not how long the work takes.
type ModelStats struct {
	Model         string                  `json:"model"`
	Turns         int                     `json:"turns"`
	Conversations int                     `json:"conversations"`
	Finished      int                     `json:"finished"` // those with stop reason done
	Stops         map[provider.Reason]int `json:"stops"`    // turns by stop reason
	Rounds        RoundStats              `json:"rounds"`
	Latency       LatencyStats            `json:"latency_ms"`
	Speed         SpeedStats              `json:"tokens_per_second"`
	Tools         []ToolStats             `json:"tools"` // the one with the most calls first
}

// RoundStats is about how many tool rounds a turn takes.
type RoundStats struct {
	Mean    float64 `json:"mean"`
	Median  int     `json:"median"`
	P99     int     `json:"p99"`
	Chained float64 `json:"chained"` // the share of turns with two rounds or more
}

// LatencyStats is where the time of a turn goes, in milliseconds.
type LatencyStats struct {
	Load   Latency `json:"load"`
	Prompt Latency `json:"prompt"`
	Answer Latency `json:"answer"`
	Tools  Latency `json:"tools"`
	Total  Latency `json:"total"` // of each turn at least as long as each of its parts
}

// Latency is what half of the turns, and 95 of 100, take at most.
type Latency struct {
	Median int64 `json:"median"`
	P95    int64 `json:"p95"`
}

// SpeedStats counts tokens for each second of reading and of writing. 0: nothing was measured.
type SpeedStats struct {
	Read    float64 `json:"read"`
	Written float64 `json:"written"`
}

// ToolStats is about the calls of one tool. Calls of tools that do not exist, whatever name the model gave them, have an empty name.
type ToolStats struct {
	Name        string  `json:"name"`
	Server      string  `json:"server"`
	Calls       int     `json:"calls"`        // that the model wanted
	Failed      int     `json:"failed"`       // that gave an error
	NotRun      int     `json:"not_run"`      // that were refused, cancelled, skipped, or answered from an earlier call
	Repaired    int     `json:"repaired"`     // whose arguments were mended before they ran
	FailureRate float64 `json:"failure_rate"` // of the calls that ran: Failed / (Calls - NotRun)
	Duration    Latency `json:"duration_ms"`  // of those that worked
}

// StatsFilter chooses turns. Its zero value chooses all.
type StatsFilter struct {
	Model string    // "": every model
	Since time.Time // turns that ended before do not count
}

// mostTurns bounds what statistics hold in memory. Beyond it the turns of the conversations that were changed last count.
const mostTurns = 100_000

// Stats counts all turns on disk. Sessions that cannot be read are left out and named in the error: the rest counts all the same.
func (s *Store) Stats() (Stats, error) { return s.StatsOf(StatsFilter{}) }

// StatsOf is Stats of some turns only.
func (s *Store) StatsOf(which StatsFilter) (Stats, error) {
	stats := Stats{Models: []ModelStats{}}
	models := map[string]*tally{}
	var errs []error
	err := s.eachFile(func(id string, changed time.Time, reader *turnReader) bool {
		if changed.Before(which.Since) {
			return false // the others are older still
		}
		before := stats.Turns
		err := reader.file(s.path(id), id, func(t finishedTurn) bool {
			if which.takes(t) {
				stats.count(t)
				if models[t.model] == nil {
					models[t.model] = newTally()
				}
				models[t.model].count(id, t)
			}
			return stats.Turns < mostTurns
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it may have been removed in the meantime
			errs = append(errs, err)
		}
		if stats.Turns > before {
			stats.Conversations++
		}
		return stats.Turns < mostTurns
	})
	for _, name := range slices.Sorted(maps.Keys(models)) {
		stats.Models = append(stats.Models, models[name].stats(name))
	}
	slices.SortStableFunc(stats.Models, func(a, b ModelStats) int { return cmp.Compare(b.Turns, a.Turns) })
	return stats, errors.Join(append(errs, err)...)
}

// eachFile names the sessions, the one that was changed last first, until do returns false.
func (s *Store) eachFile(do func(id string, changed time.Time, reader *turnReader) bool) error {
	ids, err := s.ids()
	reader := newTurnReader()
	for _, id := range ids {
		info, err := os.Stat(s.path(id))
		if err == nil && !do(id, info.ModTime(), reader) {
			return nil
		}
	}
	return err
}

func (f StatsFilter) takes(t finishedTurn) bool {
	return (f.Model == "" || t.model == f.Model) && !t.at.Before(f.Since)
}

func (s *Stats) count(t finishedTurn) {
	s.Turns++
	if s.From.IsZero() || t.at.Before(s.From) {
		s.From = t.at
	}
	if t.at.After(s.Until) {
		s.Until = t.at
	}
}

// share is part of whole, with as many digits as mean something.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return rounded(float64(part)/float64(whole), 4)
}

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
