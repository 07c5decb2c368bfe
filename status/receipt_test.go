package status_test

import (
	"testing"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

func counted(tokens int) event.Lap { return event.Lap{Kind: event.LapRead, Tokens: tokens} }

func about(tokens, most int) event.Lap {
	return event.Lap{Kind: event.LapRead, Tokens: tokens, Mark: event.About, Most: most}
}

func upTo(tokens int) event.Lap {
	return event.Lap{Kind: event.LapRead, Tokens: tokens, Mark: event.UpTo}
}

// read is a turn that read for 3 seconds.
func read(laps ...event.Lap) event.Result {
	timing := event.Timing{Prompt: 3000, Total: 4000, Steps: laps}
	return event.Result{Stop: event.Stop{Reason: event.Done}, Timing: timing}
}

func TestReceipt(t *testing.T) {
	for want, r := range map[string]event.Result{
		"✓ 3 tools · load 9s · read up to 2.1k tok 3s · 412 tok at 31/s · 18s": {
			Stop: event.Stop{Reason: event.Done}, ToolCalls: make([]event.ToolCall, 3),
			Usage:  event.TurnUsage{PromptTokens: 2100, AnswerTokens: 412},
			Timing: event.Timing{Load: 9000, Prompt: 3000, Answer: 13_290, Total: 18_000},
		},
		"✓ read 2.1k tok 3s · 4s":       read(counted(2000), counted(100)),
		"✓ read about 2.1k tok 3s · 4s": read(counted(2000), about(100, 150)),
		"✓ read up to 3.6k tok 3s · 4s": read(upTo(3400), about(100, 150), counted(50)),
		"✓ 1 tool · 5 tok · 0.4s": {
			Stop: event.Stop{Reason: event.Done}, ToolCalls: make([]event.ToolCall, 1),
			Usage: event.TurnUsage{PromptTokens: 80, AnswerTokens: 5}, Timing: event.Timing{Load: 4, Prompt: 20,
				Total: 420},
		},
		"■ Stopped · 2m05s": {Stop: event.Stop{Reason: event.Time}, Timing: event.Timing{Total: 125_000}},
		"■ Stopped · 5 tok · 2s": {
			Stop:  event.Stop{Reason: event.Length, Cause: event.WindowFull, Value: 8192}.Told(""),
			Usage: event.TurnUsage{AnswerTokens: 5}, Timing: event.Timing{Total: 2000},
		},
		"■ Stopped: the model gave an empty answer · 2s": {
			Stop:   event.Stop{Reason: event.GaveUp, Cause: event.EmptyAnswer}.Told(""),
			Timing: event.Timing{Total: 2000},
		},
		"✗ Failed · load 9s · 9s": {
			Stop: event.Stop{Reason: event.Failed}, Timing: event.Timing{Load: 9000, Total: 9000},
		},
		"✗ Failed": {Stop: event.Stop{Reason: event.Failed}},
		"✓ 1m00s":  {Stop: event.Stop{Reason: event.Done}, Timing: event.Timing{Total: 59_600}},
	} {
		if got := status.Receipt(r); got != want {
			t.Errorf("the receipt is %q, not %q", got, want)
		}
	}
}

func TestLapLine(t *testing.T) {
	for want, lap := range map[string]event.Lap{
		"load 9s":                    {Kind: event.LapLoad, MS: 9000},
		"load 9s (context 8k → 16k)": {Kind: event.LapLoad, MS: 9000, From: 8192, To: 16384},
		"read about 2.1k tok 3s":     {Kind: event.LapRead, Tokens: 2100, MS: 3000, Mark: event.About},
		"read up to 2.1k tok 3s":     {Kind: event.LapRead, Tokens: 2100, MS: 3000, Mark: event.UpTo},
		"read 2.1k tok 3s":           {Kind: event.LapRead, Tokens: 2100, MS: 3000},
		"412 tok at 31/s · 13s":      {Kind: event.LapWrite, Tokens: 412, MS: 13_290},
		"412 tok":                    {Kind: event.LapWrite, Tokens: 412},
		"Compacting · 2s":            {Kind: event.LapCompact, MS: 2000},
		"Read File · 0.4s":           {Kind: event.LapTool, Title: "Read File", Status: event.CallOK, MS: 400},
		"Read File · 1s · error":     {Kind: event.LapTool, Title: "Read File", Status: event.CallError, MS: 1000},
		"Read File · 1s · stopped":   {Kind: event.LapTool, Title: "Read File", Status: event.CallCancelled, MS: 1000},
	} {
		if got := status.LapLine(lap); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
