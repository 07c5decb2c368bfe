package status_test

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/charmbracelet/x/ansi"
)

func TestSentence(t *testing.T) {
	for in, want := range map[string]string{
		"Looking up user information in the database":                                     "Looking up user information in the database",
		"looking up user information in the database.\n":                                  "Looking up user information in the database",
		`"Looking up the user."`:                                                          "Looking up the user",
		"“Looking up the user…”":                                                          "Looking up the user",
		"**Looking up the user**":                                                         "Looking up the user",
		"- *Looking up* the user.":                                                        "",
		"1. Looking up the user":                                                          "Looking up the user",
		"## Looking up `main.go`":                                                         "Looking up main.go",
		"> _Looking up the user_":                                                         "Looking up the user",
		"Reading the file.\n\nIt has many lines.":                                         "Reading the file",
		"<think>Hm.</think>\n\nReading the file":                                          "Reading the file",
		"Hm.</think>Reading the file":                                                     "Reading the file",
		"ユーザー情報を検索しています":                                                                  "ユーザー情報を検索しています",
		"one two three four five six seven eight nine ten":                                "One two three four five six seven eight nine ten",
		"one two three four five six seven eight nine ten, eleven":                        "One two three four five six seven eight nine ten…",
		"Investigating extraordinarily overcomplicated misconfigurations, systematically": "Investigating extraordinarily overcomplicated…",

		"":                                "",
		"\n\n":                            "",
		"…":                               "",
		"OK":                              "",
		"42 17":                           "",
		"<think>Reading the file":         "",
		"What is the user's name?":        "",
		"```json\nlooking\n```":           "",
		`{"name": "get_user"}`:            "",
		"get_user(id=3)":                  "",
		"<tool_call>get user</tool_call>": "",
		"[Looking](http://e.x) up":        "",
		"| Looking | up |":                "",
		"Looking \x1b[31mup the user":     "",
		"Looking \u202eup the user":       "",
		"Looking \xff up":                 "",
		strings.Repeat("word ", 15):       "",
		strings.Repeat("長", 40):           "",
	} {
		got, ok := status.Sentence(in)
		if got != want || ok != (want != "") {
			t.Errorf("Sentence(%q) = %q, %v, want %q", in, got, ok, want)
		}
	}
}

func TestFromSaid(t *testing.T) {
	for _, c := range []struct{ name, text, thinking, want string }{
		{"the last sentence of the text", "Sure! I need more. Let me check the current time in Tokyo.", "", "Let me check the current time in Tokyo"},
		{"the last line of the text", "I know little.\n\nSearching the repository for tests:\n", "", "Searching the repository for tests"},
		{"text before thinking", "Reading the file", "**Planning the work**", "Reading the file"},
		{"a version is no end", "Looking for Go 1.26 in the notes", "", "Looking for Go 1.26 in the notes"},
		{"the last heading", "", "**Planning the work**\n\nFirst …\n\n**Looking for files**\n\nThen …", "Looking for files"},
		{"a heading with a hash", "", "Hm.\n## Checking the user's rights\nso", "Checking the user's rights"},
		{"bold inside a line is no heading", "", "This is **very important** here.", ""},
		{"thinking when the text is no use", "Shall I?", "**Looking for files**", "Looking for files"},
		{"nothing", "", "", ""},
	} {
		got, ok := status.FromSaid(c.text, c.thinking)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", c.name, got, ok, c.want)
		}
	}
}

func FuzzSentence(f *testing.F) {
	for _, s := range []string{
		"**Looking up** the user.", "- a\x1b[2J", "<think>", `"x y"`, strings.Repeat("長 ", 20), "ß ǆ", "a . b ! c ? d", "1) > # * a b", "__ __",
	} {
		f.Add(s)
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
		}
	})
}
