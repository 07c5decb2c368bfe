package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
)

func TestIterations(t *testing.T) {
	model := script(append(reads(2), reply{{Text: "What I have: two pages."}}))
	c := chat(model, toolbox{{"read_page", says("page")}})
	c.Limits.Iterations = 2
	story, ended := askFast(t, c, "Read")
	hasAll(t, story, "notice: [Unable to complete task: 2 tool rounds used (limits.iterations = 2)]\n"+
		"(Stopped: 2 tool rounds used)\nended: iterations [Unable")
	endsAs(t, ended, event.Iterations, "What I have: two pages.")
	if r := ended.Result; r.Stop.Limit != 2 || r.Rounds != 2 {
		t.Errorf("the result is %+v", r)
	}
	request := model.Requests()[2]
	hasAll(t, last(request.Messages).Text, "2 tool rounds used")
	if len(request.Tools) != 0 || strings.Contains(written(ended.Conversation), "Stop using tools") {
		t.Errorf("the last request is %+v, and the conversation\n%s", request, written(ended.Conversation))
	}
}

func TestResumeHasFreshLimits(t *testing.T) {
	more := replies{{{Text: "One page."}}, {calls(`read_page {"n":2}`)}, {{Text: "Two pages."}}}
	model := script(append(reads(1), more...))
	c := chat(model, toolbox{{"read_page", says("page")}})
	c.Limits.Iterations = 1
	_, ended := ask(t, c, "Read")
	_, ended = tell(t, c.SendAll(t.Context(), ended.Conversation), nil)
	endsAs(t, ended, event.Iterations, "Two pages.", event.CallOK)
	if id := ended.Result.ToolCalls[0].ID; id != "call_2" {
		t.Errorf("the call has the id %s", id)
	}
}

func TestLastRequestGivesNoAnswer(t *testing.T) {
	onFire := &provider.Error{Text: "the server is on fire"}
	for name, test := range map[string]struct {
		last           reply
		answer, detail string
	}{
		"nothing":  {reply{}, "", "no final answer"},
		"calls":    {reply{calls("read_page")}, "", "no final answer"},
		"an error": {reply{{Err: onFire}}, "", "on fire"},
		"a break":  {reply{{Text: "So far"}, {Err: onFire}}, "So far", "on fire"},
	} {
		t.Run(name, func(t *testing.T) {
			c := chat(script(append(reads(1), test.last)), toolbox{{"read_page", says("page")}})
			c.Limits.Iterations = 1
			_, ended := ask(t, c, "Read")
			endsAs(t, ended, event.Iterations, test.answer)
			hasAll(t, ended.Result.Stop.Detail, test.detail)
		})
	}
}

// rounds returns a reply for each list of calls, and then an answer.
func rounds(lists [][]string) *providertest.Script {
	model := &providertest.Script{}
	for _, list := range lists {
		model.Replies = append(model.Replies, reply{calls(list...)})
	}
	model.Replies = append(model.Replies, reply{{Text: "Over."}})
	return model
}

func TestErrors(t *testing.T) {
	model := rounds([][]string{{"do_it"}, {"do_it"}, {"read_page"}, {"do_it"}, {"do_it"}, {"do_it"}})
	tools := toolbox{{"do_it", fails("no such file\nat line 3")}, {"read_page", says("page")}}
	story, ended := askFast(t, chat(model, tools), "Go")
	hasAll(t, story, "(Tool Do It failed, trying alternative approach…)\n", "\n(Stopped: 3 tool calls failed in a row)\n")
	endsAs(t, ended, event.Errors, "Over.")
	if r := ended.Result; r.Stop.Limit != 3 || r.Rounds != 6 {
		t.Errorf("the success in between did not count: %+v", r)
	}
	hasAll(t, ended.Result.Stop.Detail, "3 tool calls failed in a row, the last was Do It: no such file")
}

// The model must have seen one failure before failures end its turn, and a round with a success continues.
func TestErrorsSpanTwoRounds(t *testing.T) {
	fail := func(n int) string { return fmt.Sprintf(`do_it {"n":%d}`, n) }
	for _, test := range []struct {
		rounds [][]string
		want   event.Reason
		detail string
	}{
		{[][]string{{fail(1), fail(2), fail(3)}}, event.Done, ""},
		{[][]string{{fail(1), fail(2), fail(3)}, {fail(4)}}, event.Errors, "4 tool calls failed in a row, the last was "},
		{[][]string{{fail(1), fail(2)}, {"read_page", fail(3), fail(4), fail(5)}}, event.Done, ""},
		{[][]string{{fail(1), fail(2)}, {fail(3), fail(4), "read_page"}}, event.Done, ""},
		{[][]string{{fail(1)}, {fail(2)}}, event.Done, ""},
	} {
		broken := func(_ context.Context, arguments string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
			return mcpclient.Result{Text: "n " + arguments[5:6], Failed: true}, nil
		}
		_, ended := ask(t, chat(rounds(test.rounds), toolbox{{"do_it", broken}, {"read_page", says("page")}}), "Go")
		endsAs(t, ended, test.want, "Over.")
		hasAll(t, ended.Result.Stop.Detail, test.detail)
		if strings.Contains(becameOf(ended.Result), "skipped") {
			t.Errorf("%v: the calls became %s", test.rounds, becameOf(ended.Result))
		}
	}
}

