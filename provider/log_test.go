package provider_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

func TestLogNamesTheKindOfEveryFailure(t *testing.T) {
	kinds := map[provider.Kind]string{
		provider.KindFailed: "failed", provider.KindUnavailable: "unavailable", provider.KindMissing: "missing", provider.KindTooLong: "too_long",
		provider.KindBroken: "broken", provider.KindMalformed: "malformed",
	}
	for kind, name := range kinds {
		var log strings.Builder
		model := &provider.Script{Replies: []provider.Reply{{{Err: &provider.Error{Kind: kind, Text: "it fails"}}}}}
		c := chat(model, nil)
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		for range c.Send(t.Context(), provider.Conversation{}, "Go") {
		}
		if !strings.Contains(log.String(), "kind="+name) {
			t.Errorf("a failure of kind %d is not logged as %q:\n%s", kind, name, &log)
		}
	}
}
