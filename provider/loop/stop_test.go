package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

func TestIterations(t *testing.T) {
	model := script(append(reads(2), reply{{Text: "What I have: two pages."}}))
	c := chat(model, toolbox{{"read_page", says("page")}})
	c.Limits.Iterations = 2
	story, ended := askFast(t, c, "Read")
	same(t, "story", story, `
		(Analyzing request…)
		(Selecting appropriate tools…)
		called: call_1 Read Page {"n":1} pending
		(Using Read Page…)
		finished: call_1 Read Page ok
		(Processing tool results…)
		(Selecting appropriate tools…)
		called: call_2 Read Page {"n":2} pending
		(Using Read Page…)
		finished: call_2 Read Page ok
		(Processing tool results…)
		(Formulating response…)
		text: What I have: two pages.
		notice: [Unable to complete task: 2 tool rounds used (limits.iterations = 2)]
		(Stopped: 2 tool rounds used)
		ended: iterations [Unable to complete task: 2 tool rounds used (limits.iterations = 2)]`)
	r := ended.Result
	if r.Stop.Limit != 2 || r.Answer != "What I have: two pages." || r.Rounds != 2 {
		t.Errorf("the result is %+v", r)
	}
	last := model.Requests()[2]
	if len(last.Tools) != 0 || !strings.Contains(last.Messages[len(last.Messages)-1].Text, "2 tool rounds used") {
		t.Errorf("the last request is %+v", last)
	}
	if strings.Contains(written(ended.Conversation), "Stop using tools") {
		t.Errorf("the conversation keeps what was only said once:\n%s", written(ended.Conversation))
	}
}

func TestResumeHasFreshLimits(t *testing.T) {
	model := &providertest.Script{Replies: append(append(reads(1), reply{{Text: "One page."}}),
		reply{calls(`read_page {"n":2}`)}, reply{{Text: "Two pages."}})}
	c := chat(model, toolbox{{"read_page", says("page")}})
	c.Limits.Iterations = 1
	_, ended := ask(t, c, "Read")
	_, ended = tell(t, c.Resume(t.Context(), ended.Conversation), nil)
	if r := ended.Result; r.Stop.Reason != provider.Iterations || r.Answer != "Two pages." || r.ToolCalls[0].ID != "call_2" {
		t.Errorf("the result is %+v", r)
	}
}

func TestLastRequestGivesNothing(t *testing.T) {
	for name, last := range map[string]reply{
		"nothing":  {},
		"calls":    {calls("read_page")},
		"an error": {{Err: &provider.Error{Text: "the server is on fire"}}},
		"a break":  {{Text: "So far"}, {Err: &provider.Error{Text: "it is on fire"}}},
	} {
		model := script(append(reads(1), last))
		c := chat(model, toolbox{{"read_page", says("page")}})
		c.Limits.Iterations = 1
		_, ended := ask(t, c, "Read")
		stop := ended.Result.Stop
		if stop.Reason != provider.Iterations || (ended.Result.Answer == "So far") != (name == "a break") ||
			!strings.Contains(stop.Detail, "no final answer") && !strings.Contains(stop.Detail, "on fire") {
			t.Errorf("after %s in the last reply the turn ended as %+v with %q", name, stop, ended.Result.Answer)
		}
	}
}

func TestErrors(t *testing.T) {
	model := script(replies{
		{calls("do_it")}, {calls("do_it")}, {calls("read_page")}, {calls("do_it")}, {calls("do_it")}, {calls("do_it")}, {{Text: "It fails."}},
	})
	tools := toolbox{{"do_it", fails("no such file\nat line 3")}, {"read_page", says("page")}}
	story, ended := askFast(t, chat(model, tools), "Go")
	if !strings.Contains(story, "(Tool Do It failed, trying alternative approach…)\n") {
		t.Errorf("the story does not tell of the failure:\n%s", story)
	}
	r := ended.Result
	if r.Stop.Reason != provider.Errors || r.Stop.Limit != 3 || r.Rounds != 6 || r.Answer != "It fails." {
		t.Errorf("the success in between did not count: %+v", r)
	}
	if want := "3 tool calls failed in a row, the last was Do It: no such file"; !strings.Contains(r.Stop.Detail, want) {
		t.Errorf("the detail is %q", r.Stop.Detail)
	}
	if !strings.Contains(story, "\n(Stopped: 3 tool calls failed in a row)\n") {
		t.Errorf("the line says again what the notice has said:\n%s", story)
	}
}

