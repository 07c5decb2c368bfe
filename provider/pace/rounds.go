package pace

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Limits of tool rounds that are learned from use. A turn may take half as many rounds again as 95 of 100 turns that
// ended well: turns that a limit ends are not among these, so without the rest the limit would only ever fall.
const (
	FewestRounds = 5
	MostRounds   = 30
	UsualRounds  = 10 // until enough turns are known
)

const (
	keptTurns   = 100
	enoughTurns = 10
	keptSets    = 20   // sets of servers of one model
	mostInTurn  = 1000 // more cannot be configured
)

// Rounds is the limit of tool rounds for a model with a set of servers.
type Rounds struct {
	Address string   `json:"model_server,omitempty"` // only from Learned
	Servers []string `json:"servers"`                // sorted
	Limit   int      `json:"limit"`
	Turns   int      `json:"turns"` // from which it was learned; 0 if these are too few
}

// Rounds returns the limit of tool rounds that was learned for a model with these servers.
func (s *Store) Rounds(model string, servers []string) Rounds {
	key := serverSet(servers)
	return roundsOf(key, s.of(model).Rounds[key])
}

// Learned returns the limits of tool rounds that were learned in the file at path, by model, for all model servers. A
// missing file counts as empty.
func Learned(path string) (map[string][]Rounds, error) {
	all, err := readFile(path)
	byModel := map[string][]Rounds{}
	for _, address := range slices.Sorted(maps.Keys(all.Servers)) {
		for model, m := range all.Servers[address] {
			for _, key := range slices.Sorted(maps.Keys(m.Rounds)) {
				if r := roundsOf(key, m.Rounds[key]); r.Turns > 0 {
					r.Address = address
					byModel[model] = append(byModel[model], r)
				}
			}
		}
	}
	return byModel, err
}

// NoteRounds records that a turn that ended well took so many tool rounds. Turns without any are not counted.
func (s *Store) NoteRounds(model string, servers []string, rounds int) {
	s.note(model, measures{Rounds: map[string][]int{serverSet(servers): {rounds}}})
}

func roundsOf(key string, turns []int) Rounds {
	r := Rounds{Servers: strings.Fields(key), Limit: UsualRounds}
	if len(turns) < enoughTurns {
		return r
	}
	sorted := slices.Sorted(slices.Values(turns))
	usual := sorted[(len(sorted)*95-1)/100]
	r.Turns, r.Limit = len(turns), min(max(usual+(usual+1)/2, FewestRounds), MostRounds)
	return r
}

// serverSet names a set of servers, whose names have no spaces.
func serverSet(servers []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(servers))), " ")
}

// joinRounds returns the newest rounds of turns, by set of servers, without impossible ones. If there are too many
// sets, the older ones with the fewest turns are forgotten.
func joinRounds(older, newer map[string][]int) map[string][]int {
	joined := maps.Clone(older)
	for key, turns := range newer {
		turns = slices.Concat(joined[key], turns)
		turns = slices.DeleteFunc(turns, func(n int) bool { return n < 1 || n > mostInTurn })
		if turns = turns[max(0, len(turns)-keptTurns):]; len(turns) == 0 {
			continue
		}
		if joined == nil {
			joined = map[string][]int{}
		}
		joined[key] = turns
	}
	sets := slices.SortedFunc(maps.Keys(joined), func(a, b string) int {
		return cmp.Or(min(len(newer[b]), 1)-min(len(newer[a]), 1), len(joined[b])-len(joined[a]), strings.Compare(a, b))
	})
	for _, key := range sets[min(len(sets), keptSets):] {
		delete(joined, key)
	}
	return joined
}
