package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnswersAreKeptByServerModelAndQuestion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aloud", "eval.json")
	open := func(server string) *Results {
		t.Helper()
		r, err := Open(path, server)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	kind := &Kind{Name: "k", Title: "Kind"}
	q := &Question{Kind: kind, Name: "k/a", mark: "1"}
	changed := &Question{Kind: kind, Name: "k/a", mark: "2"}
	here, also := open("here"), open("here")
	for _, err := range []error{
		here.Keep(Answer{Model: "m", Question: "k/a", Mark: "1", Defences: true}),
		also.Keep(Answer{Model: "n", Question: "k/a", Mark: "1", Right: true}), // another program
		here.Keep(Answer{Model: "m", Question: "k/a", Mark: "1", Defences: true, Right: true}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	again := open("here")
	if a, ok := again.Find("m", q, true); !ok || !a.Right {
		t.Errorf("the last answer is not found: %v", a)
	}
	if _, ok := again.Find("n", q, false); !ok {
		t.Error("the answer that another program kept is lost")
	}
	for name, found := range map[string]func() (Answer, bool){
		"without defences": func() (Answer, bool) { return again.Find("m", q, false) },
		"a changed one":    func() (Answer, bool) { return again.Find("m", changed, true) },
		"another server":   func() (Answer, bool) { return open("there").Find("m", q, true) },
	} {
		if a, ok := found(); ok {
			t.Errorf("%s has the answer %v", name, a)
		}
	}
	if c := again.ColumnOf("m", true, []*Question{q}); c.Score != (Score{1, 1}) || c.Kinds[0].Title != "Kind" {
		t.Errorf("summed up: %+v", c)
	}
}

func TestUnreadableAnswersAreNotReplaced(t *testing.T) {
	for text, want := range map[string]string{
		`{"version": 2}`: "newer version", `{"version": 1, "answers": []}`: "cannot read", "": "cannot read",
	} {
		path := filepath.Join(t.TempDir(), "eval.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, "here"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// An edited file may have no answers.
func TestAnswerIsKeptWithNoOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eval.json")
	if err := os.WriteFile(path, []byte(`{"version": 1, "answers": null}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, "here")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Keep(Answer{Model: "m", Question: "k/a"}); err != nil {
		t.Error(err)
	}
}

// Your own questions may have the names of aloud's.
func TestQuestionsWithTheSameNameKeepTheirAnswers(t *testing.T) {
	r, err := Open("", "here")
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range []string{"1", "2"} {
		if err := r.Keep(Answer{Model: "m", Question: "k/a", Mark: mark}); err != nil {
			t.Fatal(err)
		}
	}
	for _, mark := range []string{"1", "2"} {
		if _, ok := r.Find("m", &Question{Name: "k/a", mark: mark}, false); !ok {
			t.Errorf("the answer to the question of file %s is lost", mark)
		}
	}
}

func TestSkippedQuestionsDoNotCount(t *testing.T) {
	r, err := Open("", "here")
	if err != nil {
		t.Fatal(err)
	}
	q := &Question{Kind: &Kind{Name: "k"}, Name: "k/a"}
	if err := r.Keep(Answer{Model: "m", Question: "k/a", Skipped: "Buy"}); err != nil {
		t.Fatal(err)
	}
	if c := r.ColumnOf("m", false, []*Question{q}); len(c.Answers) != 1 || c.Asked != 0 || c.Kinds[0].Asked != 0 {
		t.Errorf("summed up: %+v", c)
	}
}