// The model must have seen one failure before failures end its turn, and a round with a success in it goes on.
func TestErrorsSpanTwoRounds(t *testing.T) {
	fail := func(n int) string { return fmt.Sprintf(`do_it {"n":%d}`, n) }
	for _, test := range []struct {
		rounds [][]string
		want   provider.Reason
		detail string
	}{
		{[][]string{{fail(1), fail(2), fail(3)}}, provider.Done, ""},
		{[][]string{{fail(1), fail(2), fail(3)}, {fail(4)}}, provider.Errors, "4 tool calls failed in a row, the last was Do It: n 4"},
		{[][]string{{fail(1), fail(2)}, {"read_page", fail(3), fail(4), fail(5)}}, provider.Done, ""},
		{[][]string{{fail(1), fail(2)}, {fail(3), fail(4), "read_page"}}, provider.Done, ""},
		{[][]string{{fail(1)}, {fail(2)}}, provider.Done, ""},
	} {
		model := &providertest.Script{}
		for _, round := range test.rounds {
			model.Replies = append(model.Replies, reply{calls(round...)})
		}
		model.Replies = append(model.Replies, reply{{Text: "Over."}})
		broken := func(_ context.Context, arguments string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
			return mcpclient.Result{Text: "n " + arguments[5:6], Failed: true}, nil
		}
		_, ended := ask(t, chat(model, toolbox{{"do_it", broken}, {"read_page", says("page")}}), "Go")
		stop := ended.Result.Stop
		if stop.Reason != test.want || !strings.Contains(stop.Detail, test.detail) || ended.Result.Answer != "Over." {
			t.Errorf("%v ended as %+v with %q", test.rounds, stop, ended.Result.Answer)
		}
		for _, call := range ended.Result.ToolCalls {
			if call.Status == provider.CallSkipped {
				t.Errorf("%v: a call was not run: %+v", test.rounds, call)
			}
		}
	}
}

func TestTimeUsedByATool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{{calls("read_slow", "do_more")}, {{Wait: 10 * time.Second, Text: "Too slow."}}})
		tools := toolbox{{"read_slow", takes(time.Hour, "slow")}, {"do_more", says("more")}}
		began := time.Now()
		_, ended := ask(t, chat(model, tools), "Go")
		if took := time.Since(began); took != 10*time.Minute+10*time.Second {
			t.Errorf("the turn took %v", took)
		}
		r := ended.Result
		if r.Stop.Reason != provider.Time || r.Stop.Limit != "10m0s" || r.Answer != "Too slow." {
			t.Errorf("the result is %+v", r)
		}
		if want := "[Unable to complete task: 10m00s of work used (limits.total_time = 10m0s)]"; r.Stop.Detail != want {
			t.Errorf("the detail is %q", r.Stop.Detail)
		}
		same(t, "conversation", written(ended.Conversation), `
			user: Go
			assistant: [call_1 box__read_slow {}] [call_2 box__do_more {}]
			tool call_1 box__read_slow failed partial: This call was cancelled while it ran; what it did until then is not known.
			tool call_2 box__do_more failed: This call was not run: 10m00s of work used.
			assistant: Too slow.`)
	})
}

func TestTimeUsedDuringAnAnswer(t *testing.T) {
	words := func(seconds int) reply {
		reply := reply{{Thinking: "Hm."}, {Wait: 9*time.Minute + 50*time.Second, Text: "Begin"}}
		for range seconds {
			reply = append(reply, step{Wait: time.Second, Text: "."})
		}
		return reply
	}
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{words(39)})
		_, ended := ask(t, chat(model, nil), "Go")
		if r := ended.Result; r.Stop.Reason != provider.Done || len(r.Answer) != 44 {
			t.Errorf("an answer of 29 seconds over the time gave %+v", r)
		}
		model = script(replies{words(60)})
		_, ended = ask(t, chat(model, nil), "Go")
		if r := ended.Result; r.Stop.Reason != provider.Time || !strings.HasPrefix(r.Answer, "Begin....") || len(model.Requests()) != 1 {
			t.Errorf("an answer of a minute over the time gave %+v after %d requests", r, len(model.Requests()))
		}
		if last := ended.Conversation.Messages()[1]; !last.Partial {
			t.Errorf("the answer is not marked as partial: %+v", last)
		}
	})
}

func TestTimeUsedByWordsBeforeACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{
			{{Thinking: "Hm."}, {Wait: 9*time.Minute + 55*time.Second, Text: "I look."}, {Wait: 10 * time.Second, Calls: calls("read_page").Calls}, {Block: true}},
			{{Text: "Nothing found."}},
		})
		began := time.Now()
		_, ended := ask(t, chat(model, toolbox{{"read_page", says("page")}}), "Go")
		if took := time.Since(began); took != 10*time.Minute+5*time.Second || ended.Result.Answer != "Nothing found." {
			t.Errorf("words before a call were taken for the answer: %v, %q", took, ended.Result.Answer)
		}
	})
}

func TestTimeUsedByThinking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{{{Thinking: "Hm."}, {Block: true}}, {{Block: true}}})
		began := time.Now()
		_, ended := ask(t, chat(model, nil), "Go")
		if took := time.Since(began); took != 10*time.Minute+30*time.Second {
			t.Errorf("the turn took %v", took)
		}
		r := ended.Result
		if r.Stop.Reason != provider.Time || r.Answer != "" || !strings.Contains(r.Stop.Detail, "no final answer") {
			t.Errorf("the result is %+v", r)
		}
		if second := model.Requests()[1]; len(second.Messages) != 2 || !strings.HasPrefix(second.Messages[1].Text, "Go\n\nStop using tools") {
			t.Errorf("the last request carries a reply that says nothing: %+v", second.Messages)
		}
	})
}

func TestLastAnswerHasTime(t *testing.T) {
	long := reply{{Wait: 25 * time.Second, Thinking: "Hm."}, {Wait: time.Second, Text: "One page."}}
	loading := reply{{Phase: provider.PhaseLoading}, {Wait: 9 * time.Minute, Phase: provider.PhaseReading}, {Wait: 25 * time.Second, Text: "One page."}}
	for _, test := range []struct {
		tool time.Duration
		last reply
		want provider.Reason
	}{
		{599 * time.Second, long, provider.Iterations},
		{599 * time.Second, loading, provider.Iterations},
		{time.Hour, long, provider.Time},
		{time.Hour, loading, provider.Time},
	} {
		synctest.Test(t, func(t *testing.T) {
			model := script(append(reads(1), test.last))
			c := chat(model, toolbox{{"read_page", takes(test.tool, "page")}})
			c.Limits.Iterations = 1
			_, ended := ask(t, c, "Read")
			if r := ended.Result; r.Stop.Reason != test.want || r.Answer != "One page." {
				t.Errorf("after a tool of %v the turn ended as %+v with %q", test.tool, r.Stop, r.Answer)
			}
		})
	}
}

func TestLastRequestLearnsFromARefusal(t *testing.T) {
	tooLong := &provider.Error{Kind: provider.KindTooLong, Text: "the input length exceeds the context length"}
	model := script(append(reads(1), reply{{Err: tooLong}}, reply{{Text: "One page."}}))
	c := chat(model, toolbox{{"read_page", says("page")}})
	c.Limits.Iterations = 1
	_, ended := ask(t, c, "Read")
	if r := ended.Result; r.Answer != "One page." || r.Usage.ContextSize != 16384 {
		t.Errorf("the result is %+v", r)
	}
}

func TestClockStandsStillWhileAPersonIsAsked(t *testing.T) {
	model := script(replies{{calls("do_it")}, {{Text: "Done."}}})
	c := chat(model, toolbox{{"do_it", takes(time.Minute, "done")}})
	c.Policy = mcpclient.NewPolicy(mcpclient.ApprovalAsk, nil, nil, nil)
	_, ended := askFast(t, c, "Go", func(a provider.Asked) {
		time.Sleep(time.Hour)
		a.Answer(provider.Decision{Allow: true})
	})
	if ms := ended.Result.Timing.Tools; ended.Result.Stop.Reason != provider.Done || ms != 60_000 {
		t.Errorf("after %d ms of tools the turn ended as %+v", ms, ended.Result.Stop)
	}
}

