package status_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/status"
)

// asked counts the requests and answers them in turn; the last answer comes again.
type asked struct {
	answers []string
	prompts []string
}

func (a *asked) ask(_ context.Context, prompt string) (string, error) {
	a.prompts = append(a.prompts, prompt)
	answer := a.answers[min(len(a.prompts), len(a.answers))-1]
	if answer == "" {
		return "", errors.New("no")
	}
	return answer, nil
}

func TestWriterAsksForASentence(t *testing.T) {
	model := &asked{answers: []string{`"Looking up the user."`}}
	w := status.Writer{Ask: model.ask}
	if got := w.Write(t.Context(), "get_user", `{"id":3,"x":"`+strings.Repeat("y", 5000)+`"}`); got != "Looking up the user" {
		t.Errorf("got %q", got)
	}
	if p := model.prompts[0]; !strings.Contains(p, "get_user") || !strings.Contains(p, `"id":3`) || len(p) > 1000 {
		t.Errorf("the prompt is %q", p)
	}
}

func TestWriterDoesNotShowTheExample(t *testing.T) {
	model := &asked{answers: []string{"正在查找用户。"}}
	w := status.Writer{Ask: model.ask}
	if got := w.Write(t.Context(), "get_user", "{}"); got != "正在查找用户" {
		t.Errorf("a sentence in the language of the question is shown as %q", got)
	}
	_, example, _ := strings.Cut(model.prompts[0], "such as: ")
	example, _, _ = strings.Cut(example, ".")
	if sentence, ok := status.Sentence(example); !ok || sentence != example {
		t.Errorf("the example %q is no sentence", example)
	}
	model.answers = []string{example}
	if got := w.Write(t.Context(), "get_user", "{}"); got != "" {
		t.Errorf("the example was repeated, and shown: %q", got)
	}
}

func TestWriterShowsNoneOfTheRequest(t *testing.T) {
	model := &asked{answers: []string{"x"}}
	w := status.Writer{Ask: model.ask}
	w.Write(t.Context(), "get_user", `{"id":3}`)
	for part := range strings.SplitSeq(model.prompts[0], ". ") {
		if s, ok := status.Sentence(part); ok {
			t.Errorf("a model that repeats %q is shown with %q", part, s)
		}
	}
	if s, ok := status.Sentence(model.prompts[0]); ok {
		t.Errorf("a model that repeats all is shown with %q", s)
	}
}

func TestWriterGivesUpAfterThreeMissesInARow(t *testing.T) {
	model := &asked{answers: []string{"", `{"name":"x"}`, "Reading the file", "", "", ""}}
	w := status.Writer{Ask: model.ask}
	for range 10 {
		w.Write(t.Context(), "read_file", "{}")
	}
	if len(model.prompts) != 6 {
		t.Errorf("asked %d times, want 6: two misses, a hit, three misses", len(model.prompts))
	}
}

func TestWriterWaitsTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		w := status.Writer{Ask: func(ctx context.Context, _ string) (string, error) {
			requests++
			<-ctx.Done()
			return "Reading the file too late", nil
		}}
		begin := time.Now()
		for range 4 {
			if got := w.Write(t.Context(), "read_file", "{}"); got != "" {
				t.Errorf("got %q", got)
			}
		}
		if took := time.Since(begin); took != 6*time.Second || requests != 3 {
			t.Errorf("%d requests took %v", requests, took)
		}
	})
}

func TestAToolThatIsQuickerIsNoMiss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		w := status.Writer{Ask: func(ctx context.Context, _ string) (string, error) {
			requests++
			<-ctx.Done()
			return "", ctx.Err()
		}}
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			w.Write(ctx, "read_file", "{}")
			cancel()
		}
		if requests != 10 {
			t.Errorf("asked %d times of 10", requests)
		}
	})
}

func TestWriterOfNothingNeverAsks(t *testing.T) {
	var zero status.Writer
	var none *status.Writer
	if zero.Write(t.Context(), "x", "{}") != "" || none.Write(t.Context(), "x", "{}") != "" {
		t.Error("a sentence from nobody")
	}
}
