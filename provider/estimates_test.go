package provider_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// TestEstimates: what a model took before is what it is likely to take, and nothing is claimed of what was not seen before.
func TestEstimates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := provider.OpenPace("", "http://here")
		model := &provider.Script{Forever: true, Replies: []provider.Reply{{
			{Phase: provider.PhaseLoading}, {Wait: 14 * time.Second, Phase: provider.PhaseReading}, {Wait: 8 * time.Second, Text: "Done."},
			{Done: "stop", Usage: provider.Usage{PromptTokens: 4000, AnswerTokens: 2, Load: 14 * time.Second, Prompt: 8 * time.Second, Answer: time.Second}},
		}}}
		expected := func(question string) (load, read time.Duration) {
			c := chat(model, nil)
			c.Pace = book
			for event := range events(t, c.Send(t.Context(), provider.Conversation{}, question)) {
				switch e := event.(type) {
				case provider.Loading:
					load = e.Expected
				case provider.Reading:
					read = e.Expected
				}
			}
			return load, read
		}
		long := string(make([]byte, 16_000))
		if load, read := expected(long); load != 0 || read != 0 {
			t.Errorf("before anything was seen it expects %v and %v", load, read)
		}
		load, read := expected(long)
		if load != 14*time.Second {
			t.Errorf("after a load of 14 s it expects %v", load)
		}
		if read < 6*time.Second || read > 12*time.Second {
			t.Errorf("after 4,000 tokens in 8 s it expects %v for about as many", read)
		}
	})
}
