package loop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

// sixPages is a reply that reads six pages, of which four are read at the same time.
func sixPages() providertest.Reply {
	return providertest.Reply{calls(`read_page {"n":1}`, `read_page {"n":2}`, `read_page {"n":3}`, `read_page {"n":4}`, `read_page {"n":5}`, `read_page {"n":6}`)}
}

// TestCallsBeginInTheirOrder: the line tells of the first of them, and counts only those that run.
func TestCallsBeginInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := make(chan string, 6)
		page := func(ctx context.Context, arguments string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
			began <- arguments
			return takes(time.Second, "page")(ctx, arguments, nil)
		}
		model := &providertest.Script{Replies: []providertest.Reply{sixPages(), {{Text: "Done."}}}}
		words, _ := captions(t, chat(model, toolbox{{"read_page", page}}))
		same(t, "words", strings.Join(words, "\n"), `
			Using 4 tools: Read Page, Read Page, …
			Using 3 tools: Read Page, Read Page, …
			Using 2 tools: Read Page, Read Page
			Using Read Page…`)
		close(began)
		first := map[string]bool{}
		for arguments := range began {
			if len(first) < 4 {
				first[arguments] = true
			}
		}
		for n := range 4 {
			if want := fmt.Sprintf(`{"n":%d}`, n+1); !first[want] {
				t.Errorf("%s was not among the first four: %v", want, first)
			}
		}
	})
}

// TestCallsThatDidNotBeginAreToldSo: of six calls two wait for their turn when the person stops.
func TestCallsThatDidNotBeginAreToldSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		model := &providertest.Script{Replies: []providertest.Reply{sixPages()}}
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
