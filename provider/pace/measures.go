package pace

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"
)

// How much is kept of one model: enough to see through a single odd measurement, and little enough to follow a machine that changes. Prompts are
// kept by their size, so that the many short ones of a turn do not push out the long one it began with.
const (
	keptLoads = 5
	keptReads = 5 // of a size
)

// What a measurement must be to count. Servers call it a load, too, when a model that is in memory is handed to a request, which takes some
// milliseconds; and the fixed costs of a request, as well as what other programs do just then, drown the speed of a short prompt.
const (
	shortestLoad = 20 * milliseconds(1)
	shortestRead = 1 * milliseconds(1)
	longest      = 24 * 60 * 60 * 1000 * milliseconds(1)
	fewestTokens = 200
	mostTokens   = 10_000_000
	mostScale    = 100
	mostSpeed    = 1000 // tokens in a millisecond: these were not read, they were in the cache
)

// nearest is how many prompts an estimate goes by, and alike how many times longer or shorter than the one in question they may be.
const (
	nearest = 5
	alike   = 4
)

// milliseconds is a time as it stands in the file.
type milliseconds int64

func inMilliseconds(d time.Duration) milliseconds { return milliseconds(d.Milliseconds()) }

func (m milliseconds) duration() time.Duration { return time.Duration(m) * time.Millisecond }

// measures are what was measured of one model, the oldest first.
type measures struct {
	Loads []milliseconds `json:"loads_ms,omitempty"` // coming into memory
	Reads []reading      `json:"reads,omitempty"`

	Context int     `json:"context,omitempty"` // tokens that the last turn needed; 0: unknown
	Scale   float64 `json:"scale,omitempty"`   // how many tokens the server counts for one that is estimated; 0: unknown
}

// reading is a prompt, or the part of it that was not in the server's cache.
type reading struct {
	Tokens int          `json:"tokens"`
	MS     milliseconds `json:"ms"`
}

func (m measures) empty() bool {
	return len(m.Loads) == 0 && len(m.Reads) == 0 && m.Context == 0 && m.Scale == 0
}

// with is m and newer measures, of which as many are left as are kept, and none that cannot be.
func (m measures) with(newer measures) measures {
	return measures{
		Context: cmp.Or(inRange(newer.Context, mostTokens), inRange(m.Context, mostTokens)),
		Scale:   cmp.Or(inRange(newer.Scale, mostScale), inRange(m.Scale, mostScale)),

		Loads: last(keptLoads, milliseconds.isLoad, oneSize, m.Loads, newer.Loads),
		Reads: last(keptReads, reading.isRead, reading.size, m.Reads, newer.Reads),
	}
}

// inRange is n, or 0 when it cannot be.
func inRange[N int | float64](n, most N) N {
	if n > 0 && n <= most {
		return n
	}
	return 0
}

// last is what counts of the lists: the last n of each size.
func last[T any](n int, counts func(T) bool, size func(T) int, lists ...[]T) []T {
	all := slices.DeleteFunc(slices.Concat(lists...), func(one T) bool { return !counts(one) })
	slices.Reverse(all)
	kept := map[int]int{}
	all = slices.DeleteFunc(all, func(one T) bool {
		kept[size(one)]++
		return kept[size(one)] > n
	})
	slices.Reverse(all)
	return all
}

func (m milliseconds) isLoad() bool { return m >= shortestLoad && m <= longest }

func oneSize(milliseconds) int { return 0 }

// size is the same for prompts that are alike: each has four times the tokens of the one before.
func (r reading) size() int { return bits.Len(uint(r.Tokens)) / 2 }

func (r reading) isRead() bool {
	return r.Tokens >= fewestTokens && r.Tokens <= mostTokens && r.MS >= shortestRead && r.MS <= longest && r.each() >= 1.0/mostSpeed
}

// each is how many milliseconds a token took.
func (r reading) each() float64 { return float64(r.MS) / float64(r.Tokens) }

// away is how much longer or shorter a prompt is than one of so many tokens, as a factor of 1 or more.
func (r reading) away(tokens int) float64 {
	return max(float64(r.Tokens)/float64(tokens), float64(tokens)/float64(r.Tokens))
}

// load is the median of the loads. Of two in the middle it is the longer one: an estimate that is passed is of no use.
func (m measures) load() time.Duration {
	if len(m.Loads) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(m.Loads))
	return sorted[len(sorted)/2].duration()
}

// read estimates from the prompts that are nearest in size, because a long prompt takes more time for each token than a short one: it has to be
// held against all that came before. Where nothing of a like size was read, nobody knows.
//
// Of their speeds it is not the middle one that counts but a slow one, which three of four prompts kept up with. Some servers count tokens that
// were in their cache as if they had read them, so there are measurements that look many times too fast, but few that are too slow.
func (m measures) read(tokens int) time.Duration {
	if tokens <= 0 {
		return 0
	}
	near := slices.DeleteFunc(slices.Clone(m.Reads), func(r reading) bool { return r.away(tokens) > alike })
	if len(near) == 0 {
		return 0
	}
	slices.SortFunc(near, func(a, b reading) int { return cmp.Compare(a.away(tokens), b.away(tokens)) })
	near = near[:min(nearest, len(near))]
	slices.SortFunc(near, func(a, b reading) int { return cmp.Compare(a.each(), b.each()) })
	took := near[len(near)*3/4].each() * float64(tokens)
	return milliseconds(math.Round(min(took, float64(longest)))).duration()
}
