package provider_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
)

// lineOf is the words of a turn's line, one after the other.
func lineOf(t *testing.T, c *provider.Chat, question string) (words []string) {
	t.Helper()
	for event := range observed(t, c, c.Send(t.Context(), provider.Conversation{}, question)) {
		if s, ok := event.(status.State); ok && (len(words) == 0 || words[len(words)-1] != s.Text) {
			words = append(words, s.Text)
		}
	}
	return words
}

func TestALineDoesNotOutliveItsPhase(t *testing.T) {
	broken := &provider.Error{Kind: provider.KindBroken, Text: "it broke"}
	reads := []provider.Step{{Phase: provider.PhaseReading}, {Wait: 5 * time.Second, Text: "Done."}}
	for name, test := range map[string]struct {
		replies []provider.Reply
		want    []string
	}{
		"a second attempt that had to load": {
			[]provider.Reply{{{Err: broken}}, append(provider.Reply{{Phase: provider.PhaseLoading, Wait: time.Second}}, reads...)},
			[]string{"Analyzing request…", "Retrying (2/3)", "Loading test:1b…", "Retrying (2/3)", "Formulating response…"},
		},
		"a server that had no room": {
			[]provider.Reply{append(provider.Reply{{Phase: provider.PhaseBusy, Wait: time.Second}}, reads...)},
			[]string{"Analyzing request…", "Retrying…", "Analyzing request…", "Formulating response…"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got := lineOf(t, chat(&provider.Script{Replies: test.replies}, nil), "Go"); !slices.Equal(got, test.want) {
					t.Errorf("the line says\n%q, not\n%q", got, test.want)
				}
			})
		})
	}
}

// TestWhatWasReadForABrokenReplyIsNotReadAgain: the server still has the long question in its cache.
func TestWhatWasReadForABrokenReplyIsNotReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		thinks := provider.Reply{{Phase: provider.PhaseReading}}
		for range 20 {
			thinks = append(thinks, provider.Step{Thinking: "Hm. "})
		}
		c := chat(&provider.Script{Replies: []provider.Reply{thinks, {{Phase: provider.PhaseReading}, {Text: "Done."}}}}, nil)
		c.Limits.ThinkingTokens = 10
		reading := 0
		for event := range observed(t, c, c.Send(t.Context(), provider.Conversation{}, string(make([]byte, 8000)))) {
			if s, ok := event.(status.State); ok && s.Phase == status.Reading {
				reading++
			}
		}
		if reading != 1 {
			t.Errorf("it was told %d times that the question is read", reading)
		}
	})
}
