package loop_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// numbered is a result of numbered lines that is cut, with something to find near its middle.
func numbered() string {
	var b strings.Builder
	for i := range 20_000 {
		if i == 2500 {
			b.WriteString("the Needle is here ☃\n")
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// readsOn is a call of the tool that reads on.
func readsOn(arguments string) reply {
	return reply{{Calls: []provider.Call{{Name: "read_more", Arguments: json.RawMessage(arguments)}}}}
}

func offers(r provider.Request, tool string) bool {
	return slices.ContainsFunc(r.Tools, func(t provider.ToolSpec) bool { return t.Name == tool })
}

func TestCutResultIsReadOn(t *testing.T) {
	whole := numbered()
	model := trained(32768, replies{{calls("read_file")}, readsOn(`{"id":"call_1","find":"needle"}`),
		readsOn(`{"id":"call_1","from":24880}`), {{Text: "Snow."}}})
	ran := 0
	_, ended := ask(t, chat(model, toolbox{{"read_file", gives(&ran, texts(whole)...)}}), "Where is the needle?")
	requests, results := model.Requests(), ended.Result.ToolCalls
	if offers(requests[0], "read_more") || !offers(requests[1], "read_more") || !offers(requests[3], "read_more") {
		t.Error("the tool is not offered exactly while a cut result is in view")
	}
	hasAll(t, last(requests[1].Messages).Text, `read_more with {"id":"call_1","from":`)
	hasAll(t, results[1].Result, `"needle" is at 1 places`, "the Needle is here ☃")
	hasAll(t, results[2].Result, "line 2600\n")
	if ran != 1 || becameOf(ended.Result) != "[ok ok ok]" || ended.Result.Answer != "Snow." {
		t.Errorf("the tool ran %d times, and the turn ended as %+v", ran, ended.Result)
	}
}

// Reading on from the place that each result names gives the whole text.
func TestReadingOnReachesTheEnd(t *testing.T) {
	whole := numbered()
	model := trained(16384, replies{{calls("read_file")}})
	c := chat(model, toolbox{{"read_file", says(whole)}})
	conv, got := provider.Conversation{}, ""
	model.Replies = append(model.Replies, reply{{Text: "Cut."}})
	_, ended := askIn(t, c, conv, "Go")
	for from := 0; from < len(whole); {
		model.Replies = append(model.Replies, readsOn(fmt.Sprintf(`{"id":"call_1","from":%d}`, from)), reply{{Text: "And?"}})
		_, more := askIn(t, c, ended.Conversation, "Read on")
		_, part, _ := strings.Cut(more.Result.ToolCalls[0].Result, "\n")
		part = part[:strings.LastIndex(part, "\n[")]
		if part == "" {
			t.Fatalf("nothing is read from byte %d", from)
		}
		got, from = got+part, from+len(part)
	}
	if got != whole {
		t.Errorf("the parts have %d bytes of %d", len(got), len(whole))
	}
}

func TestReadingOnInNothing(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"id":"call_9"}`:              `no result has the id "call_9"`,
		`{"id":"call_1"}`:              "is not kept any more",
		`{"id":"call_1","from":"two"}`: "the arguments are invalid",
	} {
		model := script(replies{{calls("read_file")}, readsOn(arguments), {{Text: "Over."}}})
		_, ended := ask(t, chat(model, toolbox{{"read_file", says("short")}}), "Go")
		if call := ended.Result.ToolCalls[1]; call.Status != event.CallError || !strings.Contains(call.Result, want) {
			t.Errorf("%s gives %+v", arguments, call)
		}
	}
}
