package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// Score is how many of the questions were answered right. Skipped ones do not count.
type Score struct {
	Right int `json:"right"`
	Asked int `json:"asked"`
}

func (s *Score) add(right bool) {
	if s.Asked++; right {
		s.Right++
	}
}

// String returns "3/4", or "" if nothing was asked.
func (s Score) String() string {
	if s.Asked == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Right, s.Asked)
}

// KindScore is the score of one kind of questions.
type KindScore struct {
	Kind  string `json:"kind"`
	Title string `json:"title"`
	Score
}

// Column is what one model made of the questions. Its JSON form is that of --output json.
type Column struct {
	Model    string `json:"model"`
	Defences bool   `json:"defences"`
	Score
	Kinds    []KindScore    `json:"kinds"`
	Read     Speed          `json:"read"`
	Written  Speed          `json:"written"`
	LoadMS   int64          `json:"load_ms"`   // the longest
	AnswerMS int64          `json:"answer_ms"` // the mean, without loading
	Context  int            `json:"context"`   // the largest that fits, in tokens; 0 if unknown
	Acted    map[string]int `json:"acted"`     // how often each defence changed a reply
	Suggest  string         `json:"suggest"`   // settings, as TOML
	Answers  []Answer       `json:"answers"`
}

// ColumnOf sums up the kept answers of a model.
func (r *Results) ColumnOf(model string, defences bool, questions []*Question) Column {
	c := Column{Model: model, Defences: defences, Acted: map[string]int{}, Answers: []Answer{}}
	for _, q := range questions {
		at := slices.IndexFunc(c.Kinds, func(k KindScore) bool { return k.Kind == q.Kind.Name })
		if at < 0 {
			at = len(c.Kinds)
			c.Kinds = append(c.Kinds, KindScore{Kind: q.Kind.Name, Title: q.Kind.Title})
		}
		a, ok := r.Find(model, q, defences)
		if !ok {
			continue
		}
		if c.Answers = append(c.Answers, a); a.Skipped != "" {
			continue
		}
		c.Kinds[at].add(a.Right)
		c.add(a.Right)
		for name, n := range a.Acted {
			c.Acted[name] += n
		}
		c.Read.add(a.Read.Tokens, a.Read.MS)
		c.Written.add(a.Written.Tokens, a.Written.MS)
		c.LoadMS = max(c.LoadMS, a.LoadMS)
		c.AnswerMS += (a.MS - c.AnswerMS) / int64(c.Asked)
	}
	return c
}

// Rank sorts columns: the best model first, and of two equal ones the faster. What a model does without the defences
// follows what it does with them.
func Rank(columns []Column) {
	share := func(c Column) float64 { return float64(c.Right) / float64(max(c.Asked, 1)) }
	best := map[string]Column{}
	for _, c := range columns {
		if c.Defences {
			best[c.Model] = c
		}
	}
	slices.SortStableFunc(columns, func(a, b Column) int {
		x, y := best[a.Model], best[b.Model]
		return cmp.Or(cmp.Compare(share(y), share(x)), cmp.Compare(x.AnswerMS, y.AnswerMS), strings.Compare(a.Model, b.Model))
	})
}

const (
	slowAnswer  = 20 * time.Second // from which thinking is worth a second look
	muchThought = 0.5              // of what the model writes
)

// Advise sets Context and Suggest: the settings that the answers speak for, with the reasons. costly means that a
// sentence of the status line makes the server of the model read its prompt again.
func (c *Column) Advise(info provider.Info, fits int, costly bool) {
	c.Context, c.Suggest = fits, fmt.Sprintf("model = %q\n", c.Model)
	add := func(format string, args ...any) { c.Suggest += fmt.Sprintf(format, args...) }
	var thought, wrote, circles int
	for _, a := range c.Answers {
		thought, wrote = thought+a.ThinkingBytes, wrote+a.TextBytes
		if a.Stop == event.Iterations {
			circles++
		}
	}
	if fits > 0 && !info.Fixed {
		add("context = %d  # the largest that fits, so that the model is loaded once\n", fits)
	}
	share, took := float64(thought)/float64(max(thought+wrote, 1)), time.Duration(c.AnswerMS)*time.Millisecond
	if share > muchThought && took > slowAnswer {
		less := provider.ThinkOff
		if info.Levels {
			less = provider.ThinkLow
		}
		add("think = %q  # an answer takes %s, and %.0f%% of it is thinking\n", less, quantity.Brief(took), 100*share)
	}
	if circles > 0 {
		add("\n[limits]\niterations = 6  # it called tools on and on in %s\n", quantity.Plural(circles, "answer"))
	}
	if costly {
		add("\n[status]\nstyle = \"name\"  # a sentence makes the server read the prompt again\n")
	}
}
