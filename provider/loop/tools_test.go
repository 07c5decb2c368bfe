package loop_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

func TestToolPanics(t *testing.T) {
	model := &providertest.Script{Replies: []providertest.Reply{{calls("read_file")}, {{Text: "It crashed."}}}}
	crash := func(context.Context, string, func(mcpclient.Progress)) (mcpclient.Result, error) { panic("nil map") }
	_, ended := tell(t, chat(model, toolbox{{"read_file", crash}}).Send(t.Context(), provider.Conversation{}, "Go"), nil)
	call := ended.Result.ToolCalls[0]
	if call.Status != provider.CallError || call.Error != "the tool crashed: nil map" || ended.Result.Answer != "It crashed." {
		t.Errorf("the call is %+v", call)
	}
}

func TestToolCannotBeReached(t *testing.T) {
	model := &providertest.Script{Replies: []providertest.Reply{{calls("read_file")}, {{Text: "Gone."}}}}
	gone := func(context.Context, string, func(mcpclient.Progress)) (mcpclient.Result, error) {
		return mcpclient.Result{}, errors.New("the server \x1b[31mbox is gone")
	}
	_, ended := tell(t, chat(model, toolbox{{"read_file", gone}}).Send(t.Context(), provider.Conversation{}, "Go"), nil)
	if call := ended.Result.ToolCalls[0]; call.Status != provider.CallError || strings.Contains(call.Error, "\x1b") {
		t.Errorf("the call is %+v", call)
	}
}

func TestResultsFitASmallContext(t *testing.T) {
	model := &providertest.Script{Replies: []providertest.Reply{{calls("read_file", `read_file {"n":2}`, `read_file {"n":3}`)}, {{Text: "Much."}}}}
	c := chat(model, toolbox{{"read_file", says(strings.Repeat("word ", 20_000))}})
	c.Context = 8192
	_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
	sum := 0
	for _, m := range ended.Conversation.Messages() {
		sum += len(m.Text)
	}
	if sum > 3.5*(8192-2048) || sum < 15_000 {
		t.Errorf("the results have %d bytes together", sum)
	}
}

func TestResultsThatComeAgainFitASmallContext(t *testing.T) {
	model := &providertest.Script{Replies: []providertest.Reply{{calls("know_file")}, {calls("know_file")}, {{Text: "Much."}}}}
	c := chat(model, toolbox{{"know_file", says(strings.Repeat("word ", 20_000))}})
	c.Context = 8192
	_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Go"), nil)
	first, again := ended.Result.ToolCalls[0].Result, ended.Result.ToolCalls[1].Result
	if len(first)+len(again) > 3.5*(8192-1024) || ended.Result.ToolCalls[1].Status != provider.CallCached {
		t.Errorf("the results have %d and %d bytes", len(first), len(again))
	}
}

func TestIDs(t *testing.T) {
	wish := func(id string) provider.Call { return provider.Call{ID: id, Name: "box__do_it"} }
	model := &providertest.Script{Replies: []providertest.Reply{
		{{Calls: []provider.Call{wish("a"), wish("a"), wish(""), wish("call_3")}}}, {{Text: "Done."}},
	}}
	_, ended := tell(t, chat(model, toolbox{{"do_it", says("done")}}).Send(t.Context(), provider.Conversation{}, "Go"), nil)
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
