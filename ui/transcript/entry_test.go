package transcript

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/ui/look"
)

const answer = `## What I found

The file has **three parts**:

1. a heading with ` + "`code`" + `
2. some text that is long enough to go over the end of a row of eighty cells, twice
   - and a nested item

` + "```go\nfunc main() {\n\tprintln(\"hello\")\n}\n```" + `

| part | size |
|------|-----:|
| one  |   12 |

> quoted
`

// conversation has one entry of every kind.
func conversation() *Transcript {
	t := New()
	t.add(newUserEntry(asked("What is in\n  notes.md? 日本語")))
	thought := newThought()
	thought.write("I should read the file first, and then say what is in it, part by part.")
	thought.finish(4200 * time.Millisecond)
	t.add(thought)
	call := event.ToolCall{ID: "1", Name: "files__read_file", Title: "Read File",
		Arguments: json.RawMessage(`{"path":"notes.md","lines":20}`)}
	call.Status, call.Result, call.DurationMS = event.CallOK, strings.Repeat("a line of the file\n", 30), 12
	t.add(newToolEntry(call))
	call.Status, call.Error, call.Title = event.CallError, "no such file:\n\"x\"", "Search"
	t.add(newToolEntry(call))
	call.Status, call.Error, call.Repairs = event.CallDenied, "", []string{`lines: "20" → 20`}
	t.add(newToolEntry(call))
	call.Status, call.Repairs = event.CallPending, nil
	t.add(newToolEntry(call))
	reply := &replyEntry{}
	reply.write(answer)
	reply.end()
	reply.partial = true
	t.add(reply)
	t.add(newNoticeEntry(Warn, "[Unable to complete task: the limit of 10 tool rounds is used up]"))
	t.add(newNoticeEntry(Error, "no Ollama server answers"))
	t.add(newSourcesEntry([]string{"https://example.com/a/very/long/path/to/a/page/that/nobody/can/read/in/one/go.html",
		"file:///notes.md"}))
	t.add(textReceipt(twoRounds()))
	return t
}

// dump returns all rows of a transcript, without colours and margins.
func dump(tr *Transcript) string {
	var b, rows strings.Builder
	_ = tr.Dump(&b, 0)
	for row := range strings.Lines(b.String()) {
		rows.WriteString(strings.TrimPrefix(plainRow(row), strings.Repeat(" ", look.Margin(tr.width))) + "\n")
	}
	return rows.String()
}

// plainRow returns a row without colours and without blanks at its end.
func plainRow(row string) string { return strings.TrimRight(ansi.Strip(row), " \n") }

