package status_test

import (
	"testing"
	"time"

	"github.com/aloudchat/aloud/status"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{status.Idle.Words(), ""},
		{status.ConnectingWords(1, 3), "Connecting to servers (1/3)"},
		{status.Analyzing.Words(), "Analyzing request…"},
		{status.LoadingWords("qwen3:14b"), "Loading qwen3:14b…"},
		{status.LoadingWords("\x1b"), "Loading the model…"},
		{status.ReadingWords(12_412), "Reading 12.4k tokens…"},
		{status.ReadingWords(0), "Reading…"},
		{status.Thinking.Words(), "Thinking…"},
		{status.Selecting.Words(), "Selecting appropriate tools…"},
		{status.UsingWords("Read File"), "Using Read File…"},
		{status.UsingWords("Read File", "Search Issues"), "Using 2 tools: Read File, Search Issues"},
		{status.UsingWords("Read File", "Search Issues", "Current Time"), "Using 3 tools: Read File, Search Issues, …"},
		{status.UsingWords(), "Using a tool…"},
		{status.ProgressWords("Index Repository", 40, 120, ""), "Index Repository · 40/120"},
		{status.ProgressWords("Index Repository", 40, 0, "reading\nREADME"), "Index Repository · 40 · reading README"},
		{status.ProgressWords("Index Repository", 0.25, 1, "\x1b"), "Index Repository · 0.25/1"},
		{status.ProgressWords("Copy", 1e9, 0, ""), "Copy · 1000000000"},
		{status.Processing.Words(), "Processing tool results…"},
		{status.Formulating.Words(), "Formulating response…"},
		{status.Approval.Words(), "Waiting for your approval"},
		{status.RetryingWords(2, 3), "Retrying (2/3)"},
		{status.Compacting.Words(), "Compacting…"},
		{status.FailedWords("Read File"), "Tool Read File failed, trying alternative approach…"},
		{status.StoppedWords("10 tool rounds\nare used"), "Stopped: 10 tool rounds are used"},
		{status.StoppedWords(""), "Stopped"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestEveryPhaseHasWords(t *testing.T) {
	for _, p := range []status.Phase{
		status.Connecting, status.Analyzing, status.Loading, status.Reading, status.Thinking, status.Selecting, status.UsingTool,
		status.Processing, status.Formulating, status.Approval, status.Retrying, status.Compacting, status.ToolFailed, status.Stopped,
	} {
		if p.Words() == "" {
			t.Errorf("%q has no words", p)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second:                   "0s",
		0:                              "0s",
		4900 * time.Millisecond:        "4s",
		59999 * time.Millisecond:       "59s",
		time.Minute:                    "1m00s",
		64 * time.Second:               "1m04s",
		time.Hour - 1:                  "59m59s",
		2*time.Hour + 3*time.Minute:    "2h03m",
		100*time.Hour + 59*time.Second: "100h00m",
	} {
		if got := status.Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{
		-1: "0", 0: "0", 412: "412", 999: "999", 1000: "1k", 2100: "2.1k", 12_412: "12.4k", 99_949: "99.9k", 99_950: "100k",
		128_000: "128k", 999_499: "999k", 999_500: "1M", 1_240_000: "1.2M",
	} {
		if got := status.Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