func TestInvalidTool(t *testing.T) {
	tools := toolbox{{"write_file", says("")}, {"read_file", says("")}, {"list", says("")}, {"search", says("")}}
	for _, test := range []struct {
		rounds [][]string
		want   provider.Reason
	}{
		{[][]string{{"red_fil", "red_fil"}, {"red_fil"}}, provider.InvalidTool},
		{[][]string{{"red_fil"}, {"raed_file"}, {"red_fil"}}, provider.InvalidTool},
		{[][]string{{"red_fil"}, {"raed_file"}}, provider.Done},
		{[][]string{{"red_fil"}, {"list"}, {"red_fil"}}, provider.Done},
		{[][]string{{"red_fil"}, {"red_fil", "list"}}, provider.Done},
		{[][]string{{"red_fil", "list"}, {"red_fil"}}, provider.InvalidTool},
	} {
		model := &providertest.Script{}
		for _, round := range test.rounds {
			model.Replies = append(model.Replies, reply{calls(round...)})
		}
		model.Replies = append(model.Replies, reply{{Text: "I have no such tool."}})
		c := chat(model, tools)
		c.Limits.ConsecutiveErrors = 9
		_, ended := ask(t, c, "Go")
		r := ended.Result
		if r.Stop.Reason != test.want || r.Stop.Limit != nil || r.Answer != "I have no such tool." {
			t.Errorf("%v ended as %+v", test.rounds, r)
		}
		if want := `the model called "box__red_fil" again, a tool that does not exist`; test.want == provider.InvalidTool && !strings.Contains(r.Stop.Detail, want) {
			t.Errorf("the detail is %q", r.Stop.Detail)
		}
		if want := `There is no tool "box__red_fil". The nearest are: box__read_file, `; !strings.HasPrefix(r.ToolCalls[0].Result, want) {
			t.Errorf("the model was told %q", r.ToolCalls[0].Result)
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
		note := func(_ context.Context, arguments string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
			got = arguments
			return mcpclient.Result{Text: "ok"}, nil
		}
		call := provider.Call{Name: "box__read_file", Arguments: json.RawMessage(sent)}
		model := script(replies{{{Calls: []provider.Call{call}}}, {{Text: "Done."}}})
		_, ended := ask(t, chat(model, toolbox{{"read_file", note}}), "Go")
		if got != want {
			t.Errorf("%s reached the tool as %s", sent, got)
		}
		made := ended.Result.ToolCalls[0]
		if want == "" && (made.Status != provider.CallError || !strings.Contains(made.Error, "not a JSON object")) {
			t.Errorf("%s gave %+v", sent, made)
		}
		if _, err := json.Marshal(ended.Result); err != nil {
			t.Errorf("the result with %s is no JSON: %v", sent, err)
		}
	}
}

func TestGaveUp(t *testing.T) {
	const said = " [cannot]: There is no camera."
	for i := range said { // cut at every place
		model := script(replies{{{Text: said[:i]}, {Text: said[i:]}}})
		story, ended := ask(t, chat(model, nil), "Look")
		same(t, "story", story, `
			(Analyzing request…)
			(Formulating response…)
			text: There is no camera.
			(Stopped: the model says that it cannot do this)
			ended: gave_up the model says that it cannot do this`)
		if ended.Result.Answer != "There is no camera." {
			t.Errorf("the answer is %q", ended.Result.Answer)
		}
	}
}

func TestAnswersThatOnlyLookLikeGivingUp(t *testing.T) {
	for _, said := range []string{"[", "[can", "[cannon] fires", "  [x]", "I [cannot]", "[cannot"} {
		var reply reply
		for _, r := range said {
			reply = append(reply, step{Text: string(r)})
		}
		shown := ""
		var ended provider.Ended
		for event := range events(t, chat(script(replies{reply}), nil).Send(t.Context(), provider.Conversation{}, "Hi")) {
			switch e := event.(type) {
			case provider.Text:
				shown += e.Delta
			case provider.Ended:
				ended = e
			}
		}
		if shown != said || ended.Result.Answer != said || ended.Result.Stop.Reason != provider.Done {
			t.Errorf("%q was shown as %q and ended as %+v", said, shown, ended.Result)
		}
	}
}

func TestWhiteSpaceIsNotKeptBackForEver(t *testing.T) {
	var reply reply
	for range 1000 {
		reply = append(reply, step{Text: "\n"})
	}
	pieces := 0
	for event := range events(t, chat(&providertest.Script{Replies: replies{reply}, Forever: true}, nil).Send(t.Context(), provider.Conversation{}, "Hi")) {
		if _, ok := event.(provider.Text); ok {
			pieces++
		}
	}
	if pieces < 700 {
		t.Errorf("1,000 lines came in %d pieces", pieces)
	}
}

func TestDenied(t *testing.T) {
	model := script(replies{{{Text: "I delete."}, calls("do_delete", "do_more")}})
	c := chat(model, toolbox{{"do_delete", says("gone")}, {"do_more", says("more")}})
	c.Policy = nil
	story, ended := ask(t, c, "Go", decide(provider.Decision{}))
	same(t, "story", story, `
		(Analyzing request…)
		(Formulating response…)
		text: I delete.
		(Selecting appropriate tools…)
		called: call_1 Do Delete {} pending
		called: call_2 Do More {} pending
		(Waiting for your approval)
		asked: Do Delete box.do_delete
		finished: call_1 Do Delete denied
		finished: call_2 Do More skipped
		(Stopped: Do Delete was refused)
		ended: denied Do Delete was refused`)
	same(t, "conversation", written(ended.Conversation), `
		user: Go
		assistant: I delete. [call_1 box__do_delete {}] [call_2 box__do_more {}]
		tool call_1 box__do_delete failed: The user refused this call.
		tool call_2 box__do_more failed: This call was not run: Do Delete was refused.`)
}

func TestDeniedWithAReasonGoesOn(t *testing.T) {
	model := script(replies{{calls("do_delete")}, {{Text: "Then not."}}})
	c := chat(model, toolbox{{"do_delete", says("gone")}})
	c.Policy = nil
	_, ended := ask(t, c, "Go", decide(provider.Decision{Reason: "make a copy first"}))
	r := ended.Result
	if r.Stop.Reason != provider.Done || r.ToolCalls[0].Status != provider.CallDenied || !strings.Contains(r.ToolCalls[0].Result, "make a copy first") {
		t.Errorf("the result is %+v", r)
	}
}

// Where nobody can be asked the model may still find another way.
func TestNobodyToAsk(t *testing.T) {
	for reason, replies := range map[provider.Reason]replies{
		provider.Denied: {{calls("do_delete", "read_file")}, {{Text: "42"}}},
		provider.Done:   {{calls("do_delete")}, {calls("read_file")}, {{Text: "42"}}},
	} {
		c := chat(script(replies), toolbox{{"do_delete", says("gone")}, {"read_file", says("42")}})
		c.Policy, c.Interactive = nil, false
		story, ended := ask(t, c, "Go")
		r := ended.Result
		if r.ToolCalls[0].Status != provider.CallDenied || r.ToolCalls[1].Status != provider.CallOK || r.Stop.Reason != reason || r.Answer != "42" {
			t.Errorf("the result is %+v", r)
		}
		if !strings.Contains(story, "notice: Do Delete was not run: aloud cannot ask for approval here.") {
			t.Errorf("the story does not say it:\n%s", story)
		}
	}
}

func TestForbiddenByTheConfiguration(t *testing.T) {
	model := script(replies{{calls("do_delete")}, {{Text: "Not allowed."}}})
	c := chat(model, toolbox{{"do_delete", says("gone")}})
	c.Policy = mcpclient.NewPolicy(mcpclient.ApprovalAll, nil, []string{"*.do_delete"}, nil)
	story, ended := ask(t, c, "Go")
	if call := ended.Result.ToolCalls[0]; call.Status != provider.CallDenied || strings.Contains(story, "asked") || ended.Result.Stop.Reason != provider.Done {
		t.Errorf("the call is %+v in\n%s", call, story)
	}
}