func TestTimeUsedByATool(t *testing.T) {
	model := script(replies{{calls("read_slow", "do_more")}, {{Wait: 10 * time.Second, Text: "Too slow."}}})
	tools := toolbox{{"read_slow", takes(time.Hour, "slow")}, {"do_more", says("more")}}
	_, ended := askFast(t, chat(model, tools), "Go")
	endsAs(t, ended, event.Time, "Too slow.")
	r := ended.Result
	if r.Timing.Total != 610_000 || r.Stop.Limit != "10m0s" {
		t.Errorf("after %d ms it ended as %+v", r.Timing.Total, r.Stop)
	}
	if want := "[Unable to complete task: 10m00s of work used (limits.total_time = 10m0s)]"; r.Stop.Detail != want {
		t.Errorf("the detail is %q", r.Stop.Detail)
	}
	same(t, "conversation", written(ended.Conversation), `
		user: Go
		assistant: [call_1 box__read_slow {}] [call_2 box__do_more {}]
		tool call_1 box__read_slow failed partial: This call was cancelled while it ran; its effects are unknown.
		tool call_2 box__do_more failed: This call was not run: 10m00s of work used.
		assistant: Too slow.`)
}

func TestTimeUsedDuringAnAnswer(t *testing.T) {
	for seconds, want := range map[int]event.Reason{39: event.Done, 60: event.Time} { // the turn gets 40 more
		words := reply{{Thinking: "Hm."}, {Wait: 9*time.Minute + 50*time.Second, Text: "Begin"}}
		for range seconds {
			words = append(words, step{Wait: time.Second, Text: "."})
		}
		model := script(replies{words})
		_, ended := askFast(t, chat(model, nil), "Go")
		r, kept := ended.Result, last(ended.Conversation.Messages())
		if n := len(model.Requests()); r.Stop.Reason != want || n != 1 || kept.Partial != (want == event.Time) {
			t.Errorf("after %d requests it ended as %+v with %+v", n, r.Stop, kept)
		}
		hasAll(t, r.Answer, "Begin...........................")
	}
}

// Text before a call is not an answer that may be finished.
func TestTimeUsedByWordsBeforeACall(t *testing.T) {
	wait := step{Wait: 10 * time.Second, Calls: calls("read_page").Calls}
	model := script(replies{
		{{Thinking: "Hm."}, {Wait: 9*time.Minute + 55*time.Second, Text: "I look."}, wait, {Block: true}},
		{{Text: "Nothing found."}},
	})
	_, ended := askFast(t, chat(model, toolbox{{"read_page", says("page")}}), "Go")
	endsAs(t, ended, event.Time, "Nothing found.")
	if ms := ended.Result.Timing.Total; ms != 605_000 {
		t.Errorf("the turn took %d ms", ms)
	}
}

func TestTimeUsedByThinking(t *testing.T) {
	model := script(replies{{{Thinking: "Hm."}, {Block: true}}, {{Block: true}}})
	_, ended := askFast(t, chat(model, nil), "Go")
	endsAs(t, ended, event.Time, "")
	hasAll(t, ended.Result.Stop.Detail, "no final answer")
	second := model.Requests()[1].Messages // without the reply that has only thinking
	if ms := ended.Result.Timing.Total; ms != 630_000 || len(second) != 2 {
		t.Errorf("the turn took %d ms, and the last request was %+v", ms, second)
	}
	hasAll(t, last(second).Text, "Go\n\nStop using tools")
}

