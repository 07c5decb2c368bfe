package status

import (
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider/event"
)

func using(titles ...string) string {
	return State{Phase: UsingTool, Work: Using(titles...)}.Words()
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Idle.Words(), ""},
		{loadingModel("\x1b"), "Loading the model…"},
		{loadingModel("hf.co/" + strings.Repeat("unsloth/", 60) + "Qwen3-30B-GGUF:Q4_K_M"),
			"Loading hf.co/unsloth/unslot…en3-30B-GGUF:Q4_K_M…"},
		{Attaching("@files:notes\n.txt"), "Reading @files:notes .txt…"},
		{using("Read File", "Search Issues"), "Using 2 tools: Read File, Search Issues"},
		{using("Read File", "Search Issues", "Current Time"), "Using 3 tools: Read File, Search Issues, Current Time"},
		{using(), "Using a tool…"},
		{asksForInput("every\x1bthing"), "Everything asks for input"},
		{stoppedWords(event.Stop{Reason: event.Done}), ""},
		{stoppedWords(event.Stop{Reason: event.Cancelled}), "Stopped by you"},
		{stoppedWords(event.Stop{Reason: event.Failed, Detail: "no server"}), "Stopped: an error"},
		{stoppedWords(event.Stop{Reason: event.Denied, Tool: "Write\nFile"}.Told("")),
			"Stopped: Write File was refused"},
		{stoppedWords(event.Stop{Reason: event.Iterations}), "Stopped"},
		{stoppedWords(event.Stop{Reason: event.Iterations, Value: 10, Limit: 10}.Told("no answer")),
			"Stopped: 10 tool rounds used"},
		{stoppedWords(event.Stop{Reason: event.Cancelled, Cause: event.BySignal}.Told("")),
			"Stopped by a signal"},
		{repeated(Thinking.Words()), "Thinking · repeats itself"},
		{Silent(64 * time.Second), "No output for 1m04s"},
		{Likely("Loading m…", 14*time.Second), "Loading m, about 14s"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
