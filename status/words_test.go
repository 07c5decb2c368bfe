package status_test

import (
	"testing"
	"time"

	"github.com/aloudchat/aloud/status"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{status.English.Phase(status.Idle), ""},
		{status.English.Connecting(1, 3), "Connecting to servers (1/3)"},
		{status.English.Phase(status.Analyzing), "Analyzing request…"},
		{status.English.Loading("qwen3:14b"), "Loading qwen3:14b…"},
		{status.English.Loading("\x1b"), "Loading the model…"},
		{status.English.Reading(12_412), "Reading 12.4k tokens…"},
		{status.English.Reading(0), "Reading…"},
		{status.English.Phase(status.Thinking), "Thinking…"},
		{status.English.Phase(status.Selecting), "Selecting appropriate tools…"},
		{status.English.Using("Read File"), "Using Read File…"},
		{status.English.Using("Read File", "Search Issues"), "Using 2 tools: Read File, Search Issues"},
		{status.English.Using("Read File", "Search Issues", "Current Time"), "Using 3 tools: Read File, Search Issues, …"},
		{status.English.Using(), "Using a tool…"},
		{status.English.Progress("Index Repository", 40, 120, ""), "Index Repository · 40/120"},
		{status.English.Progress("Index Repository", 40, 0, "reading\nREADME"), "Index Repository · 40 · reading README"},
		{status.English.Progress("Index Repository", 0.25, 1, "\x1b"), "Index Repository · 0.25/1"},
		{status.English.Progress("Copy", 1e9, 0, ""), "Copy · 1000000000"},
		{status.English.Phase(status.Processing), "Processing tool results…"},
		{status.English.Phase(status.Formulating), "Formulating response…"},
		{status.English.Phase(status.Approval), "Waiting for your approval"},
		{status.English.Retrying(2, 3), "Retrying (2/3)"},
		{status.English.Phase(status.Compacting), "Compacting…"},
		{status.English.Failed("Read File"), "Tool Read File failed, trying alternative approach…"},
		{status.English.Stopped("10 tool rounds\nare used"), "Stopped: 10 tool rounds are used"},
		{status.English.Stopped(""), "Stopped"},
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
		if status.English.Phase(p) == "" {
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
