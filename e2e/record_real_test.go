//go:build e2e && unix

package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/recording"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// More names of the real model.
const (
	repeating = "smollm2-repeating"
	babbling  = "smollm2-babbling"
)

// realWord is the time between two tokens of the recorded replies.
const realWord = 50 * time.Millisecond

// realModels are the models of the recorded turns, with the parameters that make them repeat themselves or babble.
var realModels = map[string]map[string]any{
	smollm2:   nil,
	repeating: {"repeat_penalty": 0.8}, // below 1 it rewards repetition
	babbling:  {"temperature": 2, "top_k": 0, "top_p": 1, "num_predict": 80},
}

// realStories are turns with what a model with weights really writes.
var realStories = []turnStory{
	{
		name: "real-call", Turn: realTurn(smollm2, "Read the file list.txt."), real: true, cold: true,
		load: time.Second, read: seconds(9, 1), word: realWord, ends: event.Done,
	},
	{
		name: "real-length", Turn: realTurn(smollm2, "Tell me a long story about a lighthouse keeper."), real: true,
		read: seconds(9), word: realWord, ends: event.Length,
	},
	{
		name: "real-repetition", Turn: realTurn(repeating, "Tell me a story about a fox."), real: true,
		read: seconds(9), word: realWord, ends: event.Length,
	},
	{
		name: "real-babble", Turn: realTurn(babbling, "What is love?"), real: true,
		read: seconds(9), word: realWord, ends: event.Length,
	},
}

func realTurn(model, question string) recording.Turn {
	return recording.Turn{Question: question, Model: model, Context: recordedContext, Style: status.StyleName}
}

// TestRecordRealTurns plays turns with a real model. With -update it records them like TestRecordTurns. Without, it
// checks only how they end, because another processor may calculate other words.
func TestRecordRealTurns(t *testing.T) {
	server := startRealServer(t, realModels)
	for _, s := range realStories {
		t.Run(s.name, func(t *testing.T) {
			if !*update {
				record(t, server, s, speedup)
				return
			}
			file := filepath.Join(recordings, s.name+".jsonl")
			must(t, os.WriteFile(file, record(t, server, s, 1).file(), 0o644))
		})
	}
}

// builtIn returns the built-in servers that the template of the real model has examples of. The folder of the files
// has one.
func (r *recorder) builtIn(folder string) (servers []mcpclient.Server) {
	r.t.Helper()
	must(r.t, os.WriteFile(filepath.Join(folder, "list.txt"), []byte(list), 0o600))
	for _, name := range []string{"clock", "files"} {
		local, err := builtin.New(name, builtin.Options{Dir: folder})
		must(r.t, err)
		servers = append(servers,
			mcpclient.Server{Name: name, Trusted: true, BuiltIn: name, Local: local, Insider: local})
	}
	return servers
}
