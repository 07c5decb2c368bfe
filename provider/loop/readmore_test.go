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
	hasAll(t, results[1].Result, `"needle" is at 1 place of`, "the Needle is here ☃")
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

// licence is the same beginning of several files.
var licence = strings.Repeat("This file comes without any warranty.\n", 20)

// A question that is asked again, and a new conversation, have the same ids.
func TestReadingOnInANewConversation(t *testing.T) {
	old, changed := licence+numbered(), licence+strings.Replace(numbered(), "the Needle", "a Feather!", 1)
	model := trained(32768, replies{{calls("read_file")}, {{Text: "Cut."}},
		{calls("read_file")}, readsOn(`{"id":"call_1","find":"feather"}`), {{Text: "Cut."}}})
	ran := 0
	c := chat(model, toolbox{{"read_file", gives(&ran, texts(old, changed)...)}})
	ask(t, c, "What is in it?")
	_, ended := ask(t, c, "And now?")
	hasAll(t, ended.Result.ToolCalls[1].Result, `"feather" is at 1 place of`, "a Feather! is here ☃")
}

func TestWholeResultIsNotTakenForACutOne(t *testing.T) {
	model := trained(32768, replies{{calls("read_file")}, {{Text: "Cut."}}, {calls("read_file")}, {{Text: "Short."}}})
	ran := 0
	c := chat(model, toolbox{{"read_file", gives(&ran, texts(licence+numbered(), licence+"short")...)}})
	ask(t, c, "What is in it?")
	ask(t, c, "And in the other?")
	if offers(model.Requests()[3], "read_more") {
		t.Error("a result that is whole can be read on")
	}
}

// A summary may leave the last cut result in view.
func TestCutResultIsReadOnAfterACompaction(t *testing.T) {
	model := trained(65536, replies{{{Text: numbered()[:60_000]}}, {calls("read_file")}, {{Text: "Cut."}},
		{{Text: "We told a story."}}, {{Text: "Over."}}})
	c := chat(model, toolbox{{"read_file", says(numbered())}})
	_, ended := ask(t, c, "Tell a story")
	_, ended = askIn(t, c, ended.Conversation, "What is in the file?")
	_, ended = tell(t, c.Compact(t.Context(), ended.Conversation), nil)
	askIn(t, c, ended.Conversation, "And now?")
	requests := model.Requests()
	request := requests[len(requests)-1]
	hasAll(t, sent(request), "What we said before", "line 100\n")
	if !offers(request, "read_more") {
		t.Error("a cut result that is in view cannot be read on")
	}
}

func TestCutResultIsReadOnAmongTooManyTools(t *testing.T) {
	box := toolbox{{"read_file", says(numbered())}}
	for i := range 300 {
		box = append(box, tool{fmt.Sprintf("read_page_number_%d_of_the_book", i), says("a page")})
	}
	model := trained(8192, replies{{calls("read_file")}, {{Text: "Over."}}})
	ask(t, chat(model, box), "What is in the file?")
	if request := model.Requests()[1]; len(request.Tools) > 300 || !offers(request, "read_more") {
		t.Errorf("of %d tools none reads on", len(request.Tools))
	}
}

// A refusal of a request as too long makes the results shorter.
func TestResultsThatARefusalCutsAreReadOn(t *testing.T) {
	tooLong := &provider.Error{Kind: provider.KindTooLong, Text: "too long", Tokens: 400_000, Window: 600}
	whole := strings.Repeat("a", 220) + "\n" + strings.Repeat("b", 500) + numbered()
	model := trained(32768, replies{{calls("read_file")}, {{Err: tooLong}}, readsOn(`{"id":"call_1","find":"needle"}`),
		{{Text: "Snow."}}})
	_, ended := ask(t, chat(model, toolbox{{"read_file", says(whole)}}), "Where is the needle?")
	requests := model.Requests()
	before, after := last(requests[1].Messages).Text, last(requests[2].Messages).Text
	if len(after) >= len(before) {
		t.Fatalf("the result has %d bytes, and had %d", len(after), len(before))
	}
	hasAll(t, after, `read_more with {"id":"call_1","from":`)
	hasAll(t, ended.Result.ToolCalls[1].Result, "the Needle is here ☃")
}

func TestOddIDsAreJSON(t *testing.T) {
	call := calls("read_file")
	call.Calls[0].ID = "a\x01\"b"
	model := trained(32768, replies{{call}, {{Text: "Cut."}}})
	ask(t, chat(model, toolbox{{"read_file", says(numbered())}}), "What is in the file?")
	hasAll(t, last(model.Requests()[1].Messages).Text, `{"id":"a\u0001\"b","from":`)
}

// When the context window is full, the first part is dropped to make room for the next.
func TestReadingOnInASmallContext(t *testing.T) {
	model := trained(8192, replies{{calls("read_file")}, readsOn(`{"id":"call_1","from":20000}`),
		readsOn(`{"id":"call_1","from":30000}`), readsOn(`{"id":"call_1","find":"needle"}`), {{Text: "Snow."}}})
	story, ended := ask(t, chat(model, toolbox{{"read_file", says(numbered())}}), "Where is the needle?")
	hasAll(t, story, "compacted")
	for i, request := range model.Requests()[1:] {
		if !offers(request, "read_more") {
			t.Errorf("request %d cannot read on", i+2)
		}
	}
	if part := ended.Result.ToolCalls[2].Result; len(part) < 4000 {
		t.Errorf("the second part has %d bytes", len(part))
	}
}
