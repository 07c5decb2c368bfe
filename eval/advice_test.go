package eval

import (
	"os"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

func TestSettingsFollowFromAnswers(t *testing.T) {
	slow := Column{Model: "m", AnswerMS: 34_000, Answers: []Answer{
		{ThinkingBytes: 900, TextBytes: 100}, {Stop: event.Iterations}, {Stop: event.Iterations},
	}}
	for name, tt := range map[string]struct {
		column Column
		info   provider.Info
		costly bool
		want   string
	}{
		"a quick model": {Column{Model: "m"}, provider.Info{}, false, `model = "m"
context = 8192  # the largest that fits, so that the model is loaded once
`},
		"a slow one that thinks and runs in circles": {slow, provider.Info{Fixed: true}, true, `model = "m"
think = "off"  # an answer takes 34s, and 90% of it is thinking

[limits]
iterations = 6  # it called tools on and on in 2 answers

[status]
style = "name"  # a sentence makes the server read the prompt again
`},
	} {
		if tt.column.Advise(tt.info, 8192, tt.costly); tt.column.Suggest != tt.want {
			t.Errorf("%s: got\n%s", name, tt.column.Suggest)
		}
	}
	if slow.Advise(provider.Info{Levels: true}, 0, false); !regexp.MustCompile(`think = "low"`).MatchString(slow.Suggest) {
		t.Errorf("a model with levels: got\n%s", slow.Suggest)
	}
}

// The files of questions in the document are correct.
func TestDocumentedQuestions(t *testing.T) {
	text, err := os.ReadFile("../docs/eval.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```text\n(.*?)```").FindAllSubmatch(text, -1)
	if len(found) < 2 {
		t.Errorf("%d examples", len(found))
	}
	for _, block := range found {
		if _, err := Load(fstest.MapFS{"a.toml": {Data: block[1]}}); err != nil {
			t.Errorf("%v in\n%s", err, block[1])
		}
	}
}
