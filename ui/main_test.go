package ui

import (
	"os"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2"
)

// TestMain keeps a clock going that the regular expressions of the highlighter share. It stands still a while after the last match could
// have timed out, and would start anew in whatever goroutine matches next: on the fake time of a synctest bubble, which waits for it in vain.
// One match that may take longer than all tests keeps it going for as long, however busy the machine is.
func TestMain(m *testing.M) {
	lexer := chroma.MustNewLexer(&chroma.Config{Name: "patient"}, func() chroma.Rules {
		return chroma.Rules{"root": {{Pattern: "x", Type: chroma.Text, Mutator: patience(24 * time.Hour)}}}
	})
	if _, err := chroma.Tokenise(lexer, nil, "x"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// patience is how long a match of its rule may take.
type patience time.Duration

func (patience) Mutate(*chroma.LexerState) error { return nil }

func (p patience) MutateLexer(rules chroma.CompiledRules, state string, rule int) error {
	r := rules[state][rule]
	r.Regexp.MatchTimeout = time.Duration(p)
	r.Mutator = nil // else it would be asked for ever
	return nil
}
