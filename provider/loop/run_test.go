package loop_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// sixPages is a reply that reads six pages, of which four are read at the same time.
func sixPages() reply {
	return reply{calls(`read_page {"n":1}`, `read_page {"n":2}`, `read_page {"n":3}`, `read_page {"n":4}`, `read_page {"n":5}`, `read_page {"n":6}`)}
}

// TestCallsThatDidNotBeginAreToldSo: of six calls two wait for their turn when the person stops.
func TestCallsThatDidNotBeginAreToldSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		model := script(replies{sixPages()})
		_, ended := tell(t, chat(model, toolbox{{"read_page", takes(time.Minute, "page")}}).Send(ctx, provider.Conversation{}, "Go"), nil)
		waited := 0
		for _, call := range ended.Result.ToolCalls {
			if call.Status != provider.CallCancelled {
				t.Errorf("a call is %s", call.Status)
			}
			if strings.Contains(call.Result, "before it ran") {
				waited++
			}
		}
		if laps := len(ended.Result.Timing.Steps); waited != 2 || laps != 4 {
			t.Errorf("%d calls did not begin, and %d took time", waited, laps)
		}
	})
}
