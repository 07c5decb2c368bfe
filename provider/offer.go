package provider

import (
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/window"
	"github.com/aloudchat/aloud/status"
)

const (
	costly = 0.25 // of the largest context: with this much for tools a person is told
	most   = 0.5  // of the largest context: tools that take more leave too little for the work
)

// offer chooses what the model is told of the tools: all of it, or less where that would take too much of the context. The order never changes
// within a chat, nor what is said of a tool: the server's prompt cache begins with it.
func (t *turn) offer(tools []mcpclient.Tool) {
	t.tools, t.specs = tools, specsOf(tools)
	cost, limit := t.known.scaled(costOf(t.specs)), t.known.limit()
	if share := float64(cost) / float64(max(limit, 1)); share > costly {
		t.noticeOnce("The tools take about %s tokens, %.0f%% of the context: /tools shows what each costs and switches it off.",
			status.Count(cost), 100*share)
	}
	if float64(cost) > most*float64(limit) {
		t.slim(int(most * float64(limit)))
	}
	t.chat.shelf.keepOf(t.messages)
	if len(t.chat.shelf.kept) > 0 {
		t.offerReadMore()
	}
}

// slim makes the schemas short, and offers only as many tools as there is room for.
func (t *turn) slim(room int) {
	for i := range t.specs {
		t.specs[i] = slimSpec(t.specs[i])
	}
	fits, used := 0, 0
	for fits < len(t.specs) && t.known.scaled(used+t.specs[fits].estimate()) <= room {
		used += t.specs[fits].estimate()
		fits++
	}
	if fits < len(t.specs) {
		t.noticeOnce("Only the first %d of %s fit the context of %s tokens; switch off with /tools what you do not need.",
			fits, plural(len(t.specs), "tool"), status.Count(t.known.limit()))
	} else {
		t.noticeOnce("The descriptions of the tools were shortened to fit the context of %s tokens.", status.Count(t.known.limit()))
	}
	t.tools, t.specs = t.tools[:fits:fits], t.specs[:fits:fits]
}

// longestDescription is how many bytes of a tool's own description a slim one keeps.
const longestDescription = 300

func slimSpec(s ToolSpec) ToolSpec {
	s.Schema = window.Slim(s.Schema)
	s.Description = shorten(s.Description, longestDescription)
	return s
}

func specsOf(tools []mcpclient.Tool) []ToolSpec {
	specs := make([]ToolSpec, len(tools))
	for i, tool := range tools {
		specs[i] = specOf(tool)
	}
	return specs
}

func costOf(specs []ToolSpec) int {
	sum := 0
	for i := range specs {
		sum += specs[i].estimate()
	}
	return sum
}
