package status

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider/event"
)

// asked is a model that answers requests for sentences in order, and then repeats the last answer.
type asked struct {
	answers []string
	prompts []string
	line    *Observer
	shows   string
}

func newAsked(answers ...string) *asked {
	a := &asked{answers: answers}
	a.line = &Observer{Style: StyleSentence, Show: func(s State) { a.shows = s.Words() }}
	a.line.Observe(context.Background(), event.Began{Model: "m"})
	return a
}

// ask returns the next answer; "wait" exceeds the time limit for a sentence.
func (a *asked) ask(ctx context.Context, prompt string) (string, error) {
	a.prompts = append(a.prompts, prompt)
	switch answer := a.answers[min(len(a.prompts), len(a.answers))-1]; answer {
	case "wait":
		<-ctx.Done()
		return "Reading the file too late", nil
	case "fail":
		return "", errors.New("no")
	default:
		return answer, nil
	}
}

// run runs a call for a time and returns the last text of the line.
func (a *asked) run(t *testing.T, took time.Duration, tool, arguments string) (says string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		call := event.ToolCall{ID: fmt.Sprint(time.Now().UnixNano(), len(a.prompts)), Title: tool,
			Arguments: []byte(arguments)}
		a.line.Observe(t.Context(), event.Running{Calls: []event.ToolCall{call}, Ask: a.ask})
		time.Sleep(took)
		synctest.Wait()
		says = a.shows
		a.line.Observe(t.Context(), event.ToolFinished{Call: call})
	})
	return says
}

func TestWriterRequest(t *testing.T) {
	model := newAsked(`"Looking up the user."`)
	if got := model.run(t, time.Second, "Get User", `{"id":3,"x":"`+strings.Repeat("y",
		5000)+`"}`); got != `Get User · "Looking up the user"` {
		t.Errorf("got %q", got)
	}
	if p := model.prompts[0]; !strings.Contains(p, "Get User") || !strings.Contains(p, `"id":3`) || len(p) > 1000 {
		t.Errorf("the prompt is %q", p)
	}
}

func TestExampleIsMiss(t *testing.T) {
	model := newAsked("正在查找用户。")
	if got := model.run(t, time.Second, "Get User", "{}"); got != `Get User · "正在查找用户"` {
		t.Errorf("a sentence in the language of the question is shown as %q", got)
	}
	_, example, _ := strings.Cut(model.prompts[0], "such as: ")
	example, _, _ = strings.Cut(example, ".")
	if sentence, ok := sentenceOf(example); !ok || sentence != example {
		t.Errorf("the example %q is no sentence", example)
	}
	model.answers = []string{example}
	if got := model.run(t, time.Second, "Get User", "{}"); got != "Using Get User…" {
		t.Errorf("the example was repeated, and shown: %q", got)
	}
}

func TestRequestIsNoSentence(t *testing.T) {
	model := newAsked("x")
	model.run(t, time.Second, "Get User", `{"id":3}`)
	for _, part := range append(strings.Split(model.prompts[0], ". "), model.prompts[0]) {
		if s, ok := sentenceOf(part); ok {
			t.Errorf("a model that repeats %q is shown with %q", part, s)
		}
	}
}

func TestWriterGivesUpAfterThreeMisses(t *testing.T) {
	for name, test := range map[string]struct {
		answers []string
		took    time.Duration
		asked   int // in ten calls
	}{
		"two misses, a hit, three misses": {[]string{"fail", `{"name":"x"}`, "Reading the file", "fail"}, time.Minute, 6},
		"late":                            {[]string{"wait"}, 2*time.Second + 1, 3},
		"the tool is quicker":             {[]string{"wait"}, time.Second, 10},
	} {
		model := newAsked(test.answers...)
		for range 10 {
			if got := model.run(t, test.took, "Read File", "{}"); got != "Using Read File…" &&
				got != `Read File · "Reading the file"` {
				t.Errorf("%s: the line says %q", name, got)
			}
		}
		if len(model.prompts) != test.asked {
			t.Errorf("%s: asked %d times, want %d", name, len(model.prompts), test.asked)
		}
	}
}
