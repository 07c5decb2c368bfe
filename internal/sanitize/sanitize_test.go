package sanitize_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/sanitize"
)

func TestFilterSplits(t *testing.T) {
	for name, attack := range attacks(t) {
		want := sanitize.Text(attack)
		mustBeText(t, want)
		for cut := range len(attack) + 1 {
			var f sanitize.Filter
			if got := f.Write(attack[:cut]) + f.Write(attack[cut:]) + f.Flush(); got != want {
				t.Errorf("%s, cut at %d: got %q, want %q", name, cut, got, want)
			}
		}
		var f sanitize.Filter
		var got strings.Builder
		for i := range len(attack) {
			got.WriteString(f.Write(attack[i : i+1]))
		}
		got.WriteString(f.Flush())
		if got.String() != want {
			t.Errorf("%s, byte by byte: got %q, want %q", name, got.String(), want)
		}
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"plain":                "plain",
		"a\r\nb\tc\n":          "a\nb\tc\n",
		"a\x1b[31mred\x1b[0m":  "a[31mred[0m",
		"a\x1b]52;c;eA==\x07b": "a]52;c;eA==b",
		"cut \xe6\x97":         "cut \ufffd",
		"bad \xff\xfe!":        "bad \ufffd\ufffd!",
		"kept \ufffd":          "kept \ufffd",
		"می‌خواهم 👩‍👩‍👧 ✈️":                          "می‌خواهم 👩‍👩‍👧 ✈️",
		"a\u202eb\u2066c\u2069\u200f":                "abc",
		"a\U000e0100\U000e01efb":                     "ab",
		"pay\u200bpal \u2060w\u00adord \u3164x":      "paypal word x",
		"a\u200d\u200c\u200db\ufe0f\ufe0ec":          "a\u200db\ufe0fc",
		"❤\ufe0f\u200d🔥 1\ufe0f\u20e3":               "❤\ufe0f\u200d🔥 1\ufe0f\u20e3",
		"Z" + strings.Repeat("\u0301", 100) + "algo": "Z" + strings.Repeat("\u0301", 8) + "algo",
		"שָּׁ֖ नि क्\u200dष ཧྐྵྨླྺྼྻྂ":               "שָּׁ֖ नि क्\u200dष ཧྐྵྨླྺྼྻྂ",
	} {
		if got := sanitize.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"one line":                 "one line",
		"  two\n\n\tlines  ":       "two lines",
		"a\r\nb":                   "a b",
		"a\rb\vc\fd\u0085e\u2028f": "a b c d e f",
		"a  b":                     "a b",
		"a\u00a0b\u3000c":          "a b c",
		"a \x1b b":                 "a b",
		"\x07":                     "",
		"trailing ":                "trailing",
		"bad\xff":                  "bad\ufffd",
	} {
		if got := sanitize.Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFilterAfterFlush(t *testing.T) {
	var f sanitize.Filter
	if got := f.Write("日\xe6") + f.Flush() + f.Write("x") + f.Flush(); got != "日\ufffdx" {
		t.Errorf("got %q", got)
	}
}

func FuzzText(f *testing.F) {
	for _, attack := range attacks(f) {
		f.Add(attack, 3)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		text := sanitize.Text(s)
		mustBeText(t, text)
		if again := sanitize.Text(text); again != text {
			t.Errorf("cleaning %q again gives %q", text, again)
		}
		if cut >= 0 && cut <= len(s) {
			var f sanitize.Filter
			if split := f.Write(s[:cut]) + f.Write(s[cut:]) + f.Flush(); split != text {
				t.Errorf("split at %d it is %q, want %q", cut, split, text)
			}
		}
		line := sanitize.Line(s)
		mustBeText(t, line)
		if strings.Join(strings.Fields(line), " ") != line {
			t.Errorf("Line(%q) = %q", s, line)
		}
	})
}

// mustBeText checks that s can only show text.
func mustBeText(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%q is not valid UTF-8", s)
	}
	for _, r := range s {
		control := unicode.Is(unicode.Cc, r) && r != '\n' && r != '\t'
		if control || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r >= 0xe0000 && r <= 0xe007f {
			t.Errorf("%q has %U", s, r)
		}
		hidden := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point)
		if hidden || r == 0xad || r == 0x200b || r >= 0x2060 && r <= 0x2064 {
			t.Errorf("%q hides %U", s, r)
		}
	}
}

var prose = strings.Repeat("Hello wörld, 日本 and `code`.\n", 500)

func TestCleanTextAllocatesNothing(t *testing.T) {
	var f sanitize.Filter
	for name, call := range map[string]func(){
		"Text":   func() { sanitize.Text(prose) },
		"Write":  func() { f.Write(prose) },
		"Line":   func() { sanitize.Line("naïve 日本 text") },
		"Output": func() { sanitize.Output(prose) },
	} {
		if n := testing.AllocsPerRun(10, call); n != 0 {
			t.Errorf("%s allocates %v times for clean text", name, n)
		}
	}
}
