package eval

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/event"
)

// Expect is what must come of a question. Empty fields expect nothing.
type Expect struct {
	Calls          []call            `toml:"calls"`            // each was made, and was successful
	Together       bool              `toml:"together"`         // at least two different calls are in the same reply
	NoCalls        []string          `toml:"no_calls"`         // these tools were not called; "*" means any
	MostCalls      int               `toml:"most_calls"`       // the most calls in all; 0 means no limit
	Numbers        []float64         `toml:"numbers"`          // in the answer, in any form: "1,234" is 1234
	NoOtherNumbers bool              `toml:"no_other_numbers"` // the answer has only these and those of the message
	Times          []string          `toml:"times"`            // in the answer: "18:41"
	Words          []string          `toml:"words"`            // in the answer; "a|b" means one of them
	NoWords        []string          `toml:"no_words"`         // not in the answer
	Cannot         bool              `toml:"cannot"`           // the model says that it cannot do this
	Files          map[string]string `toml:"files"`            // the content of files afterwards
	NoFiles        []string          `toml:"no_files"`         // these files do not exist afterwards
}

// call is a call of a tool, with or without the name of its server before it: "now" or "clock__now".
type call struct {
	Tool      string         `toml:"tool"`
	Arguments map[string]any `toml:"arguments"` // with these, among others
}

// valid returns what is wrong with the expectations.
func (e Expect) valid() error {
	for _, c := range e.Calls {
		if c.Tool == "" {
			return errors.New("a call has no tool")
		}
	}
	for _, words := range slices.Concat(e.Words, e.NoWords) {
		if slices.Contains(strings.Split(words, "|"), "") {
			return fmt.Errorf("%q in words has an empty choice", words)
		}
	}
	for _, text := range e.Times {
		if _, err := time.Parse("15:04", text); err != nil {
			return fmt.Errorf("%q in times is not a time. Write hours and minutes, such as 18:41", text)
		}
	}
	return inFolder(slices.AppendSeq(slices.Clone(e.NoFiles), maps.Keys(e.Files)))
}

// outcome is what came of a question.
type outcome struct {
	event.Result
	together int    // the most different calls of one reply
	folder   string // of the question
}

// refusal finds how an answer says that something cannot be done.
var refusal = sanitize.Pattern(`\b(cannot|can't|can not|can only|couldn't|could not|unable|impossible|unavailable|` +
	`lack|sorry|beyond my|there('s| is| are) no|no (\w+ )?(access|ability|way|means|such|tools?|functions?)|` +
	`(\w+n't|not) (\w+ )?(have|able|exist|an?|any|available|possible|supported|capable))\b`)

// wrong returns why the outcome is wrong, or "" if it is right.
func (q *Question) wrong(o outcome) string {
	var faults []string
	note := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	e, gaveUp := q.Expect, o.Stop.Reason == event.GaveUp && o.Stop.Cause == "" // else there is no answer
	for _, c := range e.Calls {
		note(!slices.ContainsFunc(o.ToolCalls, c.made), "no call of %s", c)
	}
	for _, made := range o.ToolCalls {
		unwanted := func(pattern string) bool { return called(made.Name, pattern) }
		note(slices.ContainsFunc(e.NoCalls, unwanted), "called %.60q", made.Name)
	}
	note(e.Together && o.together < 2, "the calls were made one after another")
	note(e.MostCalls > 0 && len(o.ToolCalls) > e.MostCalls, "made %d calls", len(o.ToolCalls))
	note(o.Stop.Reason != event.Done && !(e.Cannot && gaveUp), "%s",
		cmp.Or(o.Stop.Why, o.Stop.Detail, string(o.Stop.Reason)))
	note(e.Cannot && !gaveUp && !refusal().MatchString(fold(o.Answer)), "does not say that it cannot do this")
	e.compareFiles(o.folder, note)
	e.compareText(q.Ask, o.Answer, note)
	return strings.Join(faults, "; ")
}

// compareText notes which values the answer lacks, and which it has too much.
func (e Expect) compareText(asked, text string, note func(bool, string, ...any)) {
	numbers, known := numbersIn(text), append(numbersIn(asked), e.Numbers, []float64{0}) // "0 results"
	for _, want := range e.Numbers {
		note(!hasNumber(numbers, want), "the answer lacks %v", want)
	}
	for _, want := range e.Times {
		note(!hasTime(text, want), "the answer lacks %s", want)
	}
	for _, want := range e.Words {
		note(!hasWord(text, want), "the answer lacks %q", want)
	}
	for _, no := range e.NoWords {
		note(hasWord(text, no), "the answer has %q", no)
	}
	for _, meant := range numbersIn(listMark().ReplaceAllString(text, "")) {
		isKnown := func(v float64) bool { return hasNumber(known, v) }
		note(e.NoOtherNumbers && !slices.ContainsFunc(meant, isKnown), "the answer has the number %v", meant)
	}
}

// compareFiles notes which files differ. Line breaks of Windows and white space around a file do not count. A server
// with the same folder may put a link there, but what is outside of the folder is not read.
func (e Expect) compareFiles(folder string, note func(bool, string, ...any)) {
	plain := func(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) }
	root, err := os.OpenRoot(folder)
	if err != nil {
		note(len(e.Files)+len(e.NoFiles) > 0, "its folder is gone")
		return
	}
	defer root.Close()
	for name, want := range e.Files {
		got, err := readSmall(root.FS(), filepath.ToSlash(name))
		note(err != nil || plain(string(got)) != plain(want), "the file %q has another content", name)
	}
	for _, name := range e.NoFiles {
		_, err := root.Lstat(name)
		note(!errors.Is(err, fs.ErrNotExist), "there is a file %q", name)
	}
}

// made reports whether a call is the wanted one, and gave a result.
func (c call) made(m event.ToolCall) bool {
	var arguments map[string]any
	_ = json.Unmarshal(m.Arguments, &arguments) // nil fits only a call without expected arguments
	return (m.Status == event.CallOK || m.Status == event.CallCached) && called(m.Name, c.Tool) &&
		fits(c.Arguments, arguments)
}

// called reports whether the name of a tool matches a pattern, with or without its server.
func called(name, pattern string) bool {
	name = strings.ToLower(name)
	matches := mcpclient.Wanted([]string{strings.ToLower(pattern)}, nil)
	_, tool, _ := strings.Cut(name, "__")
	return matches(name) || matches(tool)
}

// String returns the call as `set_timer {"seconds":150}`.
func (c call) String() string {
	if len(c.Arguments) == 0 {
		return c.Tool
	}
	arguments, _ := json.Marshal(c.Arguments) // it comes from TOML
	return c.Tool + " " + string(arguments)
}
