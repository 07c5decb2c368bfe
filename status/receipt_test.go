package status_test

import (
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
)

func counted(tokens int) provider.Lap { return provider.Lap{Kind: provider.LapRead, Tokens: tokens} }

func about(tokens, most int) provider.Lap {
	return provider.Lap{Kind: provider.LapRead, Tokens: tokens, Mark: provider.About, Most: most}
}

func upTo(tokens int) provider.Lap {
	return provider.Lap{Kind: provider.LapRead, Tokens: tokens, Mark: provider.UpTo}
}

// read is a turn that read for 3 seconds.
func read(laps ...provider.Lap) provider.Result {
	timing := provider.Timing{Prompt: 3000, Total: 4000, Steps: laps}
	return provider.Result{Stop: provider.Stop{Reason: provider.Done}, Timing: timing}
}

func TestReceipt(t *testing.T) {
	for want, r := range map[string]provider.Result{
		"✓ 3 tools · load 9s · read up to 2.1k tok 3s · 412 tok at 31/s · 18s": {
			Stop: provider.Stop{Reason: provider.Done}, ToolCalls: make([]provider.ToolCall, 3),
			Usage:  provider.TurnUsage{PromptTokens: 2100, AnswerTokens: 412},
			Timing: provider.Timing{Load: 9000, Prompt: 3000, Answer: 13_290, Total: 18_000},
		},
		"✓ read 2.1k tok 3s · 4s":       read(counted(2000), counted(100)),
		"✓ read about 2.1k tok 3s · 4s": read(counted(2000), about(100, 150)),
		"✓ read up to 3.6k tok 3s · 4s": read(upTo(3400), about(100, 150), counted(50)),
		"✓ 1 tool · 5 tok · 0.4s": {
			Stop: provider.Stop{Reason: provider.Done}, ToolCalls: make([]provider.ToolCall, 1),
			Usage: provider.TurnUsage{PromptTokens: 80, AnswerTokens: 5}, Timing: provider.Timing{Load: 4, Prompt: 20,
				Total: 420},
		},
		"■ Stopped · 2m05s": {Stop: provider.Stop{Reason: provider.Time}, Timing: provider.Timing{Total: 125_000}},
		"✓ 1m00s":           {Stop: provider.Stop{Reason: provider.Done}, Timing: provider.Timing{Total: 59_600}},
	} {
		if got := status.Receipt(r); got != want {
			t.Errorf("the receipt is %q, not %q", got, want)
		}
	}
}

func TestLapLine(t *testing.T) {
	for want, lap := range map[string]provider.Lap{
		"load 9s":                    {Kind: provider.LapLoad, MS: 9000},
		"load 9s (context 8k → 16k)": {Kind: provider.LapLoad, MS: 9000, From: 8192, To: 16384},
		"read about 2.1k tok 3s":     {Kind: provider.LapRead, Tokens: 2100, MS: 3000, Mark: provider.About},
		"read up to 2.1k tok 3s":     {Kind: provider.LapRead, Tokens: 2100, MS: 3000, Mark: provider.UpTo},
		"read 2.1k tok 3s":           {Kind: provider.LapRead, Tokens: 2100, MS: 3000},
		"412 tok at 31/s · 13s":      {Kind: provider.LapWrite, Tokens: 412, MS: 13_290},
		"412 tok":                    {Kind: provider.LapWrite, Tokens: 412},
		"Compacting · 2s":            {Kind: provider.LapCompact, MS: 2000},
		"Read File · 0.4s":           {Kind: provider.LapTool, Title: "Read File", Status: provider.CallOK, MS: 400},
		"Read File · 1s · error":     {Kind: provider.LapTool, Title: "Read File", Status: provider.CallError, MS: 1000},
		"Read File · 1s · stopped":   {Kind: provider.LapTool, Title: "Read File", Status: provider.CallCancelled, MS: 1000},
	} {
		if got := status.LapLine(lap); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
