package eval

import (
	"context"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
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

// replier is a model whose server does one thing.
type replier func(ctx context.Context, yield func(provider.Chunk, error) bool)

func (r replier) Describe(_ context.Context, name string) (provider.Info, error) {
	return provider.Info{Name: name, Tools: true, Context: 32768, Known: true}, nil
}

func (r replier) Chat(ctx context.Context, _ provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) { r(ctx, yield) }
}

// A failure of the server is no answer of the model.
func TestFailuresOfServerAreNoAnswers(t *testing.T) {
	q := &Question{Kind: &Kind{Name: "k"}, Name: "k/a", Ask: "?"}
	for kind, want := range map[provider.Kind]struct{ answered, own bool }{
		provider.KindFailed: {false, true}, provider.KindBroken: {false, true}, provider.KindMemory: {false, true},
		provider.KindMissing: {false, true}, provider.KindUnavailable: {}, provider.KindUnauthorized: {},
		provider.KindBusy: {}, provider.KindMalformed: {answered: true}, provider.KindTooLong: {answered: true},
	} {
		model := replier(func(_ context.Context, yield func(provider.Chunk, error) bool) {
			yield(provider.Chunk{}, &provider.Error{Kind: kind, Text: "the reason"})
		})
		synctest.Test(t, func(t *testing.T) {
			a, err := runner(model, true).Ask(t.Context(), q)
			if (err == nil) != want.answered || IsOwn(err) != want.own {
				t.Errorf("kind %v: got %v", kind, err)
			}
			if want.answered && !strings.Contains(a.Why, "the reason") {
				t.Errorf("kind %v: the answer is wrong because of %q", kind, a.Why)
			}
		})
	}
}

func TestSilentServerEndsQuestion(t *testing.T) {
	for name, begin := range map[string]string{"before the reply": "", "in the reply": "It is"} {
		synctest.Test(t, func(t *testing.T) {
			model := replier(func(ctx context.Context, yield func(provider.Chunk, error) bool) {
				if begin == "" || yield(provider.Chunk{Text: begin}, nil) {
					<-ctx.Done()
				}
			})
			began := time.Now()
			q := &Question{Kind: &Kind{Name: "k"}, Name: "k/a", Ask: "?"}
			_, err := runner(model, true).Ask(t.Context(), q)
			if !IsOwn(err) || time.Since(began) > 10*time.Minute {
				t.Errorf("%s: %v after %v", name, err, time.Since(began))
			}
		})
	}
}

func TestSameCallTwiceIsNotTwoCallsAtOnce(t *testing.T) {
	questions, err := Questions()
	if err != nil {
		t.Fatal(err)
	}
	tokyo, kolkata := `!now {"zone": "Asia/Tokyo"}`, `!now {"zone": "Asia/Kolkata"}`
	model := player{questions: questions, replies: func(*Question) []string {
		return []string{tokyo + "\n" + tokyo, kolkata, "Tokyo: 18:41, Kolkata: 15:11"}
	}}
	for _, q := range questions {
		if q.Name != "two-at-once/clocks" {
			continue
		}
		if a, err := runner(model, true).Ask(t.Context(), q); err != nil || a.Right {
			t.Errorf("right: %v, %v", a.Right, err)
		}
	}
}
