package transcript

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/look"
)

// rowsEntry has fixed rows for every width.
type rowsEntry struct{ rows []string }

func (r *rowsEntry) lines(int, *look.Look) []string { return r.rows }
func (r *rowsEntry) fresh() entry                   { return r }
func (r *rowsEntry) forget()                        {}

// naive is the simplest implementation of a transcript: all rows, and the start of the view.
type naive struct {
	entries []*rowsEntry
	height  int
	top     int
	follow  bool
}

func (m *naive) rows() []string {
	var all []string
	for i, e := range m.entries {
		if i > 0 && len(e.rows) > 0 {
			all = append(all, "")
		}
		for _, row := range e.rows {
			all = append(all, "  "+row) // the margin
		}
	}
	return all
}

// dump returns the last rows, each with its newline.
func (m *naive) dump() (text string) {
	for _, row := range m.rows()[m.last():] {
		text += row + "\n"
	}
	return text
}

func (m *naive) last() int { return max(0, len(m.rows())-m.height) }

func (m *naive) scroll(n int) {
	if m.follow {
		m.top = m.last()
	}
	if m.follow && n >= 0 {
		return
	}
	m.top = min(max(0, m.top+n), m.last())
	m.follow = m.top == m.last()
}

func (m *naive) view() []string {
	if m.follow {
		m.top = m.last()
	}
	all := m.rows()
	return all[m.top:min(len(all), m.top+m.height)]
}

func FuzzScrolling(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		tr := New()
		m := &naive{height: 1 + r.IntN(9), follow: true}
		tr.Resize(80, m.height)
		for step := range 200 {
			act(r, tr, m, step)
			if got, want := tr.View(), m.view(); !slices.Equal(got, want) {
				t.Fatalf("step %d: the view is %q, want %q", step, got, want)
			}
			var last strings.Builder
			if err := tr.Dump(&last, m.height); err != nil || last.String() != m.dump() {
				t.Fatalf("step %d: the last %d rows are %q, want %q (%v)", step, m.height, last.String(), m.dump(), err)
			}
			if tr.Following() != m.follow {
				t.Fatalf("step %d: following is %v, want %v", step, tr.Following(), m.follow)
			}
			if tr.Following() && tr.Unseen() {
				t.Fatalf("step %d: something is unseen at the end", step)
			}
		}
	})
}

// act does the same random thing to the transcript and to the model.
func act(r *rand.Rand, tr *Transcript, m *naive, step int) {
	switch k := r.IntN(10); {
	case k < 3:
		e := &rowsEntry{}
		for i := range r.IntN(5) {
			e.rows = append(e.rows, fmt.Sprint(step, ".", i))
		}
		m.entries = append(m.entries, e)
		tr.add(e)
	case k < 6 && len(m.entries) > 0: // streaming: the last entry grows
		e := m.entries[len(m.entries)-1]
		e.rows = append(e.rows, fmt.Sprint(step))
		tr.changed()
	case k < 8:
		n := r.IntN(9) - 5
		tr.Scroll(n)
		m.scroll(n)
	case k == 8:
		n := r.IntN(3) - 1
		tr.Page(n)
		m.scroll(n * max(1, m.height-1))
	case r.IntN(2) == 0:
		tr.Home()
		m.follow, m.top = m.last() == 0, 0
	default:
		tr.End()
		m.follow = true
	}
}

func TestUnseen(t *testing.T) {
	tr := New()
	tr.Resize(20, 2)
	e := &rowsEntry{rows: []string{"1", "2", "3", "4"}}
	tr.add(e)
	if tr.Unseen() {
		t.Error("text is unseen while following")
	}
	tr.Scroll(-1)
	if tr.Unseen() {
		t.Error("scrolling up writes nothing")
	}
	e.rows = append(e.rows, "5")
	tr.changed()
	if !tr.Unseen() || tr.Following() {
		t.Error("text that came below the view is not unseen")
	}
	tr.Scroll(10)
	if tr.Unseen() || !tr.Following() {
		t.Error("at the end something is still unseen")
	}
}

func TestResizeKeepsThePlace(t *testing.T) {
	tr := New()
	tr.Resize(80, 5)
	for i := range 50 {
		tr.add(newUserEntry(asked(fmt.Sprintf("question %d ", i) + strings.Repeat("word ", 30))))
	}
	tr.Scroll(-60)
	before := strings.Join(tr.View(), "\n")
	tr.Resize(30, 5)
	tr.Resize(80, 5)
	if after := strings.Join(tr.View(), "\n"); after != before {
		t.Errorf("before:\n%s\nafter a resize and back:\n%s", before, after)
	}
}

func TestOnlyWhatIsInViewHasRows(t *testing.T) {
	tr := New()
	tr.Resize(80, 10)
	for range 10_000 {
		tr.add(newUserEntry(asked("hello")))
	}
	for range 200 {
		tr.View()
		tr.Page(-1)
	}
	tr.Restyle(tr.look)
	tr.Resize(60, 12)
	tr.View()
	tr.Home()
	tr.View()
	rendered := 0
	for _, e := range tr.entries {
		if e.(*userEntry).rows != nil {
			rendered++
		}
	}
	if rendered > 100 {
		t.Errorf("%d of 10,000 entries have rows for a view of 12 rows", rendered)
	}
}

// The conversation keeps the text of an answer. The rows would take several times as much.
func TestMemoryOfEarlierTurns(t *testing.T) {
	const turns, tokens, most = 50, 2000, 12 // bytes per token
	tr := New()
	var messages []provider.Message
	before := heap()
	for range turns {
		s, text := NewScribe(tr), ""
		for range tokens / 200 {
			delta := strings.Repeat("Some *Markdown* with `code`. ", 200/8) + "\n\n"
			s.Write(event.Text{Delta: delta})
			text += delta
			tr.View()
		}
		messages = append(messages, provider.Message{Role: provider.RoleAssistant, Text: text})
		s.Write(event.Appended{Messages: messages[len(messages)-1:]})
		tr.View()
	}
	if kept := (heap() - before) / (turns * tokens); kept > most {
		t.Errorf("%d bytes per token are kept", kept)
	}
	runtime.KeepAlive(tr)
	runtime.KeepAlive(messages)
}

// heap returns the bytes of memory in use.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestAnswer(t *testing.T) {
	tr := New()
	if tr.Answer() != "" {
		t.Error("an empty transcript has an answer")
	}
	reply := &replyEntry{}
	reply.write("**yes**\n")
	reply.end()
	tr.add(reply)
	tr.add(&receiptEntry{words: "✓ 1s"})
	tr.add(&replyEntry{})
	if got := tr.Answer(); got != "**yes**" {
		t.Errorf("the last answer is %q", got)
	}
}

// checkRows checks that rows are safe for a terminal.
func checkRows(t *testing.T, rows []string, width int, m ansi.Method) {
	t.Helper()
	for _, row := range rows {
		if w := m.StringWidth(row); w > width {
			t.Errorf("%q is %d cells wide, more than %d", row, w, width)
		}
		if strings.ContainsAny(ansi.Strip(row), "\n\t\r\x1b\x07\u202e") {
			t.Errorf("%q has control characters", row)
		}
	}
}
