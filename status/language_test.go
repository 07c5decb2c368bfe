package status

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/sanitize"
)

// The table is looked at from inside: a word that nobody has asked for yet must be there, too.

func TestEveryLanguageHasEveryWord(t *testing.T) {
	if len(table) != len(languages) {
		t.Errorf("%d languages have words, %d are told", len(table), len(languages))
	}
	for _, l := range languages {
		w := table[l]
		if w == nil {
			t.Errorf("%s has no words", l)
			continue
		}
		eachWord(t, reflect.ValueOf(*w), reflect.ValueOf(english), "", func(field, word, inEnglish string) {
			switch {
			case word == "":
				t.Errorf("%s: no word for %s", l, field)
			case sanitize.Line(strings.TrimSpace(word)) != strings.TrimSpace(word):
				t.Errorf("%s: %s is no safe line: %q", l, field, word)
			case field != "comma" && strings.TrimSpace(word) != word:
				t.Errorf("%s: %s has space around it: %q", l, field, word)
			}
			if got, want := arguments(word), arguments(inEnglish); !slices.Equal(got, want) {
				t.Errorf("%s: %s takes %q, in English %q", l, field, got, want)
			}
		})
		if l != English {
			noneIsEnglish(t, l, w)
		}
	}
}

// eachWord gives every string of a struct of words and what stands in its place in English.
func eachWord(t *testing.T, words, inEnglish reflect.Value, path string, do func(field, word, inEnglish string)) {
	t.Helper()
	for i := range words.NumField() {
		name := path + words.Type().Field(i).Name
		switch f, e := words.Field(i), inEnglish.Field(i); f.Kind() {
		case reflect.String:
			do(name, f.String(), e.String())
		case reflect.Struct:
			eachWord(t, f, e, name+".", do)
		case reflect.Map:
			if f.Len() != e.Len() {
				t.Errorf("%s has %d entries, in English %d", name, f.Len(), e.Len())
			}
			for _, key := range e.MapKeys() {
				word := ""
				if v := f.MapIndex(key); v.IsValid() {
					word = v.String()
				}
				do(fmt.Sprintf("%s[%s]", name, key), word, e.MapIndex(key).String())
			}
		case reflect.Bool:
		default:
			t.Errorf("this test does not know how to look at %s, a %s", name, f.Kind())
		}
	}
}

var verb = regexp.MustCompile(`%(?:\[(\d)\])?(.)`)

// arguments are the verbs of a format in the order of what they take: "%[2]d %[1]s" takes s and then d.
func arguments(format string) []string {
	var verbs []string
	next := 1
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[1] != "" {
			next = int(m[1][0] - '0')
		}
		for len(verbs) < next {
			verbs = append(verbs, "")
		}
		verbs[next-1] = m[2]
		next++
	}
	return verbs
}

// noneIsEnglish finds words that were forgotten when a language was copied from English.
func noneIsEnglish(t *testing.T, l Language, w *words) {
	t.Helper()
	same := 0
	eachWord(t, reflect.ValueOf(*w), reflect.ValueOf(english), "", func(_, word, inEnglish string) {
		if word == inEnglish {
			same++
		}
	})
	if same > 5 { // "↓ %s tok" and the like
		t.Errorf("%s: %d words are those of English", l, same)
	}
	for p, word := range w.phases {
		if word == english.phases[p] {
			t.Errorf("%s: %s is said in English: %q", l, p, word)
		}
	}
}

func TestArgumentsOfAFormat(t *testing.T) {
	for format, want := range map[string]string{
		"%s of about %s": "s s",
		"%[2]d/%[1]s":    "s d",
		"%d tools: %s":   "d s",
		"nothing":        "",
	} {
		if got := strings.Join(arguments(format), " "); got != want {
			t.Errorf("%q takes %q, want %q", format, got, want)
		}
	}
}

func TestEverythingThatIsSaidIsWhole(t *testing.T) {
	for _, l := range append(Languages(), "", "xx") {
		for _, said := range []string{
			l.Connecting(1, 3), l.Loading("m"), l.Loading(""), l.Reading(5), l.Reading(0), l.Attaching("@a:b"), l.Using(), l.Using("A"), l.Using("A", "B"), l.Using("A", "B", "C"),
			l.UsingFor(3, "S"), l.Progress("A", 1, 2, "m"), l.Retrying(1, 2), l.Failed("A"), l.Stopped("r"), l.Stopped(""), l.ToStop("esc"),
			l.ToRetry("esc", "/retry"), l.Tools(0, 1), l.Tools(1, 1), l.Tools(2, 1), l.Loaded(time.Second), l.HasRead(5, time.Second), l.Wrote(5, time.Second),
			l.Wrote(5, 0), l.InEnglish(),
		} {
			if said == "" || strings.Contains(said, "%!") || strings.ContainsAny(said, "%[]") {
				t.Errorf("%s says %q", l, said)
			}
		}
		s := State{Phase: Approval, Since: time.Unix(0, 0), At: time.Unix(5, 0), Worked: time.Minute, Paused: true, Round: 1, Rounds: 2, Tokens: 3, Heard: time.Unix(1, 0)}
		for _, still := range []bool{true, false} {
			for _, expected := range []time.Duration{0, time.Hour} {
				s.Expected = expected
				for _, after := range []int64{8, 5000} {
					line := s.Line(time.Unix(after, 0), Drawing{Width: 300, Language: l, Hint: l.ToStop("esc"), Still: still})
					if line == "" || strings.Contains(line, "%!") {
						t.Errorf("%s says %q", l, line)
					}
				}
			}
		}
	}
}

func TestAnUnknownLanguageIsEnglish(t *testing.T) {
	for _, l := range []Language{"", "xx", "EN", "de-DE"} {
		if got := l.Phase(Thinking); got != "Thinking…" {
			t.Errorf("%q says %q", l, got)
		}
	}
	if Languages()[0] != English {
		t.Errorf("the languages are %v", Languages())
	}
	Languages()[0] = "changed"
	if languages[0] != English {
		t.Error("Languages gives no copy")
	}
}
