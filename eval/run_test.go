package eval

import (
	"testing"
)

// Each question has a right and a wrong way in testdata/played.toml, and both are recognised.
func TestEveryQuestionTellsRightFromWrong(t *testing.T) {
	questions, err := Questions()
	if err != nil {
		t.Fatal(err)
	}
	book := playbook(t)
	for _, q := range questions {
		if e := entry(book, q); len(e.Right) == 0 || len(e.Wrong) == 0 {
			t.Errorf("%s is not played", q.Name)
			continue
		}
		good, err := runner(perfect(questions, book), true).Ask(t.Context(), q)
		if err != nil || !good.Right {
			t.Errorf("%s: the right way is wrong: %q %v (answer %q, calls %q)", q.Name, good.Why, err, good.Text, good.Calls)
		}
		bad, err := runner(hopeless(questions, book), true).Ask(t.Context(), q)
		if err != nil || bad.Right {
			t.Errorf("%s: the wrong way is right: %v (answer %q, calls %q)", q.Name, err, bad.Text, bad.Calls)
		}
	}
}
