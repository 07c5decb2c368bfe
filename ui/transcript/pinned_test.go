package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/ui/look"
)

// asksAndAnswers returns a view of ten rows with two questions and their answers of 20 rows.
func asksAndAnswers() *Transcript {
	tr := New()
	tr.Resize(30, 10)
	for i, question := range []string{"first of\nall?", "why " + strings.Repeat("so long ", 20)} {
		tr.add(newUserEntry(asked(question)))
		answer := &rowsEntry{}
		for row := range 20 {
			answer.rows = append(answer.rows, fmt.Sprint(i+1, ".", row+1))
		}
		tr.add(answer)
	}
	return tr
}

// viewed returns the rows of a view without colours.
func viewed(tr *Transcript) []string {
	rows := slices.Clone(tr.View())
	for i, row := range rows {
		rows[i] = plainRow(row)
	}
	return rows
}

func TestQuestionIsPinnedWhileScrolledUp(t *testing.T) {
	tr := asksAndAnswers()
	if rows := viewed(tr); rows[0] != "2.11" {
		t.Errorf("a view that follows begins with %q", rows[0])
	}
	tr.Scroll(-2)
	if rows := viewed(tr); rows[0] != "↑ why so long so long so long…" || rows[1] != "2.10" {
		t.Errorf("scrolled up, the view is %q", rows)
	}
	tr.Home()
	if rows := viewed(tr); rows[0] != "▌ first of" {
		t.Errorf("the first question is covered: %q", rows)
	}
	tr.Scroll(2)
	if rows := viewed(tr); rows[0] != "↑ first of all?" || rows[1] != "1.1" {
		t.Errorf("below the first question, the view is %q", rows)
	}
	tr.Scroll(21)
	if rows := viewed(tr); rows[0] != "" || rows[1] != "▌ why so long so long so long" {
		t.Errorf("at the second question, the view is %q", rows)
	}
}

func TestPinnedQuestionIsFilled(t *testing.T) {
	tr := asksAndAnswers()
	st := look.New(nil)
	tr.Restyle(&st)
	tr.Scroll(-2)
	background, _, _ := strings.Cut(st.Question.Render("x"), "x")
	if row := tr.View()[0]; !strings.HasPrefix(row, background) || st.Method.StringWidth(row) != 30 {
		t.Errorf("the row has no background: %q", row)
	}
}

func TestLowViewPinsNothing(t *testing.T) {
	tr := asksAndAnswers()
	tr.Resize(30, pinnedHeight-1)
	tr.Scroll(-2)
	if rows := viewed(tr); strings.Contains(rows[0], "↑") {
		t.Errorf("a low view is %q", rows)
	}
}

func TestFoldedThoughtMovesNothing(t *testing.T) {
	tr := New()
	tr.Resize(30, 10)
	tr.add(&rowsEntry{rows: strings.Fields("1 2 3 4 5 6 7 8 9")})
	th := newThought()
	tr.add(th)
	th.think(strings.Repeat("word\n\n", 20), shortThought)
	before := viewed(tr)
	th.finish(shortThought)
	after := viewed(tr)
	if want := append(before[:4:4], "│ Thought for 2s · word"); !slices.Equal(after, want) {
		t.Errorf("the view was %q and is %q, want %q", before, after, want)
	}
	tr.add(&rowsEntry{rows: strings.Fields("a b c d e")})
	if rows := viewed(tr); len(rows) != 10 || rows[9] != "e" || rows[0] != before[1] {
		t.Errorf("with more text the view is %q", rows)
	}
	tr.remove(tr.entries[1:])
	if rows := viewed(tr); len(rows) != 9 || rows[0] != "1" {
		t.Errorf("without the rest the view is %q", rows)
	}
}
