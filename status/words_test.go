package status_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/status"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{status.Words{}.Phase(status.Idle), ""},
		{status.Words{}.Connecting(1, 3), "Connecting to servers (1/3)"},
		{status.Words{}.Phase(status.Analyzing), "Analyzing request…"},
		{status.Words{}.Loading("qwen3:14b"), "Loading qwen3:14b…"},
		{status.Words{}.Loading("\x1b"), "Loading the model…"},
		{status.Words{}.Reading(12_412), "Reading 12.4k tokens…"},
		{status.Words{}.Reading(0), "Reading…"},
		{status.Words{}.Attaching("@files:notes\n.txt"), "Reading @files:notes .txt…"},
		{status.Words{}.Phase(status.Thinking), "Thinking…"},
		{status.Words{}.Phase(status.Selecting), "Selecting appropriate tools…"},
		{status.Words{}.Using("Read File"), "Using Read File…"},
		{status.Words{}.Using("Read File", "Search Issues"), "Using 2 tools: Read File, Search Issues"},
		{status.Words{}.Using("Read File", "Search Issues", "Current Time"), "Using 3 tools: Read File, Search Issues, …"},
		{status.Words{}.Using(), "Using a tool…"},
		{status.Words{}.Phase(status.Processing), "Processing tool results…"},
		{status.Words{}.Phase(status.Formulating), "Formulating response…"},
		{status.Words{}.Phase(status.Approval), "Waiting for your approval"},
		{status.Words{}.Asks("every\x1bthing"), "Everything asks you something"},
		{status.Words{}.Samples("everything"), "The model writes for everything…"},
		{status.Words{}.Retrying(2, 3), "Retrying (2/3)"},
		{status.Words{}.Phase(status.Compacting), "Compacting…"},
		{status.Words{}.Failed("Read File"), "Tool Read File failed, trying alternative approach…"},
		{status.Words{}.Stopped("10 tool rounds\nare used"), "Stopped: 10 tool rounds are used"},
		{status.Words{}.Stopped(""), "Stopped"},
		{status.Words{}.Tools(0, 0), "0 tools"},
		{status.Words{}.Tools(1, 0), "1 tool"},
		{status.Words{}.Tools(3, 1), "3 tools, 1 failed"},
		{status.Words{}.Loaded(9 * time.Second), "load 9s"},
		{status.Words{}.HasRead(2100, 3*time.Second), "read 2.1k tok 3s"},
		{status.Words{}.Wrote(412, 13*time.Second), "412 tok at 31/s"},
		{status.Words{}.Wrote(412, 0), "412 tok"},
		{status.Words{}.UsingFor(3, "S") + status.Words{}.UsingFor(1, "S"), "Using 3 tools: SS"},
		{status.Words{}.Silent(64 * time.Second), "No output for 1m04s"},
		{status.Words{}.SilentSince(noon), "No output since 12:00:00"},
		{status.Words{}.Likely("Loading m…", 14*time.Second), "Loading m, about 14s"},
		{status.Words{}.ToRetry("esc", "/retry"), "esc to stop, then /retry"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestALongModelNameKeepsBothEnds(t *testing.T) {
	got := status.Words{}.Loading("hf.co/" + strings.Repeat("unsloth/", 60) + "Qwen3-30B-GGUF:Q4_K_M")
	if got != "Loading hf.co/unsloth/unslot…en3-30B-GGUF:Q4_K_M…" {
		t.Errorf("got %q", got)
	}
}
