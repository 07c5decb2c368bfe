package loop_test

import (
	"context"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

func TestToolPanics(t *testing.T) {
	model := script(replies{{calls("read_file")}, {{Text: "It crashed."}}})
	crash := func(context.Context, string, func(mcpclient.Progress)) (mcpclient.Result, error) { panic("nil map") }
	_, ended := ask(t, chat(model, toolbox{{"read_file", crash}}), "Go")
	call := ended.Result.ToolCalls[0]
	endsAs(t, ended, event.Done, "It crashed.", event.CallError)
	if call.Error != "the tool crashed: nil map" {
		t.Errorf("the call is %+v", call)
	}
}

func TestIDs(t *testing.T) {
	wish := func(id string) provider.Call { return provider.Call{ID: id, Name: "box__do_it"} }
	model := script(replies{
		{{Calls: []provider.Call{wish("a"), wish("a"), wish(""), wish("call_3")}}}, {{Text: "Done."}},
	})
	_, ended := ask(t, chat(model, toolbox{{"do_it", says("done")}}), "Go")
	seen := map[string]bool{}
	for _, call := range ended.Conversation.Messages()[1].Calls {
		if call.ID == "" || seen[call.ID] {
			t.Errorf("the id %q is not one of its own", call.ID)
		}
		seen[call.ID] = true
	}
	if !seen["a"] || len(seen) != 4 {
		t.Errorf("the ids are %v", seen)
	}
}

// You see the images of a result even if the model cannot.
func TestImagesOfResults(t *testing.T) {
	picture := mcpclient.Result{Text: "drawn", Images: [][]byte{{1, 2}}}
	for _, vision := range []bool{false, true} {
		model := script(replies{{calls("draw_it")}, {{Text: "There."}}})
		model.Models = []provider.Info{{Name: "test:1b", Tools: true, Vision: vision, Context: 32768}}
		ran, reported, sent := 0, 0, 0
		turn := chat(model, toolbox{{"draw_it", gives(&ran, picture)}}).Send(t.Context(), provider.Conversation{}, "Go")
		for ev := range events(t, turn) {
			switch ev := ev.(type) {
			case event.Asked:
				ev.Answer(event.Decision{Allow: true})
			case event.ToolFinished:
				reported += len(ev.Images)
			case event.Appended:
				for _, m := range ev.Messages {
					sent += len(m.Images)
				}
			}
		}
		if want := map[bool]int{true: 1}[vision]; ran != 1 || reported != 1 || sent != want {
			t.Errorf("vision %t: %d images were reported and %d sent, want 1 and %d", vision, reported, sent, want)
		}
	}
}
