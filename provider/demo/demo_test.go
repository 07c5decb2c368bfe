package demo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/demo"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
)

var evening = time.Date(2026, 11, 20, 14, 54, 12, 0, time.UTC)

// builtIn starts the built-in clock at a fixed time and the built-in files server in a folder with three files.
func builtIn(t *testing.T) mcpclient.Tools {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"README.md": "# Notes\n\n```go\nx\n```\n", "animals.txt": "cat\npangolin\n", "main.go": "package main\n",
	} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := builtin.New("files", builtin.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	set := servers.Start(t.Context(), []mcpclient.Server{
		{Name: "clock", Local: builtin.Clock(func() time.Time { return evening }), Trusted: true},
		{Name: "files", Local: files, Trusted: true},
	}, servers.Options{Board: new(servers.Board)})
	t.Cleanup(func() { set.Close() })
	if err := set.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return set
}

// table is a set of read-only tools.
type table []entry

type entry struct {
	tool   mcpclient.Tool
	result mcpclient.Result
}

func (t table) Tools() []mcpclient.Tool {
	var tools []mcpclient.Tool
	for _, e := range t {
		e.tool.Server, e.tool.ReadOnly, e.tool.Trusted = "test", true, true
		tools = append(tools, e.tool)
	}
	return tools
}

func (t table) Call(
	_ context.Context, call mcpclient.Call, _ func(mcpclient.Progress),
) (mcpclient.Result, error) {
	for _, e := range t {
		if e.tool.Name == call.Tool {
			return e.result, nil
		}
	}
	return mcpclient.Result{}, fmt.Errorf("no tool %q", call.Tool)
}

// turn sends one message through the real loop.
func turn(t *testing.T, tools mcpclient.Tools, question string) event.Result {
	t.Helper()
	chat := loop.Chat{Model: &demo.Model{}, Name: demo.Name, Tools: tools}
	var result event.Result
	for ev, err := range chat.Send(t.Context(), provider.Conversation{}, question) {
		if err != nil {
			t.Fatal(err)
		}
		if ended, ok := ev.(event.Ended); ok {
			result = ended.Result
		}
	}
	if result.Stop.Reason != event.Done {
		t.Errorf("%q ends with %+v", question, result.Stop)
	}
	return result
}

// calls returns the calls of a turn, one per line: `clock__now {"zone":"Asia/Tokyo"} ok`.
func calls(r event.Result) string {
	var lines []string
	for _, c := range r.ToolCalls {
		lines = append(lines, fmt.Sprintf("%s %s %s", c.Name, c.Arguments, c.Status))
	}
	return strings.Join(lines, "\n")
}

func TestQuestionsUseRealTools(t *testing.T) {
	const (
		tokyo  = `clock__now {"zone":"Asia/Tokyo"} ok`
		london = `clock__now {"zone":"Europe/London"} ok`
		main   = `files__read_file {"path":"main.go"} ok`
		paris  = `clock__now {"zone":"Europe/Paris"} ok`
		readme = `files__read_file {"path":"README"} error
files__search_files {"glob":"**/README*"} ok
files__read_file {"path":"README.md"} ok`
		nowhere = `files__read_file {"path":"nowhere.md"} error
files__search_files {"glob":"**/nowhere.md*"} ok`
	)
	for _, tt := range []struct{ question, calls, answer string }{
		{"what time is it in Tokyo?", tokyo, "In Tokyo it is **23:54:12 JST (UTC+09:00)** on Friday, 20 November 2026."},
		{"how late is it in new york", `clock__now {"zone":"America/New_York"} ok`, "In New York it is **09:54:12"},
		{"What time is it in Tokyo and London?", tokyo + "\n" + london, "In London it is **14:54:12"},
		{"what time is it in Atlantis?", `clock__now {} ok`, "Here it is **"},
		{"what time is it?", `clock__now {} ok`, "Here it is **"},
		{"list the files here", `files__list_directory {"path":"."} ok`, "This folder contains:\n\n```\nREADME.md"},
		{"read README.md", `files__read_file {"path":"README.md"} ok`, "````md\n# Notes"},
		{"read main.go and tell me the time in Paris", main + "\n" + paris, "```go\npackage main\n```"},
		{"search for pangolin in the files", `files__search_files {"text":"pangolin"} ok`, "animals.txt"},
		{`which files contain "zebra"?`, `files__search_files {"text":"zebra"} ok`, "Nothing found for `zebra`"},
		{"find *.go", `files__search_files {"glob":"*.go"} ok`, "main.go"},
		{"open nowhere.md", nowhere, "I tried another tool"},
		{"read the README", readme, "# Notes"},
		{"who was Napoleon?", "", "No tool matches"},
	} {
		t.Run(tt.question, func(t *testing.T) {
			r := turn(t, builtIn(t), tt.question)
			if got := calls(r); got != tt.calls {
				t.Errorf("the calls are\n%s\nwant\n%s", got, tt.calls)
			}
			if !strings.Contains(r.Answer, tt.answer) {
				t.Errorf("the answer is %q, want %q in it", r.Answer, tt.answer)
			}
			if !strings.Contains(r.Answer, "not a language model") {
				t.Errorf("the first answer %q lacks the disclaimer", r.Answer)
			}
		})
	}
}

