package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
)

// flood is a model that repeats one chunk up to 64 MB, and then answers "Over.", as it also does if asked again.
type flood struct {
	providertest.Script
	chunk   provider.Chunk
	asked   int
	left    bool
	letters string // the text, one letter at a time
}

// varied returns n letters that do not repeat themselves.
func varied(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	letters := make([]byte, n)
	for i := range letters {
		letters[i] = 'a' + byte(random.IntN(26))
	}
	return string(letters)
}

func (f *flood) Chat(_ context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		if req.Purpose != provider.ForAnswer {
			yield(provider.Chunk{Done: true}, nil)
			return
		}
		f.asked++
		for sent := 0; f.asked == 1 && sent < 64*megabyte; {
			if f.letters != "" {
				f.chunk.Text = string(f.letters[sent%len(f.letters)])
			}
			sent += len(f.chunk.Text) + len(f.chunk.Thinking)
			for _, call := range f.chunk.Calls {
				sent += len(call.Name) + len(call.Arguments)
			}
			if !yield(f.chunk, nil) {
				f.left = true
				return
			}
		}
		if yield(provider.Chunk{Text: "Over."}, nil) {
			yield(provider.Chunk{Done: true, Reason: "stop"}, nil)
		}
	}
}

// Replies of any kind are limited, and the turn continues with the part received.
func TestRepliesAreBounded(t *testing.T) {
	call := func(arguments string) provider.Chunk {
		return provider.Chunk{Calls: []provider.Call{{Name: "box__read_page", Arguments: json.RawMessage(arguments)}}}
	}
	long := varied(64<<10-1) + "é"
	tooLong := provider.Chunk{Calls: []provider.Call{{Name: strings.Repeat("x", 8*megabyte)}}}
	for name, test := range map[string]struct {
		chunk     provider.Chunk
		answer    string // how it ends
		kept      int    // most bytes of the conversation
		made, all int    // calls
	}{
		"text":             {provider.Chunk{Text: long}, "\n[cut: 4 MB]", 5 * megabyte, 0, 0},
		"text in pieces":   {provider.Chunk{Text: "a"}, "\n[cut: 256 kB]", 5 * megabyte, 0, 0},
		"thinking":         {provider.Chunk{Thinking: long}, "Over.", 5 * megabyte, 0, 0},
		"calls":            {call(`{}`), "Over.", megabyte, 1, 64},
		"long calls":       {call(`{"a":"` + long + `"}`), "Over.", 3 * megabyte, 1, 16},
		"endless argument": {call(`{"a":"` + strings.Repeat("x", 8*megabyte) + `"}`), "Over.", megabyte, 0, 1},
		"a long name":      {tooLong, "Over.", megabyte, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			made := 0
			model := &flood{chunk: test.chunk}
			model.Models = []provider.Info{{Name: "test:1b", Tools: true, Thinking: true, Context: megabyte}}
			if name == "text in pieces" {
				model.letters = varied(64 << 10)
			}
			c := chat(nil, toolbox{{"read_page", gives(&made, texts("page")...)}})
			c.Model = model
			var ended event.Ended
			shown := 0
			for ev := range events(t, c.Send(t.Context(), provider.Conversation{}, "Go")) {
				switch e := ev.(type) {
				case event.Text:
					shown += len(e.Delta)
				case event.Thinking:
					shown += len(e.Delta)
				case event.Ended:
					ended = e
				}
			}
			r, want := ended.Result, event.Done
			if strings.HasSuffix(test.answer, "]") {
				want = event.Length
			}
			if r.Stop.Reason != want || !strings.HasSuffix(r.Answer, test.answer) || !model.left {
				t.Errorf("it ended as %+v with %d bytes, and the stream was left: %t", r.Stop, len(r.Answer), model.left)
			}
			stored, err := json.Marshal(ended.Conversation.Messages())
			if err != nil || len(stored) > test.kept || shown > test.kept {
				t.Errorf("it keeps %d bytes, and showed %d: %v", len(stored), shown, err)
			}
			if made != test.made || len(r.ToolCalls) != test.all {
				t.Errorf("%d of %d calls were made: %s", made, len(r.ToolCalls), becameOf(r))
			}
		})
	}
}

// An answer to each of thousands of calls would not fit any context.
func TestThousandsOfCallsAreDropped(t *testing.T) {
	step := step{}
	for i := range 5000 {
		step.Calls = append(step.Calls, provider.Call{Name: "read_page", Arguments: fmt.Appendf(nil, `{"n":%d}`, i)})
	}
	made := 0
	model := script(replies{{step}, {{Text: "Done."}}})
	c := chat(model, nil)
	c.Tools = strangers{toolbox{{"read_page", gives(&made, texts("page")...)}}} // one after the other
	story, ended := ask(t, c, "Go")
	if n := strings.Count(story, "notice: The model made more than 64 calls at once."); n != 1 {
		t.Errorf("you are told %d times", n)
	}
	if r := ended.Result; made != 64 || len(r.ToolCalls) != 64 || r.Stop.Reason != event.Done {
		t.Errorf("%d of %d calls were made, and it ended as %+v", made, len(r.ToolCalls), r.Stop)
	}
}
