package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

const (
	keptBytes = 16 << 10 // of arguments and of results, because a tool may return fifty megabytes
	shownRows = 20       // of a result, unfolded, on the screen
)

// toolEntry is one tool call: a line with its state, and when unfolded its arguments and the beginning of its result.
type toolEntry struct {
	call   event.ToolCall // its texts are truncated
	total  int            // lines of the whole result
	cut    bool           // the result is truncated
	runs   bool           // the call has begun
	from   time.Duration  // the turn's work time when it began
	clock  string         // how long it has run; "" if it does not run, or its clock is not shown
	change change         // the one that needed approval
	folded bool           // into the line of the call before it
	others []*toolEntry   // the calls folded into the line of this one
	// its images are shown below
	pictured bool
	drawn
}

func newToolEntry(c event.ToolCall) *toolEntry {
	e := &toolEntry{}
	e.update(c)
	return e
}

// tick sets the clock of a running call, whose turn has worked for so long, and draws the row again if it changes.
func (e *toolEntry) tick(worked time.Duration, shown bool) {
	clock := ""
	if took := worked - e.from; e.runs && shown && took >= time.Second {
		clock = quantity.Duration(took)
	}
	if clock != e.clock {
		e.clock = clock
		e.forget()
	}
}

// update replaces the call.
func (e *toolEntry) update(c event.ToolCall) {
	if c.Result == "" {
		c.Result = c.Error
	}
	e.total, e.cut = lineCount(c.Result), len(c.Result) > keptBytes
	c.Result, c.Error = keep(c.Result), keep(c.Error)
	c.Repairs = slices.Clone(c.Repairs[:min(len(c.Repairs), shownRows)]) // a model may have a thousand wrong values
	for i, repair := range c.Repairs {
		c.Repairs[i] = strings.Clone(sanitize.Cut(repair, 400))
	}
	if len(c.Arguments) > keptBytes {
		c.Arguments, _ = json.Marshal(map[string]string{"…": "too long to show"})
	}
	e.call = c
	e.forget()
}

func (e *toolEntry) fresh() entry {
	return &toolEntry{call: e.call, total: e.total, cut: e.cut, clock: e.clock, change: e.change, pictured: e.pictured}
}

// keep returns the beginning of a text, as a copy if that frees much memory.
func keep(s string) string {
	if len(s) <= keptBytes {
		return s
	}
	return strings.Clone(sanitize.Cut(s, keptBytes))
}

func (e *toolEntry) lines(width int, st *look.Look) []string {
	if !e.stale(width, st) {
		return e.rows
	}
	e.rows = append(e.rows, e.line(width, st))
	if st.Details {
		e.rows = append(e.rows, e.details(width, st)...)
	}
	return e.rows
}

// unknown is the duration of a call that was not recorded.
const unknown = -1

// state returns the mark of a call, and its duration or why it was not made.
func (e *toolEntry) state(st *look.Look) (mark, words string) {
	took := quantity.Brief(time.Duration(e.took(st)) * time.Millisecond)
	switch status := e.call.Status; status {
	case event.CallOK:
		if e.took(st) == unknown {
			took = ""
		}
		if e.change.diff != "" {
			return st.OK.Render("✎"), took
		}
		return st.OK.Render("✓"), took
	case event.CallCached:
		return st.OK.Render("✓"), string(status)
	case event.CallError:
		return st.Err.Render("✗"), strings.TrimPrefix(took, "0s") // it may not have run
	case event.CallCancelled:
		return st.Warn.Render("–"), "stopped"
	case event.CallDenied, event.CallSkipped:
		return st.Warn.Render("–"), string(status)
	}
	return st.Accent.Render("◌"), e.clock
}

// excerpt draws the beginning of a text, or all of it in the pager, and the number of lines left out. The text may be
// truncated already.
func excerpt(text string, lines, width int, st *look.Look) []string {
	text = strings.TrimRight(text, "\n")
	if first := strings.SplitN(text, "\n", shownRows+1); len(first) > shownRows && !st.Whole {
		text = strings.Join(first[:shownRows], "\n")
	}
	more := ""
	if left := lines - lineCount(text); left > 0 {
		more = fmt.Sprintf("… %s more lines", look.Thousands(left))
	}
	return beginning(block(text, width, st), more, width, st)
}

// beginning returns the rows that are shown on the screen, or all of them in the pager. more is the row after them if
// there is more that is not among them.
func beginning(rows []string, more string, width int, st *look.Look) []string {
	if len(rows) > shownRows && !st.Whole {
		rows, more = rows[:shownRows:shownRows], "… more"
	}
	switch {
	case more == "":
		return rows
	case !st.Whole:
		more += " · /pager"
	}
	return append(rows, block(more, width, st)...)
}

// indentOf is the indent of rows below the line. A narrow screen has none.
func indentOf(width int) string {
	if width < 8 {
		return ""
	}
	return "  "
}

// block draws a text below the line, indented.
func block(text string, width int, st *look.Look) []string {
	rows := markdown.Chop(sanitize.Text(text), width-len(indentOf(width)), st.Method)
	look.Paint(rows, st.Dim)
	return indented(rows, width)
}

// indented indents rows, except blank ones.
func indented(rows []string, width int) []string {
	for i, row := range rows {
		if row != "" {
			rows[i] = indentOf(width) + row
		}
	}
	return rows
}

// lineCount returns the number of lines of s, without blank ones at its end.
func lineCount(s string) int {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return 0
	}
	return strings.Count(s, "\n") + 1
}
