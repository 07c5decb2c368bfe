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
	"github.com/aloudchat/aloud/provider/providertest"
)

// gives is a tool that returns the results in order, and then repeats the last one.
func gives(ran *int, results ...mcpclient.Result) function {
	return func(context.Context, string, func(mcpclient.Progress)) (mcpclient.Result, error) {
		*ran++
		return results[min(*ran, len(results))-1], nil
	}
}

func texts(all ...string) []mcpclient.Result {
	results := make([]mcpclient.Result, len(all))
	for i, text := range all {
		results[i].Text = text
	}
	return results
}

// becameOf returns the statuses of a turn's calls, such as "[ok cached]".
func becameOf(r event.Result) string {
	var all []event.CallStatus
	for _, call := range r.ToolCalls {
		all = append(all, call.Status)
	}
	return fmt.Sprint(all)
}

func TestRepeatedCalls(t *testing.T) {
	same := texts("page")
	polls := texts("0 %", "0 %", "50 %", "50 %", "50 %", "done")
	moving := texts("0 %", "50 %", "50 %", "80 %", "80 %", "done")
	lines, pictures := texts("1", "2", "3", "4", "5"), texts("image", "image", "image", "image")
	for i := range pictures {
		pictures[i].Images = [][]byte{{byte(i)}}
	}
	for name, test := range map[string]struct {
		tool    string
		results []mcpclient.Result
		rounds  int // rounds with the same call; then the model answers
		became  string
		ran     int
		stop    event.Reason
	}{
		"a poll":                        {"read_status", polls, 6, "[ok ok ok ok ok skipped]", 5, event.Done},
		"a poll that moves":             {"read_status", moving, 6, "[ok ok ok ok ok ok]", 6, event.Done},
		"a step that always says ok":    {"do_step", same, 3, "[ok ok ok]", 3, event.Done},
		"a step that changes something": {"do_step", lines, 5, "[ok ok ok ok ok]", 5, event.Done},
		"a reading that never changes":  {"read_page", same, 9, "[ok ok ok skipped skipped]", 3, event.Iterations},
		"a step that never changes":     {"do_step", same, 9, "[ok ok ok skipped skipped]", 3, event.Iterations},
		"a setting that never changes":  {"set_mode", same, 9, "[ok ok ok skipped skipped]", 3, event.Iterations},
		"a picture that changes":        {"read_screen", pictures, 4, "[ok ok ok ok]", 4, event.Done},
		"what is known":                 {"know_page", same, 9, "[ok cached cached skipped skipped]", 1, event.Iterations},
	} {
		ran := 0
		model := &providertest.Script{Models: []provider.Info{{Name: "test:1b", Tools: true, Vision: true, Context: 32768}}}
		for i := range test.rounds {
			model.Replies = append(model.Replies, reply{calls(test.tool + []string{` {"a":1,"b":2}`, ` {"b":2,"a":1}`}[i%2])})
		}
		stopped := strings.Count(test.became, " ") + 1
		model.Replies = append(model.Replies[:min(stopped, test.rounds)], reply{{Text: "Over."}})
		_, ended := ask(t, chat(model, toolbox{{test.tool, gives(&ran, test.results...)}}), "Go")
		r := ended.Result
		if becameOf(r) != test.became || ran != test.ran || r.Stop.Reason != test.stop || r.Answer != "Over." {
			t.Errorf("%s: the calls became %s, %d ran, and the turn ended as %+v", name, becameOf(r), ran, r.Stop)
		}
		if test.stop == event.Iterations {
			hasAll(t, fmt.Sprint(r.Stop.Limit, r.ToolCalls[3].Result), "5", "the same result three times")
		}
	}
}

// Only the repeated call is skipped, not the other calls of its tool.
func TestOtherCallsOfRepeatedToolRun(t *testing.T) {
	again := reply{calls(`do_press {"key":"Tab"}`)}
	both := reply{calls(`do_press {"key":"Tab"}`, `do_press {"key":"Enter"}`)}
	model := script(replies{again, again, again, both, again, {{Text: "Done."}}})
	ran := 0
	_, ended := ask(t, chat(model, toolbox{{"do_press", gives(&ran, texts("pressed")...)}}), "Go")
	if r := ended.Result; becameOf(r) != "[ok ok ok skipped ok ok]" || r.Stop.Reason != event.Done {
		t.Errorf("the calls became %s, and the turn ended as %+v", becameOf(r), r.Stop)
	}
}

