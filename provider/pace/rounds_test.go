package pace

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestLearnedRounds(t *testing.T) {
	many := func(n, rounds int) []int { return slices.Repeat([]int{rounds}, n) }
	for name, test := range map[string]struct {
		turns        []int
		limit, known int
	}{
		"too few turns":          {many(9, 2), 10, 0},
		"short turns":            {many(10, 1), 5, 10},
		"some longer turns":      {slices.Concat(many(90, 2), many(10, 7)), 11, 100},
		"a few very long turns":  {slices.Concat(many(96, 4), many(4, 40)), 6, 100},
		"long turns":             {many(50, 25), 30, 50},
		"old turns are outlived": {slices.Concat(many(200, 20), many(100, 4)), 6, 100},
		"no rounds do not count": {slices.Concat(many(10, 6), many(50, 0)), 9, 10},
	} {
		s := Open("", "here")
		for _, n := range test.turns {
			s.NoteRounds("m", []string{"b", "a"}, n)
		}
		if got := s.Rounds("m", []string{"a", "b"}); got.Limit != test.limit || got.Turns != test.known {
			t.Errorf("%s: got %+v, want %d from %d turns", name, got, test.limit, test.known)
		}
		if got := s.Rounds("m", []string{"a"}); got.Limit != UsualRounds || got.Turns != 0 {
			t.Errorf("%s: other servers have %+v", name, got)
		}
	}
}

func TestRoundsAreKept(t *testing.T) {
	file := paceFileIn(t)
	s := Open(file, hereAddress)
	for range 12 {
		s.NoteRounds("m", []string{"files"}, 3)
	}
	for i := range 2 * keptSets {
		s.NoteRounds("m", []string{strings.Repeat("x", i+1)}, 3)
	}
	savePace(t, s)
	again := Open(file, hereAddress)
	learned, err := Learned(file)
	want := []Rounds{{Address: hereAddress, Servers: []string{"files"}, Limit: 5, Turns: 12}}
	if err != nil || !reflect.DeepEqual(learned["m"], want) {
		t.Errorf("after a restart the rounds are %+v: %v", learned, err)
	}
	if n := len(again.of("m").Rounds); n > keptSets {
		t.Errorf("%d sets of servers are kept", n)
	}
	if got := (*Store)(nil).Rounds("m", nil); got.Limit != UsualRounds {
		t.Errorf("without a file the limit is %+v", got)
	}
}

func TestNewSetOfServersIsLearned(t *testing.T) {
	s := Open("", hereAddress)
	for i := range keptSets {
		for range enoughTurns {
			s.NoteRounds("m", []string{strings.Repeat("x", i+1)}, 3)
		}
	}
	for range enoughTurns {
		s.NoteRounds("m", []string{"y"}, 3)
	}
	if got := s.Rounds("m", []string{"y"}); got.Turns != enoughTurns {
		t.Errorf("after %d other sets, a new one has %+v", keptSets, got)
	}
}

func TestRoundsWithoutServers(t *testing.T) {
	if got := (*Store)(nil).Rounds("m", nil).Servers; got == nil || len(got) > 0 {
		t.Errorf("no servers are %q", got)
	}
}