// TestEntries compares every kind of entry with the screens in testdata. UPDATE=1 updates them.
func TestEntries(t *testing.T) {
	for name, c := range map[string]struct {
		width  int
		unfold bool
	}{"entries-40": {40, false}, "entries-80": {80, false}, "entries-80-unfolded": {80, true}} {
		t.Run(name, func(t *testing.T) {
			tr := conversation()
			tr.Restyle(&look.Look{Styles: look.NewStyles(true), Details: c.unfold})
			tr.Resize(c.width, 10)
			got, file := dump(tr), filepath.Join("testdata", name+".txt")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestReplyInPiecesIsTheReply(t *testing.T) {
	st := &look.Look{Styles: look.NewStyles(true), Dark: true}
	text := answer + "```python\n" + strings.Repeat("x = \"\"\"a\n\nb\"\"\"\n", 20) + "```\nend"
	whole := &replyEntry{}
	whole.write(text)
	whole.end()
	r := &replyEntry{}
	for i := range len(text) {
		r.write(text[i : i+1])
		checkRows(t, r.lines(60, st), 60, st.Method)
	}
	r.end()
	got, want := strings.Join(r.lines(60, st), "\n"), strings.Join(whole.lines(60, st), "\n")
	if got != want {
		t.Errorf("written in pieces:\n%s\nat once:\n%s", got, want)
	}
}

// TestCodeKeepsItsColours checks that a long string in code keeps its colours while it is written.
func TestCodeKeepsItsColours(t *testing.T) {
	st := look.New(nil)
	code := "```python\ndef f():\n    \"\"\"\n" + strings.Repeat("    for all in this text\n\n", 20) +
		"    \"\"\"\n    return 1\n```\n"
	whole, r := &replyEntry{}, &replyEntry{}
	whole.write(code)
	whole.end()
	want := whole.lines(80, &st)
	for line := range strings.Lines(code) {
		r.write(line)
		for i, row := range r.lines(80, &st) {
			if row != want[i] {
				t.Fatalf("row %d was %q, and is %q at the end", i, row, want[i])
			}
		}
	}
}

func TestThoughtFolds(t *testing.T) {
	folded, unfolded := &look.Look{Styles: look.NewStyles(true)}, &look.Look{Styles: look.NewStyles(true), Details: true}
	th := newThought()
	if rows := th.lines(20, folded); len(rows) != 0 {
		t.Errorf("a thought without text has the rows %q", rows)
	}
	th.think("# A\n\n**B**\n\n", time.Second)
	th.think(strings.Repeat("many words that go on\n\n", 20), 1999*time.Millisecond)
	if rows := th.lines(20, folded); len(rows) != 0 {
		t.Errorf("within two seconds a thought has the rows %q", rows)
	}
	th.think("and on", 2*time.Second)
	if rows := th.lines(20, folded); len(rows) != liveThought || ansi.Strip(rows[0]) == "" && ansi.Strip(rows[1]) == "" {
		t.Errorf("while it is written a thought has the rows %q", rows)
	}
	th.finish(61 * time.Second)
	if got := ansi.Strip(strings.Join(th.lines(40, folded), "\n")); got != "│ Thought for 1m01s · B" {
		t.Errorf("a finished thought is %q", got)
	}
	if rows := th.lines(40, unfolded); len(rows) < 20 {
		t.Errorf("an unfolded thought has %d rows", len(rows))
	}
}

func TestShortThoughtLeavesNoGap(t *testing.T) {
	tr := New()
	tr.add(newUserEntry(asked("Why?")))
	for _, took := range []time.Duration{time.Second, 1999 * time.Millisecond, 2 * time.Second} {
		th := newThought()
		th.think("Because", took)
		tr.add(th)
		th.finish(took)
		tr.add(newToolEntry(event.ToolCall{Title: "Look", Status: event.CallOK}))
	}
	call := "✓ Look" + strings.Repeat(" ", 68) + "0s\n"
	want := "▌ Why?\n\n" + call + call + "│ Thought for 2s · Because\n" + call
	if got := dump(tr); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if all := dump(tr.Unfolded()); strings.Count(all, "Because") != 3 {
		t.Errorf("the pager shows\n%s", all)
	}
}

func TestLongQuestionsFold(t *testing.T) {
	lines := make([]string, 2698)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i+1)
	}
	folded := &look.Look{Styles: look.NewStyles(true), DetailsKey: "ctrl+o"}
	unfolded := &look.Look{Styles: look.NewStyles(true), Details: true}
	for name, c := range map[string]struct {
		text  string
		rows  int
		more  string
		whole int
	}{
		"many lines":     {strings.Join(lines, "\n"), 9, "▌ … 2,690 more lines · ctrl+o\n▌ line 2697\n▌ line 2698", 2698},
		"as many as fit": {strings.Join(lines[:20], "\n"), 20, "▌ line 20", 20},
		"one too many":   {strings.Join(lines[:21], "\n"), 9, "▌ … 13 more lines · ctrl+o\n▌ line 20", 21},
		"one long line": {strings.Repeat("word ", 50_000), 9, "▌ … 3,326 more lines · ctrl+o\n" +
			strings.TrimSpace("▌ "+strings.Repeat("word ", 15)), 3334},
		"only marks": {strings.Repeat("\u0301", 50_000), 1, "", 1},
	} {
		u := newUserEntry(asked(c.text))
		rows := u.lines(80, folded)
		text := ""
		for _, row := range rows {
			text += plainRow(row) + "\n"
		}
		if len(rows) != c.rows || !strings.Contains(text, c.more) {
			t.Errorf("%s: %d rows, want %d with %q:\n%s", name, len(rows), c.rows, c.more, text)
		}
		checkRows(t, rows, 80, folded.Method)
		if rows := u.lines(80, unfolded); len(rows) != c.whole {
			t.Errorf("%s: unfolded %d rows, want %d", name, len(rows), c.whole)
		}
	}
}

func TestThoughtIsDimMarkdown(t *testing.T) {
	st := &look.Look{Styles: look.NewStyles(true), Details: true}
	th := newThought()
	th.write("**Looking for a tool**\n\nNone `fits`:\n- **one**\n- two")
	rows := th.lines(80, st)
	if got, want := ansi.Strip(strings.Join(rows, "\n")),
		"│ Looking for a tool\n│\n│ None `fits`:\n│\n│ • one\n│ • two"; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if want := st.Faint.Render("│") + " " + st.Dim.Render("• one"); rows[4] != want {
		t.Errorf("a row is %q, not %q", rows[4], want)
	}
}

func TestHugeTexts(t *testing.T) {
	text := strings.Repeat("a very long text ", 60_000)
	st := &look.Look{Styles: look.NewStyles(true), Details: true}
	thought, reply := newThought(), &replyEntry{}
	thought.write(text)
	reply.write(text)
	for _, e := range []entry{newUserEntry(asked(text)), thought, reply, newNoticeEntry(Error, text)} {
		rows := e.lines(72, st)
		if words := strings.Count(strings.Join(rows, "\n"), "long"); words != 60_000 {
			t.Errorf("%T shows %d of 60000 words", e, words)
		}
		checkRows(t, rows, 72, st.Method)
	}
}

func TestHugeToolResult(t *testing.T) {
	e := newToolEntry(event.ToolCall{Title: "Read", Status: event.CallOK,
		Result: strings.Repeat("x\x1b[2J\n", 10_000_000)})
	if len(e.call.Result) > keptBytes {
		t.Errorf("%d bytes of the result are kept", len(e.call.Result))
	}
	rows := e.lines(40, &look.Look{Styles: look.NewStyles(true), Details: true})
	if got := ansi.Strip(rows[len(rows)-1]); got != "  … 9,999,980 more lines · /pager" {
		t.Errorf("the last row is %q", got)
	}
	checkRows(t, rows, 40, ansi.WcWidth)
}

func TestPagerShowsEverything(t *testing.T) {
	tr := conversation()
	got := dump(tr.Unfolded())
	n := strings.Count(got, "  a line of the file\n")
	if n != 120 || !strings.Contains(got, "I should read the file first") {
		t.Errorf("%d of 120 lines of results in the pager:\n%s", n, got)
	}
	if view := ansi.Strip(strings.Join(tr.View(), "\n")); strings.Contains(view, "a line of the file") {
		t.Errorf("after the pager the screen is unfolded:\n%s", view)
	}
}

// The copy for the pager is drawn while the conversation continues.
func TestPagerShowsSnapshot(t *testing.T) {
	tr := conversation()
	reply, thought := &replyEntry{}, newThought()
	reply.write("before *it*")
	thought.write("a beginning")
	tr.add(reply)
	tr.add(thought)
	copied, drawn := tr.Unfolded(), make(chan string)
	go func() { drawn <- dump(copied) }()
	for range 100 {
		reply.write(" and after")
		thought.write(" and more")
		tr.View()
	}
	reply.end()
	thought.finish(time.Second)
	tr.Clear()
	if got := <-drawn; !strings.HasSuffix(got, "\n\nbefore it\n\n│ a beginning\n") {
		t.Errorf("the pager shows\n%s", got)
	}
}

func TestSources(t *testing.T) {
	var all []string
	for i := range 20 {
		all = append(all, fmt.Sprintf("https://example.com/\x1b]8;;evil\x07%d", i+1))
	}
	e := newSourcesEntry(append(all, "\x1b", strings.Repeat("x", 5_000_000)))
	folded, whole := &look.Look{Styles: look.NewStyles(true)}, &look.Look{Styles: look.NewStyles(true), Whole: true}
	rows := e.lines(60, folded)
	if text := strings.Join(rows, "\n"); len(rows) != shownSources+1 ||
		!strings.Contains(text, "[8] https://example.com/]8;;evil8") || !strings.Contains(text, "and 13 more") {
		t.Errorf("20 sources and a long one are %q", rows)
	}
	checkRows(t, rows, 60, folded.Method)
	rows = e.lines(60, whole)
	if text := strings.Join(rows, "\n"); len(text) > 10_000 || !strings.Contains(text, "[20] ") ||
		strings.Contains(text, "more") || strings.Contains(text, "…") {
		t.Errorf("in the pager they are %q", rows)
	}
	many := newSourcesEntry(make([]string, 10_000_000))
	if many.lines(60, folded) != nil {
		t.Errorf("addresses of nothing are %q", many.lines(60, folded))
	}
}

func TestRepairsAreShown(t *testing.T) {
	call := event.ToolCall{Title: "Read File", Status: event.CallOK, Arguments: json.RawMessage(`{"lines":20}`)}
	for range 1000 {
		call.Repairs = append(call.Repairs, "lines: \"20\x1b[2J\" → 20"+strings.Repeat("!", 5000))
	}
	e := newToolEntry(call)
	row := ansi.Strip(e.lines(80, &look.Look{Styles: look.NewStyles(true)})[0])
	if row != "✓ Read File     lines 20"+strings.Repeat(" ", 43)+"repaired · 0s" {
		t.Errorf("the call is %q", row)
	}
	rows := e.lines(2000, &look.Look{Styles: look.NewStyles(true), Details: true})
	if text := ansi.Strip(strings.Join(rows, "\n")); !strings.Contains(text, "  repaired: lines: \"20[2J\" → 20!") ||
		strings.Count(text, "repaired: ") != shownRows || len(text) > 12_000 {
		t.Errorf("unfolded the call has %d bytes:\n%.1000s", len(text), text)
	}
}

func TestLoad(t *testing.T) {
	var c provider.Conversation
	c = c.With(
		provider.Message{Role: provider.RoleSystem, Text: "be brief"},
		provider.Message{Role: provider.RoleUser, Text: "time?"},
		provider.Message{Role: provider.RoleAssistant, Thinking: "hm", Calls: []provider.Call{
			{ID: "a", Name: "clock__now", Title: "Current Time", Arguments: json.RawMessage(`{}`)},
			{ID: "b", Name: "read", Arguments: json.RawMessage(`{"path":"x"}`)},
		}},
		provider.Message{Role: provider.RoleTool, CallID: "a", Tool: "clock__now", Text: "12:00"},
		provider.Message{Role: provider.RoleTool, CallID: "b", Tool: "read", Text: "no such file", Failed: true},
		provider.Message{Role: provider.RoleAssistant, Text: "It is", Partial: true},
	)
	tr := New()
	tr.Load(c, nil)
	want := "▌ time?\n\n│ Thought · hm\n✓ Current Time  · 12:00\n✗ Read          x  no such file\n\n" +
		"It is\n… stopped here\n"
	if got := dump(tr); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestLoadedThoughtsAsInTheTurn checks that a thought without a row during a turn has none when it is opened again.
func TestLoadedThoughtsAsInTheTurn(t *testing.T) {
	answer := func(thought string) provider.Message {
		return provider.Message{Role: provider.RoleAssistant, Thinking: thought, Text: "Yes."}
	}
	asks := provider.Message{Role: provider.RoleUser, Text: "sure?"}
	var c provider.Conversation
	c = c.With(asks, answer("short"), answer("long"), asks, answer("short"), asks, answer("unknown"))
	ends := func(messages int, ms ...int64) session.Turn {
		turn := session.Turn{Messages: messages}
		for round, ms := range ms {
			turn.Result.Timing.Steps = append(turn.Result.Timing.Steps,
				event.Lap{Kind: event.LapRead, Round: round, MS: 1}, event.Lap{Kind: event.LapWrite, Round: round, MS: ms})
		}
		return turn
	}
	tr := New()
	tr.Load(c, []session.Turn{ends(3, 1900, 9000), ends(5, 1900)})
	got := dump(tr)
	for thought, want := range map[string]bool{"short": false, "long": true, "unknown": true} {
		if strings.Contains(got, "│ Thought · "+thought) != want {
			t.Errorf("a %s thought, shown: %v, want %v in\n%s", thought, !want, want, got)
		}
	}
}

func FuzzEntries(f *testing.F) {
	for _, width := range []int{1, 2, 3, 5, 20, 80} {
		f.Add(answer+"👩‍👩‍👧 日本語 \x1b]0;x\x07 \u202eevil\r\n\tx\xff", width)
	}
	f.Add("日\n", 1)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = 1 + (width%120+120)%120
		tr := New()
		tr.Restyle(&look.Look{Styles: look.NewStyles(true), Details: true})
		tr.Resize(width, 10)
		tr.add(newUserEntry(asked(text)))
		th := newThought()
		th.write(text)
		tr.add(th)
		r := &replyEntry{}
		r.write(text)
		tr.add(r)
		args, err := json.Marshal(map[string]string{text: text})
		if err != nil {
			t.Fatal(err)
		}
		tr.add(newToolEntry(event.ToolCall{Title: text, Arguments: args, Result: text, Error: text,
			Status: event.CallError, Repairs: []string{text}}))
		tr.add(newSourcesEntry([]string{text, text + text}))
		edit := newToolEntry(event.ToolCall{Title: text, Status: event.CallOK})
		edit.change = newChange("--- a\n+++ " + text + "\n@@ -1 +1 @@\n+" + text + "\n")
		tr.add(edit)
		tr.add(newToolEntry(event.ToolCall{Name: text, Arguments: json.RawMessage(text),
			Status: event.CallStatus(text)}))
		laps := []event.Lap{{Kind: event.LapKind(text), Round: width, Title: text, Status: event.CallStatus(text)},
			{}, {Round: -width, MS: -1}}
		tr.add(newReceipt(event.Result{Stop: event.Stop{Why: text}, Timing: event.Timing{Steps: laps}}))
		for k := Info; k <= Error; k++ {
			tr.add(newNoticeEntry(k, text))
		}
		for i := range tr.entries {
			rows, _ := tr.entry(i)
			checkRows(t, rows, width, tr.look.Method)
		}
		tr.Page(-1)
		checkRows(t, tr.View(), width, tr.look.Method)
	})
}

// asked is a question as you type it.
func asked(text string) provider.Message {
	return provider.Message{Role: provider.RoleUser, Text: text}
}

// A call has its time in one format, also below a millisecond. The time of a stored call may be unknown.
func TestTimesOfCalls(t *testing.T) {
	for name, test := range map[string]struct {
		call event.ToolCall
		want string
	}{
		"at once":     {event.ToolCall{Status: event.CallOK}, "✓ Read  0s"},
		"short":       {event.ToolCall{Status: event.CallOK, DurationMS: 380}, "✓ Read  0.4s"},
		"seconds":     {event.ToolCall{Status: event.CallOK, DurationMS: 3400}, "✓ Read  3s"},
		"minutes":     {event.ToolCall{Status: event.CallOK, DurationMS: 125_000}, "✓ Read  2m05s"},
		"failed":      {event.ToolCall{Status: event.CallError, DurationMS: 3400, Error: "no"}, "✗ Read  no  3s"},
		"never made":  {event.ToolCall{Status: event.CallError, Error: "no"}, "✗ Read  no"},
		"denied":      {event.ToolCall{Status: event.CallDenied}, "– Read  denied"},
		"not started": {event.ToolCall{Status: event.CallPending}, "◌ Read"},
	} {
		test.call.Title = "Read"
		tr := New()
		tr.add(newToolEntry(test.call))
		got := regexp.MustCompile(" {2,}").ReplaceAllString(strings.TrimSpace(dump(tr)), "  ")
		if got != test.want {
			t.Errorf("%s: %q, not %q", name, got, test.want)
		}
	}
	tr, c := New(), provider.Conversation{}
	tr.Load(c.With(
		provider.Message{Role: provider.RoleAssistant, Calls: []provider.Call{{ID: "1", Name: "files__read", Title: "Read"}}},
		provider.Message{Role: provider.RoleTool, CallID: "1", Text: "hello"},
	), nil)
	if got := strings.TrimSpace(dump(tr)); got != "✓ Read  · hello" {
		t.Errorf("without a record: %q", got)
	}
}

func TestMainArgument(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"old_text":"two","new_text":"2","path":"notes.md"}`: "notes.md",
		`{"text":"John Doe","limit":5}`:                       "John Doe",
		`{"limit":5}`:                                         "limit 5",
		`{"query":"a\nb"}`:                                    "a b",
		`{"path":""}`:                                         "",
		`{}`:                                                  "",
		`["path"]`:                                            "",
		`{"path":`:                                            "",
	} {
		e := newToolEntry(event.ToolCall{Arguments: json.RawMessage(arguments)})
		if got := e.mainArgument(); got != want {
			t.Errorf("the main argument of %s is %q, not %q", arguments, got, want)
		}
	}
}

func TestReplyHidesAddressesThatTheTerminalOpens(t *testing.T) {
	for opens, want := range map[bool]string{false: "here (https://a.b/c)", true: "here (a.b)"} {
		e := &replyEntry{}
		e.write("[here](https://a.b/c)")
		e.end()
		if row := ansi.Strip(e.lines(40, &look.Look{Styles: look.NewStyles(true), Links: opens})[0]); row != want {
			t.Errorf("a terminal that opens links (%v) shows %q, want %q", opens, row, want)
		}
	}
}
