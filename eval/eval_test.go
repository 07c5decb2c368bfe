package eval

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestQuestionsAlternateBetweenKinds(t *testing.T) {
	questions, err := Questions()
	if err != nil {
		t.Fatal(err)
	}
	if len(questions) != 48 {
		t.Fatalf("%d questions, want 48", len(questions))
	}
	for lap := range slices.Chunk(questions, 12) {
		kinds := map[string]bool{}
		for _, q := range lap {
			kinds[q.Kind.Name] = true
		}
		if len(kinds) != 12 {
			t.Errorf("twelve questions in a row have %d kinds, want 12", len(kinds))
		}
	}
	if questions[0].Name != "no-tool/capital" || questions[0].Kind.Title != "No tool needed" {
		t.Errorf("the first question is %q of %q", questions[0].Name, questions[0].Kind.Title)
	}
}

func TestLoadRefusesMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"titel = 'x'":                  `unknown key "titel" on line 1`,
		"question.a.expect.number = 3": `key "question.a.expect.number" on line 1`,
		"[question.a]\nask = 'x'\n[question.a.expect]\nnumbers = ['3']": "line 4: ",
		"[question.a]\nask = ' '": "question.a has no ask",
		"title = 'x'":             "there are no questions in it",
		"[question.a]\nask = 'x'\nexpect = { times = ['6 pm'] }":             `"6 pm" in times is not a time`,
		"[question.a]\nask = 'x'\nexpect = { calls = [{ arguments = {} }] }": `a call has no tool`,
		"[question.a]\nask = 'x'\nfiles = { '../a' = '' }":                   `"../a" is outside of the folder`,
		"[question.a]\nask = 'x'\nexpect = { files = { '../a' = '' } }":      `"../a" is outside of the folder`,
		"[question.a]\nask = 'x'\nexpect = { no_files = ['/a'] }":            `"/a" is outside of the folder`,
		"[question.a]\nask = 'x'\nexpect = { words = ['a|'] }":               `"a|" in words has an empty choice`,
		"[tool.t]\narguments = { n = 'int: how many' }":                      `the argument "n" has the type "int"`,
		"a = ": "line 1: ",
	} {
		_, err := Load(fstest.MapFS{"odd.toml": {Data: []byte(text)}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), `"odd.toml": `) {
			t.Errorf("of %q: %v, want %q", text, err, want)
		}
	}
	if _, err := Load(fstest.MapFS{}); err == nil {
		t.Error("an empty folder is accepted")
	}
}

func TestLoadRefusesFilesThatAreNotTexts(t *testing.T) {
	for want, file := range map[string]*fstest.MapFile{
		"it is not a regular file": {Mode: fs.ModeNamedPipe}, "it is larger than 1 MB": {Data: make([]byte, 1<<20+1)},
	} {
		if _, err := Load(fstest.MapFS{"odd.toml": file}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
