package ui

import (
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/providertest"
)

// Whatever was allowed before, a call that may leak data is allowed only once, and the dialog shows the reason.
func TestExfiltrationAllowedOnlyOnce(t *testing.T) {
	for _, width := range []int{40, 80, 200} {
		model := &providertest.Script{Replies: []providertest.Reply{calls("web__search", `{"query":"weather"}`),
			calls("files__read_file", "{}"), calls("web__search", `{"query":"weather in secret"}`), chunks(0, "Sunny.")}}
		model.Replies[2][0].Calls[0].ID = "call_3"
		o := with(model)
		o.Chat.Policy = mcpclient.NewPolicy(mcpclient.ApprovalAuto, []string{"*"}, nil, nil)
		box := newToolbox()
		box.tools = append(box.tools, mcpclient.Tool{Name: "web__search", Server: "web", ServerTool: "search", Trusted: true,
			OpenWorld: true})
		o.Tools, o.Chat.Tools = box, box
		drive(t, width, 24, o, func(d *driver) {
			d.typeText("weather?\n").wait(10 * time.Second)
			d.sees("Allow this call?", "query: weather in secret", "it may send data out, and this", "private data",
				"outside", "y  once", "n  deny and stop")
			d.seesNot("always", "session")
			d.press("s", "a").wait(time.Second)
			d.sees("Allow this call?")
			d.press("y").wait(3 * time.Second)
			d.sees("Sunny.")
		})
	}
}
