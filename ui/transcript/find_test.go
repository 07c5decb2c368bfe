package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/look"
)

// marksOf returns the parts of the view that are underlined, in brackets, and the one that is reversed in braces.
func marksOf(t *Transcript) string {
	var out []string
	for _, row := range t.View() {
		var b strings.Builder
		mark := ""
		cells := cellsOf(row, ansi.GraphemeWidth)
		for _, c := range cells.Lines[0] {
			now := ""
			if c.Style.Underline != 0 {
				now = "[]"
			}
			if c.Style.Attrs&(1<<5) != 0 {
				now = "{}"
			}
			if now != mark {
				if mark != "" {
					b.WriteString(mark[1:])
				}
				if now != "" {
					b.WriteString(now[:1])
				}
				mark = now
			}
			b.WriteString(c.Content)
		}
		if mark != "" {
			b.WriteString(mark[1:])
		}
		if text := b.String(); strings.ContainsAny(text, "[{") {
			out = append(out, strings.Trim(text, " "))
		}
	}
	return strings.Join(out, "\n")
}

func TestMarksOfFoundWords(t *testing.T) {
	tool := newToolEntry(event.ToolCall{Title: "Read File", Arguments: []byte(`{"path":"notes.md"}`),
		Result: strings.Repeat("line\n", 30) + "needle\n", Status: event.CallOK})
	for name, test := range map[string]struct {
		entry       entry
		width       int
		words, want string
	}{
		"a word":         {storedReply("one two one", false), 40, "one", "[one] two {one}"},
		"any case":       {storedReply("One Zwei ÜBER", false), 40, "über", "One Zwei {ÜBER}"},
		"a capital":      {storedReply("one One", false), 40, "One", "one {One}"},
		"no match":       {storedReply("one", false), 40, "two", ""},
		"wide letters":   {storedReply("中文字中文", false), 40, "文", "中[文]字中{文}"},
		"a mark":         {storedReply("cafe\u0301s bar", false), 40, "bar", "cafe\u0301s {bar}"},
		"in styles":      {storedReply("an **import**ant *thing*", false), 40, "important", "an {important} thing"},
		"between styles": {storedReply("a **bold** word", false), 40, "bold word", "a {bold word}"},
		"code":           {storedReply("```go\nfunc main() {}\n```", false), 40, "main", "func {main}() {}"},
		"a link": {storedReply("see [the docs](https://e.org/a;b) now", false), 80, "docs (https://e.org/a;b)",
			"see [the ]{docs (https://e.org/a;b)} now"},
		"over two rows": {storedReply("aaaa bbbb cccc dddd eeee", false), 12, "bbbb cccc dddd",
			"aaaa {bbbb}\n{cccc dddd}"},
		"a soft line end":  {storedReply("aaaa\nbbbb", false), 40, "aaaa bbbb", "{aaaa bbbb}"},
		"your message":     {newUserEntry(asked("hello there")), 40, "there", "▌ hello {there}"},
		"a notice":         {newNoticeEntry(Warn, "a problem"), 40, "problem", "! a {problem}"},
		"a folded thought": {storedThought("First.\n\nThe needle.", -1), 40, "needle", "│ The {needle}."},
		"a tool's end":     {tool, 60, "needle", "{needle}"},
		"a dot":            {storedReply("a.b axb", false), 40, ".", "a{.}b axb"},
	} {
		v := New()
		v.Resize(test.width, 12)
		v.add(test.entry)
		v.View()
		v.Find(test.words)
		if got := marksOf(v); got != test.want {
			t.Errorf("%s: the marks of %q are\n%s\nwant\n%s", name, test.words, got, test.want)
		}
	}
}

// turnsOf returns a transcript with n questions and long answers.
func turnsOf(n, width, height int) *Transcript {
	v := New()
	v.Resize(width, height)
	var c provider.Conversation
	for i := range n {
		answer := fmt.Sprintf("Answer %d.\n\n%s\n\nThe apple of %d.", i, strings.Repeat("- some words\n", 12), i)
		c = c.With(asked(fmt.Sprintf("question %d", i)), provider.Message{Role: provider.RoleAssistant, Text: answer})
	}
	v.Load(c, nil)
	return v
}

func TestFindGoesAroundAndReturns(t *testing.T) {
	v := turnsOf(5, 60, 10)
	v.Scroll(-30)
	before := strings.Join(v.View(), "\n")
	v.Find("apple")
	for i, want := range []string{"3 of 5", "4 of 5", "5 of 5", "1 of 5"} {
		if v.Found() != want {
			t.Errorf("after %d keys it is %q, not %q", i, v.Found(), want)
		}
		if !strings.Contains(marksOf(v), fmt.Sprintf("The {apple} of %d.", (i+2)%5)) {
			t.Errorf("match %s is not in view:\n%s", want, marksOf(v))
		}
		v.FindNext(1)
	}
	v.FindNext(-1)
	v.FindNext(-1)
	if v.Found() != "5 of 5" {
		t.Errorf("before the first is %q", v.Found())
	}
	v.FindEnd(true)
	if after := strings.Join(v.View(), "\n"); after != before {
		t.Errorf("the view is not what it was:\n%s\nwant\n%s", after, before)
	}
}

