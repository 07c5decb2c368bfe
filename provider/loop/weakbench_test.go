package loop_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/repair"
)

// BenchmarkTurn10 measures the loop, with and without the defences: ten tool rounds and an answer of a model that
// takes no time. See docs/weak-models.md.
func BenchmarkTurn10(b *testing.B) {
	for _, bench := range []struct {
		name   string
		repair repair.Wrap
	}{{"defended", repair.New()}, {"bare", nil}} {
		b.Run(bench.name, func(b *testing.B) {
			tools := benchTools()
			replies := benchReplies()
			b.ReportAllocs()
			for b.Loop() {
				chat := &loop.Chat{
					Model: script(replies), Name: "bench:8b", Tools: tools,
					Policy: mcpclient.NewPolicy(mcpclient.ApprovalAll, nil, nil, nil),
					Limits: loop.Limits{Iterations: 20, ThinkingTokens: 4000}, Repair: bench.repair,
				}
				for ev, err := range chat.Send(b.Context(), provider.Conversation{}, "Look up ten things.") {
					must(b, err)
					if e, ok := ev.(event.Ended); ok && (e.Result.Rounds != 10 || e.Result.Stop.Reason != event.Done) {
						b.Fatalf("it ended as %+v after %d rounds", e.Result.Stop, e.Result.Rounds)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "µs/turn")
		})
	}
}

// benchReplies think 60 tokens in each of ten rounds and call a tool, and then write an answer of 300 tokens.
func benchReplies() (all replies) {
	const form = `{"query":"thing %d","limit":5,"exact":true,"fields":["name","date"],"after":"2025-01-01"}`
	thoughts := slices.Repeat(reply{{Thinking: "word "}}, 60)
	for n := range 10 {
		call := provider.Call{Name: "files__tool_3", Arguments: fmt.Appendf(nil, form, n+1)}
		all = append(all, append(slices.Clip(thoughts), step{Calls: []provider.Call{call}}))
	}
	return append(all, append(thoughts, slices.Repeat(reply{{Text: "word "}}, 300)...))
}

// benchTools are 30 tools with ordinary schemas, each of which returns 4 kB of JSON.
func benchTools() *kit {
	const schema = `{"type":"object","properties":{` +
		`"query":{"type":"string","description":"What to look for, in plain words."},` +
		`"limit":{"type":"integer","minimum":1,"maximum":100,"description":"At most so many results."},` +
		`"exact":{"type":"boolean","default":false},"after":{"type":"string","format":"date"},` +
		`"fields":{"type":"array","items":{"type":"string","enum":["name","date","size","owner"]}}},` +
		`"required":["query"],"additionalProperties":false}`
	row := `{"name":"a","date":"2025-02-03","size":12},`
	box := &kit{result: mcpclient.Result{Text: `{"rows":[` + strings.TrimSuffix(strings.Repeat(row, 95), ",") + `]}`}}
	for i := range 30 {
		name := fmt.Sprintf("tool_%d", i)
		box.tools = append(box.tools, mcpclient.Tool{
			Name: "files__" + name, Server: "files", ServerTool: name, Schema: json.RawMessage(schema),
			Description: strings.Repeat("It looks something up. ", 8), Trusted: true, ReadOnly: true,
		})
	}
	return box
}