func TestLastAnswerHasTime(t *testing.T) {
	long := reply{{Wait: 25 * time.Second, Thinking: "Hm."}, {Wait: time.Second, Text: "One page."}}
	loading := append(reply{
		{Phase: provider.PhaseLoading}, {Wait: 9 * time.Minute, Phase: provider.PhaseReading},
	}, long...)
	stray := reply{{Wait: 10 * time.Second, Text: "Hm.\n</think>\n\nOne "}, {Wait: 10 * time.Second, Text: "page."}}
	for _, test := range []struct {
		tool function
		last reply
		want event.Reason
	}{
		{takes(599*time.Second, "page"), long, event.Iterations},
		{takes(599*time.Second, "page"), loading, event.Iterations},
		{takes(time.Hour, "page"), long, event.Time},
		{takes(time.Hour, "page"), loading, event.Time},
		{uncancelled(10*time.Minute + 50*time.Second), long, event.Time},
		{uncancelled(10*time.Minute + 50*time.Second), stray, event.Time},
	} {
		c := chat(script(append(reads(1), test.last)), toolbox{{"read_page", test.tool}})
		c.Limits.Iterations = 1
		_, ended := askFast(t, c, "Read")
		endsAs(t, ended, test.want, "One page.")
	}
}

func TestLastRequestAdaptsToRefusal(t *testing.T) {
	tooLong := &provider.Error{Kind: provider.KindTooLong, Text: "the input length exceeds the context length"}
	model := script(append(reads(1), reply{{Err: tooLong}}, reply{{Text: "One page."}}))
	c := chat(model, toolbox{{"read_page", says("page")}})
	c.Limits.Iterations = 1
	_, ended := ask(t, c, "Read")
	if r := ended.Result; r.Answer != "One page." || r.Usage.ContextSize != 16384 {
		t.Errorf("the result is %+v", r)
	}
}

func TestClockStopsDuringApproval(t *testing.T) {
	c := chat(rounds([][]string{{"do_it"}}), toolbox{{"do_it", takes(time.Minute, "done")}})
	c.Policy = nil
	_, ended := askFast(t, c, "Go", func(a event.Asked) {
		time.Sleep(time.Hour)
		a.Answer(event.Decision{Allow: true})
	})
	endsAs(t, ended, event.Done, "Over.", event.CallOK)
	if ms := ended.Result.Timing.Tools; ms != 60_000 {
		t.Errorf("the tools took %d ms", ms)
	}
}

func TestInvalidTool(t *testing.T) {
	tools := toolbox{{"write_file", says("")}, {"read_file", says("")}, {"list", says("")}, {"search", says("")}}
	for _, test := range []struct {
		rounds [][]string
		want   event.Reason
	}{
		{[][]string{{"red_fil", "red_fil"}, {"red_fil"}}, event.InvalidTool},
		{[][]string{{"red_fil"}, {"raed_file"}, {"red_fil"}}, event.InvalidTool},
		{[][]string{{"red_fil"}, {"raed_file"}}, event.Done},
		{[][]string{{"red_fil"}, {"list"}, {"red_fil"}}, event.Done},
		{[][]string{{"red_fil"}, {"red_fil", "list"}}, event.Done},
		{[][]string{{"red_fil", "list"}, {"red_fil"}}, event.InvalidTool},
	} {
		c := chat(rounds(test.rounds), tools)
		c.Limits.ConsecutiveErrors = 9
		_, ended := ask(t, c, "Go")
		endsAs(t, ended, test.want, "Over.")
		if test.want == event.InvalidTool {
			hasAll(t, ended.Result.Stop.Detail, `the model called "box__red_fil" again, a tool that does not exist`)
		}
		const told = "There is no tool \"box__red_fil\"."
		hasAll(t, ended.Result.ToolCalls[0].Result, told+"\nThe nearest are: box__read_file, ")
		if why := ended.Result.ToolCalls[0].Error; why != told { // without the advice for the model
			t.Errorf("the error is %q", why)
		}
	}
}

func TestArguments(t *testing.T) {
	for sent, want := range map[string]string{
		``:                       `{}`,
		`null`:                   `{}`,
		` {"a":1} `:              `{"a":1}`,
		`"{\"a\":1}"`:            `{"a":1}`,
		`{"a":`:                  ``,
		`[1,2]`:                  ``,
		`"hello"`:                ``,
		`{"n":1234567890123456}`: `{"n":1234567890123456}`,
	} {
		got := ""
		tools := toolbox{{"read_file", does(func(arguments string) string { got = arguments; return "ok" })}}
		_, ended := ask(t, chat(script(replies{wants("box__read_file", sent), {{Text: "Done."}}}), tools), "Go")
		if got != want {
			t.Errorf("%s reached the tool as %s", sent, got)
		}
		if call := ended.Result.ToolCalls[0]; want == "" {
			hasAll(t, string(call.Status)+call.Error, "error", "JSON")
		}
		if _, err := json.Marshal(ended.Result); err != nil {
			t.Errorf("the result with %s is not JSON: %v", sent, err)
		}
	}
}

