package loop_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/repair"
)

var update = flag.Bool("update", false, "rewrite golden files")

// weakDefences describes each defence, for docs/weak-models.md.
var weakDefences = []struct{ name, does string }{
	{"splitTags", "separates thinking written in the answer"},
	{"endRepeats", "ends a reply that repeats itself"},
	{"readPrinted", "makes calls that are written as text"},
	{"mapNames", "accepts names that differ in case or separators, lack the server, or have marks around them"},
	{"mendCalls", "checks arguments, and repairs them where the schema says how"},
	{"foldRepeats", "shortens the repetition of such a reply"},
	{"endThinking", "asks a model that thinks on and on to answer"},
	{"retry", "requests replies again that broke off or could not be parsed"},
	{"fillEmpty", "requests an empty answer again"},
}

// without returns all defences but one.
func without(name string) repair.Wrap {
	return repair.With(slices.DeleteFunc(repair.Defences(), func(d repair.Defence) bool { return d.Name == name })...)
}

// TestWeakModels plays every recorded behaviour of a weak model: with all defences, where it must have the right end
// for every split of the text, and without each of them. Its tables are in docs/weak-models.md; this command rewrites
// them:
//
//	go test ./provider/loop -run TestWeakModels -update
func TestWeakModels(t *testing.T) {
	files, err := weakFiles("testdata/weak")
	must(t, err)
	open, err := weakFiles("testdata/weak/open")
	must(t, err)
	if len(files) < 40 {
		t.Fatalf("there are only %d behaviours", len(files))
	}
	same := func(d repair.Defence, w struct{ name, does string }) bool { return d.Name == w.name }
	if all := repair.Defences(); !slices.EqualFunc(all, weakDefences, same) {
		t.Fatalf("the table does not have the %d defences in their order", len(all))
	}
	worth := newWorth(files, open)
	t.Run("behaviours", func(t *testing.T) {
		for _, f := range files {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				worth.add(f, f.test(t))
			})
		}
		for _, f := range open {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				if len(f.wrong(f.run(t, "", "whole"))) == 0 {
					t.Errorf("it ends right now: move %s.txtar from testdata/weak/open to testdata/weak", f.name)
				}
			})
		}
	})
	if t.Failed() || worth.right < len(files) { // some failed, or not all were played
		return
	}
	for _, d := range weakDefences {
		if len(worth.failed[d.name]) == 0 {
			t.Errorf("every behaviour ends right without %s too: it is worth nothing, or no file needs it", d.name)
		}
	}
	golden(t, "../../docs/weak-models.md", worth.page(t))
}

// test plays a file in all ways, and returns the defences without which it fails.
func (f *weakFile) test(t *testing.T) (needs []string) {
	if strings.Contains(f.text(), secretOf(f.name)) {
		t.Fatal("the file knows the word that only its tools may know")
	}
	var first string
	for _, cut := range []string{"whole", "runes", "chance"} {
		end := f.run(t, "", cut)
		if wrong := slices.Concat(f.wrong(end), end.odd, end.unkept); len(wrong) > 0 {
			t.Fatalf("cut %s:\n%s\nit ends as\n%s", cut, strings.Join(wrong, "\n"), end.told())
		}
		if first == "" {
			first = end.told()
		}
		if told := end.told(); told != first {
			t.Errorf("cut %s it ends as\n%s\ncut whole as\n%s", cut, told, first)
		}
	}
	for _, d := range weakDefences {
		end := f.run(t, d.name, "chance")
		if odd := slices.Concat(end.odd, end.unkept); len(odd) > 0 {
			t.Errorf("without %s:\n%s", d.name, strings.Join(odd, "\n"))
		}
		if len(f.wrong(end)) > 0 {
			needs = append(needs, d.name)
		}
	}
	return needs
}

func (f *weakFile) text() string {
	return fmt.Sprint(f.tools, f.history, f.question, f.replies, f.wants)
}

// wrong lists the expectations that are not met.
func (f *weakFile) wrong(end weakEnd) (wrong []string) {
	var calls []string
	for _, line := range f.wants {
		rest := fillIn(line.rest, secretOf(f.name), noBlanks)
		if line.word == "called" {
			if name, arguments, made := strings.Cut(rest, " "); made {
				calls = append(calls, name+" "+compactJSON([]byte(arguments)))
			}
			continue
		}
		if why := f.want(line.word, rest, end); why != "" {
			wrong = append(wrong, fmt.Sprintf("%s %s, but %s", line.word, rest, why))
		}
	}
	slices.Sort(calls)
	if !slices.Equal(calls, end.calls) {
		wrong = append(wrong, fmt.Sprintf("the calls that reached a tool are\n%s, not\n%s",
			strings.Join(end.calls, "\n"), strings.Join(calls, "\n")))
	}
	return wrong
}

// want checks one expectation and returns the mismatch, or "". Expectations are "stop REASON", "requests N" for at most
// N, and "answer", "shown", "thought", "notice", "sent", "repaired" or "error", followed by "has", "lacks" or "is" and
// text.
func (f *weakFile) want(word, rest string, end weakEnd) string {
	switch word {
	case "stop":
		if string(end.Stop.Reason) != rest {
			return fmt.Sprintf("it ended as %s: %s", end.Stop.Reason, end.Stop.Detail)
		}
		return ""
	case "requests":
		if most, err := strconv.Atoi(rest); err != nil || len(end.asked) > most {
			return fmt.Sprintf("there were %d", len(end.asked))
		}
		return ""
	}
	var repairs, errs []string
	for _, call := range end.ToolCalls {
		repairs, errs = append(repairs, call.Repairs...), append(errs, call.Error)
	}
	text, ok := map[string]string{
		"answer": end.Answer, "shown": end.shown, "thought": end.thought, "notice": strings.Join(end.notices, "\n"),
		"sent": sentIn(end.asked), "repaired": strings.Join(repairs, "\n"), "error": strings.Join(errs, "\n"),
	}[word]
	if !ok {
		panic("no such expectation: " + word)
	}
	how, words, _ := strings.Cut(rest, " ")
	has := strings.Contains(text, words)
	if how == "has" && has || how == "lacks" && !has || how == "is" && strings.TrimSpace(text) == words {
		return ""
	}
	return fmt.Sprintf("it is %q", sanitize.Cut(text, 1000))
}

func sentIn(requests []provider.Request) string {
	var b strings.Builder
	for _, req := range requests {
		for _, m := range req.Messages {
			fmt.Fprintf(&b, "%s: %s %s\n", m.Role, m.Thinking, m.Text)
		}
	}
	return b.String()
}

// worth counts the effect of each defence.
type worth struct {
	files  []*weakFile
	open   []*weakFile // that still fail
	mu     sync.Mutex
	right  int                 // number of files that pass with all defences
	failed map[string][]string // files that fail without the defence
}

func newWorth(files, open []*weakFile) *worth {
	return &worth{files: files, open: open, failed: map[string][]string{}}
}

func (w *worth) add(f *weakFile, needs []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.right++
	for _, d := range needs {
		w.failed[d] = append(w.failed[d], f.name)
	}
}

// golden compares a file with its wanted content, or rewrites it.
func golden(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		must(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	got, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(got, []byte(want)) {
		t.Errorf("%s is out of date: run go test ./provider/loop -run TestWeakModels -update and review the change", path)
	}
}
