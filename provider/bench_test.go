package provider_test

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// BenchmarkRound is what the loop itself costs for a turn with one tool round, at the beginning of a chat and after 1,000 messages.
func BenchmarkRound(b *testing.B) {
	for _, bench := range []struct {
		name     string
		messages int
	}{{"empty", 0}, {"1000messages", 1000}} {
		b.Run(bench.name, func(b *testing.B) {
			var conv provider.Conversation
			for range bench.messages / 2 {
				conv = conv.With(user(strings.Repeat("word ", 40)), provider.Message{Role: provider.RoleAssistant, Text: strings.Repeat("word ", 40)})
			}
			tools := toolbox{{"read_file", says("42")}}
			b.ReportAllocs()
			for b.Loop() {
				model := &provider.Script{
					Replies: []provider.Reply{{calls("read_file")}, {{Text: "Done."}}},
					Models:  []provider.Info{{Name: "test:1b", Tools: true, Context: 131072}},
				}
				for range events(b, chat(model, tools).Send(b.Context(), conv, "Go")) {
				}
			}
		})
	}
}

// BenchmarkTokens is what a streamed token costs.
func BenchmarkTokens(b *testing.B) {
	const tokens = 10_000
	reply := make(provider.Reply, tokens)
	for i := range reply {
		reply[i] = provider.Step{Text: "word "}
	}
	model := &provider.Script{Replies: []provider.Reply{reply}, Forever: true}
	c := chat(model, nil)
	b.ReportAllocs()
	for b.Loop() {
		for range events(b, c.Send(b.Context(), provider.Conversation{}, "Go")) {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
}