func TestToolsOfOtherServers(t *testing.T) {
	requires := func(argument string) json.RawMessage { return json.RawMessage(`{"required":["` + argument + `"]}`) }
	tools := table{
		{mcpclient.Tool{Name: "shop__list-orders"}, mcpclient.Result{Text: "one ``` two"}},
		{mcpclient.Tool{Name: "odd__secret", Schema: requires("count")}, mcpclient.Result{}},
		{mcpclient.Tool{Name: "net__fetch", Schema: requires("url")}, mcpclient.Result{Text: "out of order", Failed: true}},
	}
	for _, tt := range []struct{ question, calls, answer string }{
		{"show my orders", `shop__list-orders {} ok`, "````\none ``` two\n````"},
		{"fetch https://example.com.", `net__fetch {"url":"https://example.com"} error`, "failed: out of order."},
		{"tell me the secret", "", "No tool"},
	} {
		r := turn(t, tools, tt.question)
		if got := calls(r); got != tt.calls {
			t.Errorf("%s: the calls are\n%s\nwant\n%s", tt.question, got, tt.calls)
		}
		if !strings.Contains(r.Answer, tt.answer) {
			t.Errorf("%s: the answer is %q, want %q in it", tt.question, r.Answer, tt.answer)
		}
	}
}

func user(text string) []provider.Message {
	return []provider.Message{{Role: provider.RoleUser, Text: text}}
}

var clock = provider.ToolSpec{Name: "clock__now", Description: "The current date and time.",
	Schema: json.RawMessage(`{"type":"object","properties":{"zone":{"type":"string"}}}`)}

func TestThinkingOnAndOff(t *testing.T) {
	req := provider.Request{Messages: user("what time is it in Tokyo?"), Tools: []provider.ToolSpec{clock}}
	for think, want := range map[provider.Think]string{
		provider.ThinkAuto: "**Looking up the current time in Tokyo**\n\n",
		provider.ThinkOff:  "",
	} {
		req.Think = think
		var last provider.Chunk
		thinking := ""
		for chunk, err := range (&demo.Model{}).Chat(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
			thinking, last = thinking+chunk.Thinking, chunk
		}
		if !strings.HasPrefix(thinking, want) || (thinking == "") != (want == "") {
			t.Errorf("think %s: thinking is %q", think, thinking)
		}
		if !last.Done || last.Usage.AnswerTokens == 0 || last.Usage.PromptTokens == 0 {
			t.Errorf("think %s: the last chunk is %+v", think, last)
		}
	}
}

func TestPaceAndCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		began, words := time.Now(), 0
		var last error
		for chunk, err := range demo.New().Chat(ctx, provider.Request{Messages: user("hello"), Think: provider.ThinkOff}) {
			last = err
			if chunk.Text == "" {
				continue
			}
			if words++; words == 20 {
				if perSecond := 20 / time.Since(began).Seconds(); perSecond < 60 || perSecond > 100 {
					t.Errorf("%.0f words a second", perSecond)
				}
				cancel()
			}
		}
		if words != 20 || !errors.Is(last, context.Canceled) {
			t.Errorf("cancelled at word 20, it wrote %d words and returned %v", words, last)
		}
	})
}

func TestSlowModelLoadsOnceAndReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model, messages := demo.NewSlow(), user("hello")
		for _, want := range []struct {
			phases string
			loaded bool
		}{{"loading reading", true}, {"reading", false}} {
			var phases []string
			var last provider.Chunk
			began := time.Now()
			for chunk, err := range model.Chat(t.Context(), provider.Request{Messages: messages}) {
				if err != nil {
					t.Fatal(err)
				}
				switch last = chunk; chunk.Phase {
				case provider.PhaseLoading:
					phases = append(phases, "loading")
				case provider.PhaseReading:
					phases = append(phases, "reading")
				}
			}
			u := last.Usage
			if got := strings.Join(phases, " "); got != want.phases || u.Loaded() != want.loaded {
				t.Errorf("the phases are %q and the load %v, want %q", got, u.Load, want.phases)
			}
			if u.Prompt == 0 || u.ReadTokens == 0 || u.Load+u.Prompt+u.Answer != time.Since(began) {
				t.Errorf("%+v does not add up to %v", u, time.Since(began))
			}
			messages = append(messages, provider.Message{Role: provider.RoleAssistant, Text: "Hello."}, user("again")[0])
		}
	})
}

func TestStoriesNeedTheShop(t *testing.T) {
	if n := len(demo.Questions()); n != 6 {
		t.Fatalf("there are %d questions", n)
	}
	for _, question := range demo.Questions() {
		if r := turn(t, nil, question); !strings.Contains(r.Answer, "No tool matches") {
			t.Errorf("%q is answered without tools: %q", question, r.Answer)
		}
	}
}

func TestStoryEndsWhenACallGoesWrong(t *testing.T) {
	shop := table{
		{mcpclient.Tool{Name: "shop__find_customer"}, mcpclient.Result{Text: "customer 42"}},
		{mcpclient.Tool{Name: "shop__list_orders"}, mcpclient.Result{Text: "on strike", Failed: true}},
	}
	r := turn(t, shop, demo.Questions()[0])
	if want := "`shop__list_orders` failed: on strike."; !strings.Contains(r.Answer, want) {
		t.Errorf("the answer is %q, want %q in it", r.Answer, want)
	}
}

func TestOnlyModel(t *testing.T) {
	info, err := provider.Choose(t.Context(), demo.New(), "", "qwen3:8b")
	if err != nil || info.Name != demo.Name || !info.Tools || !info.Thinking || info.Context != 8192 {
		t.Errorf("got %+v, %v", info, err)
	}
	_, err = demo.New().Describe(t.Context(), "qwen3:8b")
	if e := (*provider.Error)(nil); !errors.As(err, &e) || e.Kind != provider.KindMissing {
		t.Errorf("got %v", err)
	}
}

func FuzzQuestionsAndSchemas(f *testing.F) {
	f.Add("what time is it in Tokyo and 2?", `{"properties":{"n":{"enum":[1]}},"required":["zone"]}`, "no zone")
	f.Add("read \"a.txt\", then 'b c'; fetch x.com/\xff", `{"properties":{"path":7},"required":["l","o"]}`, "[nothing]")
	f.Add("", `null`, `{"a":{"b":[1]}}`)
	f.Fuzz(func(t *testing.T, question, schema, result string) {
		odd := provider.ToolSpec{Name: "x__read_" + question, Description: question, Schema: json.RawMessage(schema)}
		tools := []provider.ToolSpec{clock, odd}
		messages := user(question)
		for range 5 {
			var made []provider.Call
			req := provider.Request{Messages: messages, Tools: tools}
			for chunk, err := range (&demo.Model{}).Chat(t.Context(), req) {
				if err != nil {
					t.Fatal(err)
				}
				made = append(made, chunk.Calls...)
			}
			for _, call := range made {
				if !json.Valid(call.Arguments) {
					t.Fatalf("the arguments %q are not JSON", call.Arguments)
				}
				messages = append(messages,
					provider.Message{Role: provider.RoleAssistant, Calls: made},
					provider.Message{Role: provider.RoleTool, CallID: call.ID, Text: result, Failed: len(result)%2 == 0})
			}
		}
	})
}
