package provider_test

import (
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// A turn that goes on is about the question with which it began: a call that was asked for as text is not made then either.
func TestTheQuestionCountsWhenATurnGoesOn(t *testing.T) {
	made := 0
	model := &provider.Script{Replies: []provider.Reply{
		{{Text: "In JSON, with a name and"}, {Err: &provider.Error{Text: "the power failed"}}},
		{{Text: "Sure!\n" + `{"name":"read_page","arguments":{"n":1}}`}},
	}}
	c := chat(model, toolbox{{"read_page", gives(&made, texts("page")...)}})
	_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "How would I call the read_page tool?"), nil)
	_, ended = tell(t, c.Resume(t.Context(), ended.Conversation), nil)
	if made != 0 || len(ended.Result.ToolCalls) != 0 {
		t.Errorf("the call was made: %+v", ended.Result)
	}
}
