package loop_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// A server counts the tokens of a reply when it ends. If it does not end, about one came with each piece.
func TestUncountedTokens(t *testing.T) {
	hm := step{Thinking: "Hm. "}
	long := append(append(reply{hm}, speaks(40, step{Text: "word "})...), step{Block: true})
	gone := &provider.Error{Kind: provider.KindFailed, Text: "the server stopped"}
	silent := measured(100, 0, 0, 0)
	for name, test := range map[string]struct {
		replies replies
		want    string
		tokens  int
		mark    event.Mark
	}{
		"stopped": {replies{long}, "■ Stopped by you · about 41 tok · 1m00s", 41, event.About},
		"stopped in the second round": {replies{{calls("read_page"), measured(500, 20, 0, time.Second)}, long},
			"■ Stopped by you · 1 tool · about 61 tok · 1m00s", 61, event.About},
		"an error": {replies{{{Text: "a"}, {Text: "b"}, {Err: gone}}}, "✗ Failed · about 2 tok", 2, event.About},
		"asked again": {replies{{{Text: "a"}, {Text: "b"}, {Cut: true}}, {{Text: "c"}}},
			"✓ about 3 tok · 0s", 3, event.About},
		"a server that is silent": {replies{{{Text: "a"}, {Text: "b"}, silent}}, "✓ about 2 tok · 0s", 2, event.About},
		"counted":                 {replies{{{Text: "a"}, {Text: "b"}}}, "✓ 2 tok · 0s", 2, event.Counted},
		"stopped before it began": {replies{{{Block: true}}}, "■ Stopped by you · 1m00s", 0, event.Counted},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := chat(&providertest.Script{Models: unthinking, Replies: test.replies}, toolbox{{"read_page", says("page")}})
			ctx, cancel := withCancelAfter(t, time.Minute)
			defer cancel()
			_, ended := tell(t, c.Send(ctx, provider.Conversation{}, "Hi"), nil)
			u, receipt := ended.Result.Usage, status.Receipt(ended.Result)
			if !strings.HasPrefix(receipt, test.want) || u.AnswerTokens != test.tokens || u.AnswerMark != test.mark {
				t.Errorf("%s: the receipt is %q, not %q, and the usage %+v", name, receipt, test.want, u)
			}
		})
	}
}
