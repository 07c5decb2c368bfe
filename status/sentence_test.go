package status

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/internal/tabletest"
)

// answer is the reply of a model to a request for one sentence, and the text shown for it; "" means none.
type answer struct{ name, said, want string }

// answers returns the rows of testdata/sentences.txt, and some that are long.
func answers(t testing.TB) []answer {
	t.Helper()
	all := []answer{
		{"fifteen words", strings.Repeat("word ", 15), ""},
		{"500 characters", strings.Repeat("Looking up the user and ", 21), ""},
		{"a word of 500 characters", strings.Repeat("x", 500) + " y", ""},
		{"Chinese, 500 cells", strings.Repeat("长", 250), ""},
	}
	for _, row := range tabletest.Read(t, "sentences.txt") {
		a := answer{row[0], row[1], row[2]}
		if a.want == "=" {
			a.want = a.said
		}
		all = append(all, a)
	}
	return all
}

func TestSentence(t *testing.T) {
	for _, a := range answers(t) {
		got, ok := sentenceOf(a.said)
		if got != a.want || ok != (a.want != "") {
			t.Errorf("%s: sentenceOf(%.100q) = %q, %v, want %q", a.name, a.said, got, ok, a.want)
		}
	}
}

// TestSentenceUnchanged has sentences about work that resemble ones that are not.
func TestSentenceUnchanged(t *testing.T) {
	for _, row := range tabletest.Read(t, "unchanged.txt") {
		want := row[0]
		if got, _ := sentenceOf(want + "."); got != want {
			t.Errorf("%q is shown as %q", want, got)
		}
		if got, _ := fromText("I know little about it. " + want + ":"); got != want {
			t.Errorf("%q before a call is shown as %q", want, got)
		}
	}
}

func TestFromText(t *testing.T) {
	for _, said := range []string{
		"Sure! I need more. Let me check the current time in Tokyo.",
		"I know little.\n\nSearching the repository for tests:\n",
		"Let me look that up:", "我来查一下。", "好的。我来查一下东京的时间：", "かしこまりました。東京の時刻を調べますね。",
		"¡Claro! Voy a buscar el archivo.", "Gern. Ich sehe im Kalender nach …", "I know little. **Searching the notes.**",
		strings.Repeat("I know a lot about it.\n", 1_000_000) + "Looking for files",
	} {
		if _, ok := fromText(said); !ok {
			t.Errorf("%.100q does not say what the call is for", said)
		}
	}
	for _, other := range []string{"", "Shall I?", "Sure! I can help you with that.", "Here:\n```sh\nls -la\n```",
		"Looking for files.\n{\"name\": \"find\"}"} {
		if _, ok := fromText(other); ok {
			t.Errorf("%q says what the call is for", other)
		}
	}
}

func TestFromThinking(t *testing.T) {
	for _, c := range []struct{ name, thinking, want string }{
		{"the last heading", "**Planning the work**\n\nFirst …\n\n**Looking for files**\n\nThen …", "Looking for files"},
		{"a heading with a hash", "Hm.\n## Checking the user's rights\nso", "Checking the user's rights"},
		{"bold inside a line is no heading", "This is **very important** here.", ""},
		{"long thinking", strings.Repeat("**Planning the work**\n", 1_000_000) + "**Looking for files**\n",
			"Looking for files"},
		{"a heading of long ago", "**Planning the work**\n" + strings.Repeat("I look it up.\n", 1000), ""},
		{"nothing", "", ""},

		{"a plan", "Okay, the user wants the time in Tokyo. There is a tool for that. So I should check the clock in " +
			"Asia/Tokyo.", "Check the clock in Asia/Tokyo"},
		{"let me", "Hmm.\n\nLet me look up the weather in Paris first.", "Look up the weather in Paris first"},
		{"a plan before a call", "We need to search the web for the release date. Use web_search(\"go release\").",
			"Search the web for the release date"},
		{"a plan before JSON", "Next, I need to list the files.\n{\"path\": \".\"}", "List the files"},
		{"a heading before a plan", "**Looking for files**\n\nI should list the folder.", "Looking for files"},
		{"a plan of an answer", "I should answer in one short sentence.", ""},
		{"no plan", "Sundays run late. The last one leaves around nine.", ""},
		{"a plan of long before", "I should list the folder. One. Two. Three. Four. Five.", ""},
	} {
		got, ok := fromThinking(c.thinking)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", c.name, got, ok, c.want)
		}
	}
}

func FuzzSentence(f *testing.F) {
	for _, s := range []string{
		"**Looking up** the user.", "- a\x1b[2J", "<think>", `"x y"`, strings.Repeat("長 ",
			20), "ß ǆ", "a . b ! c ? d", "1) > # * a b", "__ __",
	} {
		f.Add(s)
	}
	for _, a := range answers(f) {
		f.Add(a.said)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, from := range []func(string) (string, bool){
			sentenceOf, fromThinking,
		} {
			s, ok := from(text)
			if ok != (s != "") {
				t.Fatalf("%q, but ok is %v", s, ok)
			}
			if sanitize.Line(s) != s {
				t.Errorf("%q is not a safe line", s)
			}
			if w := ansi.StringWidthWc(s); w > 60 {
				t.Errorf("%q is %d cells wide", s, w)
			}
			if n := len(strings.Fields(s)); n > 10 {
				t.Errorf("%q has %d words", s, n)
			}
			if strings.ContainsAny(s, "<>{}[]|`*") {
				t.Errorf("%q has markup in it", s)
			}
			if !saidIn(text, s) {
				t.Errorf("%q is not what was said: %q", s, text)
			}
		}
	})
}

// saidIn reports whether the text has all letters and digits of a sentence, in order.
func saidIn(text, sentence string) bool {
	text = strings.ToUpper(text)
	for _, r := range strings.ToUpper(sentence) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		i := strings.IndexRune(text, r)
		if i < 0 {
			return false
		}
		text = text[i+len(string(r)):]
	}
	return true
}
