package tape_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/status/tape"
)

// turnOf returns a turn of the kinds, each of which took so many milliseconds.
func turnOf(parts ...any) (t tape.Tape) {
	for part := range slices.Chunk(parts, 2) {
		s := tape.Span{Kind: part[0].(tape.Kind), Start: t.Now, Length: time.Duration(part[1].(int) * 1e6)}
		t.Spans = append(t.Spans, s)
		t.Now = s.End()
	}
	return t.End(tape.Limit)
}

func TestBriefShowsPartOfEachKind(t *testing.T) {
	const load, read, write, tool = tape.Load, tape.Read, tape.Write, tape.Tool
	together := turnOf(write, 5000, tool, 5000)
	together.Spans = append(together.Spans, together.Spans[1], together.Spans[1], together.Spans[0])
	for name, c := range map[string]struct {
		turn tape.Tape
		want string
	}{
		"a cold answer":     {turnOf(load, 9000, read, 800, write, 12_000), "━━━━┅═════"},
		"a warm answer":     {turnOf(read, 300, write, 6000), "┅═════════"},
		"a cached answer":   {turnOf(read, 50, write, 6000), "══════════"},
		"a long prompt":     {turnOf(read, 14_000, write, 3000), "┅┅┅┅┅┅┅┅══"},
		"rounds":            {turnOf(slices.Repeat([]any{read, 200, write, 600, tool, 300}, 8)...), "┅═▓═▓═┅═▓═"},
		"slow tools":        {turnOf(slices.Repeat([]any{read, 500, write, 2000, tool, 12_000}, 3)...), "┅═▓▓▓▓▓▓▓▓"},
		"mostly a load":     {turnOf(load, 60_000, read, 2500, write, 2500, tool, 2500), "━━━━━━━┅═▓"},
		"tools at one time": {together, "═════▓▓▓▓▓"},
		"one part":          {turnOf(write, 1000), ""},
		"no time":           {turnOf(read, 0, write, 0), ""},
	} {
		if got := tape.Text(c.turn.Brief(10)); got != c.want {
			t.Errorf("%s is %q, not %q", name, got, c.want)
		}
	}
}

func TestBriefOfManyKindsInFewCells(t *testing.T) {
	all := turnOf(tape.Load, 1, tape.Read, 2, tape.Think, 3, tape.Write, 4, tape.Tool, 5, tape.Retry, 6)
	for n, want := range []string{"", "╳", "▓╳", "═▓╳", "─═▓╳"} {
		if got := tape.Text(all.Brief(n)); got != want {
			t.Errorf("in %d cells the turn is %q, not %q", n, got, want)
		}
	}
	if got := tape.Text(all.Brief(100)); len([]rune(got)) != 100 || strings.Trim(got, "━┅─═▓╳") != "" {
		t.Errorf("in 100 cells the turn is %q", got)
	}
}
