package session

import (
	"time"

	"github.com/aloudchat/aloud/provider"
)

const (
	roundsUnknown       = 10 // tool rounds of a turn while too few turns are known
	leastRounds         = 5
	mostRounds          = 25
	fewestTurns         = 20   // that say something about the next one
	roundsTurns         = 1000 // the newest turns count: models and habits change
	roundsConversations = 200  // files that are read for it
)

// Rounds is how many tool rounds the next turn with a model may take, learned from those before: 99 of 100 turns that the model finished took
// no more, or would have. It is between 5 and 25, and 10 as long as fewer than 20 such turns are known. The files are read once for each model; what cannot be
// read does not count.
func (s *Store) Rounds(model string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, known := s.rounds[model]
	if !known {
		n = allowance(s.roundsOf(model))
		if s.rounds == nil {
			s.rounds = map[string]int{}
		}
		s.rounds[model] = n
	}
	return n
}

// roundsOf lists the rounds of the turns that a model finished, and what those would have taken that had no rounds left.
func (s *Store) roundsOf(model string) []int {
	var rounds []int
	files := 0
	_ = s.eachFile(func(id string, _ time.Time, reader *turnReader) bool {
		_ = reader.file(s.path(id), id, func(t finishedTurn) bool {
			if n, ok := roundsWanted(t); ok && t.model == model {
				rounds = append(rounds, n)
			}
			return len(rounds) < roundsTurns
		})
		files++
		return files < roundsConversations && len(rounds) < roundsTurns
	})
	return rounds
}

// roundsWanted is how many rounds a turn took. One that had none left counts half as many more: else a limit could only ever fall.
func roundsWanted(t finishedTurn) (rounds int, ok bool) {
	switch t.Stop.Reason {
	case provider.Done:
		return t.Rounds, true
	case provider.Iterations:
		limit, _ := t.Stop.Limit.(float64) // as JSON has numbers
		return (t.Rounds*3 + 1) / 2, int(limit) == t.Rounds
	}
	return 0, false
}

func allowance(rounds []int) int {
	if len(rounds) < fewestTurns {
		return roundsUnknown
	}
	return min(max(percentile(rounds, .99), leastRounds), mostRounds)
}