func TestFindWithoutMatchStaysInPlace(t *testing.T) {
	v := turnsOf(5, 60, 10)
	v.Scroll(-30)
	before := strings.Join(v.View(), "\n")
	for _, words := range []string{"a", "ap", "apx", "apxy", "", "b"} {
		v.Find(words)
	}
	v.Find("zzz")
	if v.Found() != "not found" {
		t.Errorf("found %q", v.Found())
	}
	v.FindNext(1)
	v.Find("")
	if after := strings.Join(v.View(), "\n"); after != before {
		t.Errorf("the view is not what it was:\n%s\nwant\n%s", after, before)
	}
}

// The letters typed before may have found something else, and moved the view or unfolded an entry.
func TestFindMovesFromWhereYouWere(t *testing.T) {
	v := turnsOf(5, 60, 10)
	before := strings.Join(v.View(), "\n")
	v.Find("q")
	if strings.Join(v.View(), "\n") == before {
		t.Fatal("the first letter does not move the view")
	}
	v.Find("qz")
	if after := strings.Join(v.View(), "\n"); after != before {
		t.Errorf("the view is not what it was:\n%s\nwant\n%s", after, before)
	}
}

// What only the source has is not counted once the entry was drawn.
func TestFindCountsWhatIsShown(t *testing.T) {
	v := New()
	v.add(storedReply("see [docs](https://example.org/docs)", false))
	v.add(storedReply("[x](https://example.org/docs)", false))
	st := look.New(nil)
	st.Links = true
	v.Restyle(&st)
	v.Find("docs")
	v.FindNext(1)
	if v.Found() != "1 of 1" {
		t.Errorf("found %q:\n%s", v.Found(), marksOf(v))
	}
}

func TestMatchStaysMarkedAtAnotherWidth(t *testing.T) {
	v := New()
	v.Resize(80, 20)
	v.add(storedReply(strings.Repeat("some words ", 12)+"apple, and an apple", false))
	v.Find("apple")
	for _, width := range []int{80, 40, 60} {
		v.Resize(width, 20)
		if got := marksOf(v); !strings.Contains(got, "[apple], and an {apple}") {
			t.Errorf("%d columns: marked %q", width, got)
		}
	}
}

func TestFindNextFindsNewText(t *testing.T) {
	v := turnsOf(2, 60, 10)
	v.Find("apple")
	v.add(newUserEntry(asked("question 2")))
	streamed := storedReply("one apple", false)
	v.add(streamed)
	found := func(want string) {
		t.Helper()
		if got := v.Found() + ": " + marksOf(v); !strings.HasPrefix(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
	}
	found("2 of 2: ")
	v.FindNext(1)
	found("3 of 3: The [apple] of 1.\none {apple}")
	v.entries[len(v.entries)-1] = storedReply("one apple, two apples", false)
	v.FindNext(-1)
	found("2 of 4: ")
	v.FindNext(1)
	v.FindNext(1)
	found("4 of 4: The [apple] of 1.\none [apple], two {apple}s")

	v.Find("pear")
	v.add(storedReply("a pear", false))
	v.FindNext(1)
	found("1 of 1: a {pear}")
}

func TestFindWhileTheConversationShrinks(t *testing.T) {
	for name, shrink := range map[string]func(*Transcript){
		"clear": (*Transcript).Clear, "take back": (*Transcript).TakeBack,
		"remove": func(v *Transcript) { v.remove(v.entries[2:]) },
	} {
		v := turnsOf(5, 60, 10)
		v.Find("apple")
		shrink(v)
		v.View()
		v.FindNext(1)
		v.FindNext(-1)
		v.Find("apples")
		v.Find("")
		v.FindEnd(true)
		if len(v.View()) == 0 != v.Empty() {
			t.Errorf("%s: there is no view", name)
		}
	}
}

func TestTurnGoesFromQuestionToQuestion(t *testing.T) {
	v := turnsOf(4, 60, 10)
	top := func() string { return strings.Trim(ansi.Strip(v.View()[0]), " ") }
	for _, test := range []struct {
		by   int
		want string
	}{{-1, "▌ question 3"}, {-1, "▌ question 2"}, {-1, "▌ question 1"}, {1, "▌ question 2"}, {-1, "▌ question 1"},
		{-1, "▌ question 0"}, {-1, "▌ question 0"}, {1, "▌ question 1"}} {
		v.Turn(test.by)
		if top() != test.want {
			t.Fatalf("the first row is %q, not %q", top(), test.want)
		}
	}
	v.Scroll(3)
	v.Turn(-1)
	if top() != "▌ question 1" {
		t.Errorf("the question of the answer is %q", top())
	}
	for range 3 {
		v.Turn(1)
	}
	if !v.Following() {
		t.Error("the end is not followed after the last question")
	}
}