func TestGaveUp(t *testing.T) {
	const said = " [cannot]: There is no camera."
	for i := range said { // cut at every byte
		story, ended := ask(t, chat(script(replies{{{Text: said[:i]}, {Text: said[i:]}}}), nil), "Look")
		same(t, "story", story, `
			(Analyzing request…)
			(Formulating response…)
			text: There is no camera.
			(Stopped: the model says that it cannot do this)
			ended: gave_up the model says that it cannot do this`)
		endsAs(t, ended, event.GaveUp, "There is no camera.")
	}
}

// shownText returns the text shown in a turn, the number of its pieces, and the end.
func shownText(t *testing.T, c *loop.Chat) (shown string, pieces int, ended event.Ended) {
	t.Helper()
	for ev := range events(t, c.Send(t.Context(), provider.Conversation{}, "Hi")) {
		switch e := ev.(type) {
		case event.Text:
			shown += e.Delta
			pieces++
		case event.Ended:
			ended = e
		}
	}
	return shown, pieces, ended
}

func TestAnswersThatOnlyLookLikeGivingUp(t *testing.T) {
	for _, said := range []string{"[", "[can", "[cannon] fires", "  [x]", "I [cannot]", "[cannot"} {
		var letters reply
		for _, r := range said {
			letters = append(letters, step{Text: string(r)})
		}
		shown, _, ended := shownText(t, chat(script(replies{letters}), nil))
		endsAs(t, ended, event.Done, said)
		if shown != said {
			t.Errorf("%q was shown as %q", said, shown)
		}
	}
}

func TestWhiteSpaceIsNotHeldForever(t *testing.T) {
	lines := make(reply, 1000)
	for i := range lines {
		lines[i].Text = "\n"
	}
	model := &providertest.Script{Replies: replies{lines}, Forever: true}
	if _, pieces, _ := shownText(t, chat(model, nil)); pieces < 700 {
		t.Errorf("1,000 lines came in %d pieces", pieces)
	}
}

func TestDenied(t *testing.T) {
	model := script(replies{{{Text: "I delete."}, calls("do_delete", "do_more")}})
	c := chat(model, toolbox{{"do_delete", says("gone")}, {"do_more", says("more")}})
	c.Policy = nil
	story, ended := ask(t, c, "Go", decide(event.Decision{}))
	hasAll(t, story, "asked: Do Delete box.do_delete\nfinished: call_1 Do Delete denied\n"+
		"finished: call_2 Do More skipped\n(Stopped: Do Delete was refused)\nended: denied Do Delete was refused\n")
	model.Replies = replies{{}, {{Text: "Without it, then."}}}
	_, ended = tell(t, c.SendAll(t.Context(), ended.Conversation), nil)
	same(t, "conversation", written(ended.Conversation), `
		user: Go
		assistant: I delete. [call_1 box__do_delete {}] [call_2 box__do_more {}]
		tool call_1 box__do_delete failed: The user refused this call.
		tool call_2 box__do_more failed: This call was not run: Do Delete was refused.
		assistant: Without it, then.`)
}

func TestDeniedWithReasonContinues(t *testing.T) {
	c := chat(rounds([][]string{{"do_delete"}}), toolbox{{"do_delete", says("gone")}})
	c.Policy = nil
	_, ended := ask(t, c, "Go", decide(event.Decision{Reason: "make a copy first"}))
	endsAs(t, ended, event.Done, "Over.", event.CallDenied)
	hasAll(t, ended.Result.ToolCalls[0].Result, "make a copy first")
}

// If aloud cannot ask, the model may still try another way.
func TestNotInteractive(t *testing.T) {
	for reason, lists := range map[event.Reason][][]string{
		event.Denied: {{"do_delete", "read_file"}},
		event.Done:   {{"do_delete"}, {"read_file"}},
	} {
		c := chat(rounds(lists), toolbox{{"do_delete", says("gone")}, {"read_file", says("42")}})
		c.Policy, c.Interactive = nil, false
		story, ended := ask(t, c, "Go")
		endsAs(t, ended, reason, "Over.", event.CallDenied, event.CallOK)
		hasAll(t, story, "notice: Do Delete was not run: aloud cannot ask for approval here.")
	}
}

func TestForbiddenByTheConfiguration(t *testing.T) {
	c := chat(rounds([][]string{{"do_delete"}}), toolbox{{"do_delete", says("gone")}})
	c.Policy = mcpclient.NewPolicy(mcpclient.ApprovalAll, nil, []string{"*.do_delete"}, nil)
	story, ended := ask(t, c, "Go")
	endsAs(t, ended, event.Done, "Over.", event.CallDenied)
	if strings.Contains(story, "asked") {
		t.Errorf("the story is\n%s", story)
	}
}
