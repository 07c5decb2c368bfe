package ui

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

func TestSourcesAreUnderTheAnswer(t *testing.T) {
	drive(t, 60, 20, with(says()), func(d *driver) {
		d.turn(provider.Text{Delta: "It rains."}, provider.Appended{}, provider.Ended{Result: provider.Result{
			Stop: provider.Stop{Reason: provider.Done}, Sources: []string{"https://example.com/weather", "file:///log"}, Usage: provider.TurnUsage{AnswerTokens: 3},
		}})
		d.wait(second)
		d.sees("It rains.\n\nSources: [1] https://example.com/weather\n         [2] file:///log\n✓ 3 tok")
		if all := d.m.transcript.Text(false); !strings.HasSuffix(all, "It rains.\n\nSources:\n\n1. https://example.com/weather\n2. file:///log") {
			t.Errorf("copied is %q", all)
		}
	})
}

func TestReceiptInTheChat(t *testing.T) {
	result := provider.Result{
		Stop: provider.Stop{Reason: provider.Done}, Rounds: 1, ToolCalls: make([]provider.ToolCall, 1), Usage: provider.TurnUsage{AnswerTokens: 38},
		Timing: provider.Timing{Answer: 1260, Tools: 400, Total: 1660, Steps: []provider.Lap{
			{Kind: provider.LapWrite, Tokens: 38, MS: 1260}, {Kind: provider.LapTool, Round: 1, Title: "Read File", Status: provider.CallOK, MS: 400},
		}},
	}
	const folded, unfolded = "✓ 1 tool · 38 tok at 30/s · 2s", "\n  38 tok at 30/s · 1s\n  Read File · 0.4s"
	drive(t, 80, 30, with(says()), func(d *driver) {
		d.turn(provider.Text{Delta: "Three issues."}, provider.Appended{}, provider.Ended{Result: result})
		d.wait(second)
		d.sees("Three issues.\n\n" + folded + "\n")
		d.seesNot("Read File")
		d.press("ctrl+x")
		d.sees(folded + unfolded)
		d.press("ctrl+x")
		d.seesNot("Read File")
	})
}