// Hints of untrusted servers do not prevent a call.
func TestUntrustedToolsAreNotCached(t *testing.T) {
	again := reply{calls("know_page")}
	model := script(replies{again, again, {{Text: "Done."}}})
	ran := 0
	c := chat(model, nil)
	c.Tools = strangers{toolbox{{"know_page", gives(&ran, texts("old", "new")...)}}}
	_, ended := ask(t, c, "Go")
	if ran != 2 || ended.Result.ToolCalls[1].Result != "new" {
		t.Errorf("%d calls ran: %+v", ran, ended.Result.ToolCalls)
	}
}

func TestReadAfterWriteRuns(t *testing.T) {
	know, write := reply{calls("know_file")}, reply{calls("do_write")}
	model := script(replies{know, know, write, know, know, {{Text: "Done."}}})
	text := "old"
	tools := toolbox{
		{"know_file", does(func(string) string { return text })},
		{"do_write", does(func(string) string { text = "new"; return "written" })},
	}
	_, ended := ask(t, chat(model, tools), "Go")
	if r := ended.Result; becameOf(r) != "[ok cached ok ok cached]" || r.ToolCalls[3].Result != "new" {
		t.Errorf("the calls are %+v", r.ToolCalls)
	}
}

// Equal calls of one reply run once, and each gets the result.
func TestEqualCallsRunOnce(t *testing.T) {
	for _, tool := range []string{"read_file", "know_file", "do_write"} {
		model := script(replies{
			{calls(tool+` {"a":1,"b":2}`, tool+` {"b":2,"a":1}`, tool+` {"a":2}`, tool+` {"a":1,"b":2}`)}, {{Text: "Done."}},
		})
		made := make(chan string, 9)
		tools := toolbox{{tool, does(func(arguments string) string {
			made <- arguments
			return fmt.Sprint("gave ", len(arguments))
		})}}
		_, ended := ask(t, chat(model, tools), "Go")
		if len(made) != 2 || becameOf(ended.Result) != "[ok cached ok cached]" {
			t.Errorf("%d calls were made: %s", len(made), becameOf(ended.Result))
		}
		shorter := strings.NewReplacer("box__"+tool, "it", "call_", "")
		same(t, "conversation", shorter.Replace(written(ended.Conversation)), `
			user: Go
			assistant: [1 it {"a":1,"b":2}] [2 it {"b":2,"a":1}] [3 it {"a":2}] [4 it {"a":1,"b":2}]
			tool 1 it: gave 13
			tool 2 it: gave 13
			tool 3 it: gave 7
			tool 4 it: gave 13
			assistant: Done.`)
	}
}

// drawing is a toolbox with previews.
type drawing struct {
	toolbox
	draw func() string
}

func (d drawing) Preview(context.Context, string, json.RawMessage) (diff, basis string, err error) {
	return d.draw(), "", nil
}

// Writes to the same file must not run at the same time, and the second diff shows the result of the first.
func TestWritesRunInOrderWithCurrentPreview(t *testing.T) {
	model := script(replies{{calls(`set_file {"to":"one"}`, "read_file", `set_file {"to":"two"}`)}, {{Text: "Done."}}})
	file := "empty"
	write := does(func(arguments string) string {
		before := file
		time.Sleep(time.Second)
		if file != before {
			t.Error("two writes ran at the same time")
		}
		file = arguments[7:10]
		return "written"
	})
	c := chat(model, nil)
	look := func() string { return file }
	readFile := does(func(string) string { return look() })
	c.Tools = drawing{toolbox{{"set_file", write}, {"read_file", readFile}}, look}
	c.Policy = nil
	var drawn []string
	_, ended := askFast(t, c, "Go", func(a event.Asked) {
		drawn = append(drawn, a.Diff)
		a.Answer(event.Decision{Allow: true})
	})
	read := ended.Result.ToolCalls[1].Result
	if fmt.Sprint(drawn) != "[empty one]" || file != "two" || read != "one" {
		t.Errorf("the diffs were drawn of %v, the file has %q, and was read as %q", drawn, file, read)
	}
}
