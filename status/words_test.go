package status_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

func using(titles ...string) string {
	return status.State{Phase: status.UsingTool, Work: status.Using(titles...)}.Words()
}

func TestWords(t *testing.T) {
	ways := status.WaysOn{Full: "Compact.", Repeats: "Again.", Other: "Go on."}
	for _, c := range []struct{ got, want string }{
		{status.Idle.Words(), ""},
		{status.LoadingModel("\x1b"), "Loading the model…"},
		{status.LoadingModel("hf.co/" + strings.Repeat("unsloth/", 60) + "Qwen3-30B-GGUF:Q4_K_M"),
			"Loading hf.co/unsloth/unslot…en3-30B-GGUF:Q4_K_M…"},
		{status.Attaching("@files:notes\n.txt"), "Reading @files:notes .txt…"},
		{using("Read File", "Search Issues"), "Using 2 tools: Read File, Search Issues"},
		{using("Read File", "Search Issues", "Current Time"), "Using 3 tools: Read File, Search Issues, Current Time"},
		{using(), "Using a tool…"},
		{status.Asks("every\x1bthing"), "Everything asks for input"},
		{status.StoppedWords(event.Stop{Reason: event.Done}), ""},
		{status.StoppedWords(event.Stop{Reason: event.Cancelled}), "Stopped by you"},
		{status.StoppedWords(event.Stop{Reason: event.Failed, Detail: "no server"}), "Stopped: an error"},
		{status.StoppedWords(event.Stop{Reason: event.Denied, Tool: "Write\nFile"}.Told("")),
			"Stopped: Write File was refused"},
		{status.StoppedWords(event.Stop{Reason: event.Iterations}), "Stopped"},
		{status.StoppedWords(event.Stop{Reason: event.Iterations, Value: 10, Limit: 10}.Told("no answer")),
			"Stopped: 10 tool rounds used"},
		{status.StoppedWords(event.Stop{Reason: event.Cancelled, Cause: event.BySignal}.Told("")),
			"Stopped by a signal"},
		{status.Repeated(status.Thinking.Words()), "Thinking · repeats itself"},
		{status.CutOff(event.Stop{Cause: event.AnswerRepeats}.Told(""), ways), "The answer repeats itself. Again."},
		{status.CutOff(event.Stop{Cause: event.WindowFull, Value: 8, Limit: 8}.Told(""), ways),
			"The context window of 8 tokens is full. Compact."},
		{status.CutOff(event.Stop{Cause: event.ReplyTooLong}.Told(""), ways), "The reply is too long. Go on."},
		{status.Silent(64 * time.Second), "No output for 1m04s"},
		{status.Likely("Loading m…", 14*time.Second), "Loading m, about 14s"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
