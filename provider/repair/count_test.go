package repair_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/provider/repair"
)

func TestCountingNamesTheDefencesThatActed(t *testing.T) {
	broken := &provider.Error{Kind: provider.KindBroken, Text: "broken"}
	call := func(name, arguments string) providertest.Step {
		return providertest.Step{Calls: []provider.Call{{Name: name, Arguments: json.RawMessage(arguments)}}}
	}
	text := func(pieces ...string) (r providertest.Reply) {
		for _, piece := range pieces {
			r = append(r, providertest.Step{Text: piece})
		}
		return r
	}
	fine := providertest.Reply{{Text: "It is "}, {Text: "late."}}
	for name, tt := range map[string]struct {
		first providertest.Reply // all others are fine
		want  []string
	}{
		"an answer":           {fine, nil},
		"code and thinking":   {append(providertest.Reply{{Thinking: "hm"}}, text("```json\n{\"name\": 1}\n```\n")...), nil},
		"a call":              {providertest.Reply{call("box__read", `{"page": 3}`)}, nil},
		"a call as text":      {text(`{"name":"box__read","arguments":{"page":3}}`), []string{"readPrinted"}},
		"a wrong name":        {providertest.Reply{call("box.read", `{"page": 3}`)}, []string{"mapNames"}},
		"a number as text":    {providertest.Reply{call("box__read", `{"page": "3"}`)}, []string{"mendCalls"}},
		"thinking in tags":    {text("<think>hm</think>", "It is late."), []string{"splitTags"}},
		"an empty answer":     {nil, []string{"fillEmpty"}},
		"a broken connection": {providertest.Reply{{Err: broken}}, []string{"retry"}},
	} {
		t.Run(name, func(t *testing.T) {
			var acted []string
			wrap := repair.Counting(func(name string) { acted = append(acted, name) }, repair.Defences()...)
			schema := json.RawMessage(`{"type":"object","properties":{"page":{"type":"integer"}},"required":["page"]}`)
			req := provider.Request{
				Tools:    []provider.ToolSpec{{Name: "box__read", ServerTool: "read", Schema: schema}},
				Messages: []provider.Message{{Role: provider.RoleUser, Text: "?"}},
			}
			script := &providertest.Script{Replies: []providertest.Reply{tt.first, fine}}
			for _, err := range wrap(script, repair.Known{}).Chat(t.Context(), req) {
				if err != nil {
					t.Error(err)
				}
			}
			if !slices.Equal(acted, tt.want) {
				t.Errorf("acted: %q, want %q", acted, tt.want)
			}
		})
	}
}
