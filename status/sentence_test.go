package status_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
)

func TestSentence(t *testing.T) {
	for _, a := range answers {
		got, ok := status.Sentence(a.said)
		if got != a.want || ok != (a.want != "") {
			t.Errorf("%s: Sentence(%.100q) = %q, %v, want %q", a.name, a.said, got, ok, a.want)
		}
	}
}

func TestSentenceUnchanged(t *testing.T) {
	for _, want := range asTheyAre {
		if got, _ := status.Sentence(want + "."); got != want {
			t.Errorf("%q is shown as %q", want, got)
		}
		if got, _ := status.FromSaid("I know little about it. "+want+":", ""); got != want {
			t.Errorf("%q before a call is shown as %q", want, got)
		}
	}
}

func TestFromSaid(t *testing.T) {
	for _, c := range []struct{ name, text, thinking, want string }{
		{"the last sentence of the text", "Sure! I need more. Let me check the current time in Tokyo.", "",
			"Let me check the current time in Tokyo"},
		{"the last line of the text", "I know little.\n\nSearching the repository for tests:\n", "",
			"Searching the repository for tests"},
		{"English", "Let me look that up:", "", "Let me look that up"},
		{"Chinese", "我来查一下。", "", "我来查一下"},
		{"Chinese, the last of two", "好的。我来查一下东京的时间：", "", "我来查一下东京的时间"},
		{"Japanese", "かしこまりました。東京の時刻を調べますね。", "", "東京の時刻を調べますね"},
		{"Spanish", "¡Claro! Voy a buscar el archivo.", "", "Voy a buscar el archivo"},
		{"German", "Gern. Ich sehe im Kalender nach …", "", "Ich sehe im Kalender nach"},
		{"text before thinking", "Reading the file", "**Planning the work**", "Reading the file"},
		{"bold at the end", "I know little. **Searching the notes.**", "", "Searching the notes"},
		{"the last heading", "", "**Planning the work**\n\nFirst …\n\n**Looking for files**\n\nThen …", "Looking for files"},
		{"a heading with a hash", "", "Hm.\n## Checking the user's rights\nso", "Checking the user's rights"},
		{"bold inside a line is no heading", "", "This is **very important** here.", ""},
		{"thinking when the text is no use", "Shall I?", "**Looking for files**", "Looking for files"},
		{"a call that was printed", "Looking for files.\n{\"name\": \"find\"}", "", ""},
		{"code before the call", "Here:\n```sh\nls -la\n```", "", ""},
		{"an offer", "Sure! I can help you with that.", "", ""},
		{"a long text", strings.Repeat("I know a lot about it.\n", 1_000_000) + "Looking for files", "", "Looking for files"},
		{"long thinking", "", strings.Repeat("**Planning the work**\n", 1_000_000) + "**Looking for files**\n",
			"Looking for files"},
		{"a heading of long ago", "", "**Planning the work**\n" + strings.Repeat("I look it up.\n", 1000), ""},
		{"nothing", "", "", ""},

		{"a plan", "", "Okay, the user wants the time in Tokyo. There is a tool for that. So I should check the clock in " +
			"Asia/Tokyo.", "Check the clock in Asia/Tokyo"},
		{"let me", "", "Hmm.\n\nLet me look up the weather in Paris first.", "Look up the weather in Paris first"},
		{"a plan before a call", "", "We need to search the web for the release date. Use web_search(\"go release\").",
			"Search the web for the release date"},
		{"a plan before JSON", "", "Next, I need to list the files.\n{\"path\": \".\"}", "List the files"},
		{"a heading before a plan", "", "**Looking for files**\n\nI should list the folder.", "Looking for files"},
		{"a plan of an answer", "", "I should answer in one short sentence.", ""},
		{"no plan", "", "Sundays run late. The last one leaves around nine.", ""},
		{"a plan of long before", "", "I should list the folder. One. Two. Three. Four. Five.", ""},
	} {
		got, ok := status.FromSaid(c.text, c.thinking)
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
	for _, a := range answers {
		f.Add(a.said)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, from := range []func(string) (string, bool){
			status.Sentence,
			func(s string) (string, bool) { return status.FromSaid(s, "") },
			func(s string) (string, bool) { return status.FromSaid("", s) },
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
