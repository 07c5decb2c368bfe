package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// The lists from which the stories of FuzzScreen choose.

// oddTexts are texts as models, servers and people may write them.
var oddTexts = []string{
	"", "Let me look.",
	"A\x1b]0;owned\x07B\x1b[2JC\u009b31mD\x1b]52;c;b3duZWQ=\x07E\u202eF\rG&#27;[2JH\x1b]8;;file:///etc\x1b\\I\tJ\x7f\x00",
	"日本語のテキストがここにあり、折り返さなければなりません。" + strings.Repeat("界", 150),
	"👩‍👩‍👧 🇩🇪 1️⃣ ❤️‍🔥 é Z" + strings.Repeat("\u0301", 30) +
		"o \u200d\u200d\u200b \u00adx \u3164 ﷽ नि क्\u200dष ཧྐྵྨླྺྼྻྂ",
	"שלום עולם می‌خواهم \u2066abc\u2069 def", strings.Repeat("long", 300), strings.Repeat("a word and ", 100),
	"# A heading\n\nSome **bold**, *slanted* and `code` text with [a link](https://example.org/a;b?c=d) and\n\n" +
		"> a quote\n> - with a list\n\n1. one\n   - two\n     - three\n\n---\n",
	"| name | 名前 | value |\n|:--|:-:|--:|\n| a | 日本 | " + strings.Repeat("wide ", 40) +
		" |\n| **b** | `c` | 3 |\n",
	"```go\nfunc main() {\n\tfmt.Println(\"日本\", 1) // " + strings.Repeat("long ", 40) + "\n}\n```\n",
	"```\nopen ended \x1b[31mblock\n\tindented",
	"> [!WARNING]\n> Careful[^1].\n\n[^1]: A footnote with <kbd>ctrl</kbd> H<sub>2</sub>O<br>x<sup>2</sup>\n\n" +
		"<details><summary>More</summary>\n\nHidden\n\n</details>\n\nTerm\n: Definition\n",
	"Then \\(x^2 + \\frac{a}{b}\\) and\n\n$$\\sum_{i=0}^{n} \\sqrt{\\frac{1}{i}} \\leq \\alpha$$\n\n\\[ \\int_0^1 f(x) dx",
	"**open *marks `that [never](http", "\\(", "\n\n\n", "<b>&lt;&#x1b;[31m</b><script>alert(1)</script>\n\n<!-- c -->",
	strings.Repeat("A line of ten thousand bytes, 日本, \x1b[1m.\r\n", 220),
	strings.Repeat("- item\n", 60), strings.Repeat("> ", 40) + "deep", "\ufffd\ufeff\u2028\u2029\u0085",
	"!", " ", "/", "@demo://note.txt", "?", "{\"a\":[1,2,{\"b\":null}]}", "\u0301\u0488", "x\ty\tz",
}

const oddDiff = "--- a\x1b[2J.md\n+++ b.md\n@@ -1,4 +1,6 @@\n # 日本\n--- x\n+\t\u202eevil\x1b[31m\n+" +
	"👩‍👩‍👧 a line that is so long that it must be broken or cut, because no screen has so many cells\n+\n c\n" +
	"\\ No newline at end of file\n"

var sizes = [][2]int{{80, 24}, {40, 15}, {20, 5}, {100, 34}, {200, 50}, {1, 1}, {300, 100}, {10, 3}, {60, 12}, {2, 40},
	{120, 1}, {39, 8}, {7, 9}, {59, 23}, {300, 2}, {25, 10}}

// environment is a terminal that opens links.
var environment = tea.EnvMsg{"TERM_PROGRAM=WezTerm", "TERM=xterm-256color"}

// reports come from the terminal.
var reports = []tea.Msg{
	tea.BackgroundColorMsg{Color: color.White}, tea.BackgroundColorMsg{Color: color.Black},
	tea.ColorProfileMsg{Profile: colorprofile.ASCII}, tea.ColorProfileMsg{Profile: colorprofile.TrueColor},
	tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeSet}, environment,
	tea.FocusMsg{}, tea.BlurMsg{}, tea.MouseWheelMsg{Button: tea.MouseWheelUp},
	tea.MouseWheelMsg{Button: tea.MouseWheelDown}, tickMsg{}, tea.ResumeMsg{},
	tea.MouseClickMsg{Button: tea.MouseLeft, X: 3, Y: 300}, tea.BackgroundColorMsg{},
	tea.MouseClickMsg{Button: tea.MouseLeft, X: 5, Y: 2}, tea.MouseMotionMsg{Button: tea.MouseLeft, X: 30, Y: 9},
	tea.MouseMotionMsg{Button: tea.MouseLeft, X: 2}, tea.MouseMotionMsg{Button: tea.MouseLeft, X: -1, Y: 500},
	tea.MouseReleaseMsg{Button: tea.MouseLeft, X: 900, Y: -3},
}

var commandArguments = []string{"", " code", " tape", " code 2", " on", " off", " sand", " -", " sea", " embed",
	" nothing"}

var schemas = []string{allKinds, `{"type":"object","properties":{}}`, `{"type":"object","properties":` +
	`{"日本\u001b[2J":{"type":"string","title":"\u202eevil","description":"x\ny","enum":["a\u001b[31m","界界界"]}}}`, `[`}

var serverStates = []mcpclient.ServerState{mcpclient.ServerReady, mcpclient.ServerStarting, mcpclient.ServerFailed,
	mcpclient.ServerOff, mcpclient.ServerNeedsLogin}

// options returns the options of a chat.
func (s *script) options() Options {
	model := &providertest.Script{Forever: true, Replies: oddReplies(s.next())}
	o := with(model)
	tools := foresight{diff: oddDiff, toolbox: o.Tools.(*toolbox)}
	tools.tools = append(tools.tools, mcpclient.Tool{Name: "evil__edit", Server: oddTexts[2], Title: oddTexts[4],
		Destructive: true, Description: oddTexts[5]})
	inbox := elicit.NewInbox(true)
	tools.answer = func(ctx context.Context) (mcpclient.Result, error) {
		return mcpclient.Result{Text: elicits(oddTexts[3], allKinds)(ctx, inbox), Sources: oddTexts}, ctx.Err()
	}
	o.Chat.Tools, o.Tools, o.Chat.Asker, o.Inbox = tools, tools, inbox, inbox
	board := &servers.Board{}
	o.Board, o.Servers = board, &keeper{board: board, login: refuse}
	o.Offers = &fair{
		prompts: []mcpclient.Prompt{{Server: "files", Name: "greet", Title: oddTexts[4], Description: oddTexts[2],
			Arguments: []mcpclient.PromptArgument{{Name: "who", Title: oddTexts[3], Required: true}}}},
		resources: []mcpclient.Resource{{Server: "files", URI: "demo://note.txt", Name: oddTexts[2], Title: oddTexts[5]}},
		texts:     map[string]string{"demo://note.txt": oddTexts[18]},
		said:      []mcpclient.PromptMessage{{Role: "user", Text: oddTexts[9]}, {Role: "assistant", Text: oddTexts[2]}},
	}
	o.Themes, o.Around = themed().Themes, withoutServer().Around
	o.Title, o.Notify = true, true
	o.OpenPage = func(string) error { return nil }
	switch s.next() % 6 {
	case 1:
		model.Down = &provider.Error{Kind: provider.KindUnavailable, Text: oddTexts[3]}
	case 2:
		o.Demo = []string{"list the files", oddTexts[4]}
	case 3:
		o.Motion = status.MotionReduced
	case 4:
		model.Models = []provider.Info{{Name: "embed", Context: 512}, {Name: oddTexts[4], Tools: true, Context: 8192}}
	case 5:
		o.Motion = status.MotionNone
		o.Here = func() Here { return Here{Folder: oddTexts[4], Branch: oddTexts[5], Files: oddTexts} }
	}
	return o
}

// refuse is a login that fails.
func refuse(context.Context, mcpclient.Browser) error { return errors.New(oddTexts[3]) }

// oddReplies returns replies of a model that do everything a reply can, beginning with one of them.
func oddReplies(first int) []providertest.Reply {
	thinks := providertest.Reply{{Phase: provider.PhaseLoading}, {Wait: second, Phase: provider.PhaseReading},
		{Wait: second, Thinking: oddTexts[2]}, {Wait: 3 * second, Thinking: oddTexts[8]}}
	fails := providertest.Step{Wait: second, Err: &provider.Error{Text: oddTexts[3], Hint: oddTexts[4]}}
	all := []providertest.Reply{
		chunks(50*time.Millisecond, oddTexts...),
		append(thinks, calls("files__delete_file", `{"path":"`+strings.Repeat("long/", 50)+`"}`)...),
		calls("evil__edit", `{"a":["\u001b[2J","b"],"c":{"d":null}}`),
		append(chunks(0, "Half"), fails), append(chunks(0, "Half"), providertest.Step{Cut: true}),
		append(chunks(0, oddTexts[6]), providertest.Step{Block: true}),
		append(chunks(0, "Full"), providertest.Step{Done: "length"}),
		calls("files__read_file", `{"path":"a"}`),
	}
	return append(slices.Clone(all[first%len(all):]), all...)
}

// turn returns the events of a turn, for driver.start.
func (s *script) turn() []any {
	all := []any{event.Began{Model: s.text(), Rounds: s.next()}}
	for range s.next() % 30 {
		all = append(all, pick(s, happenings)(s))
	}
	stop := event.Stop{Reason: pick(s, reasons), Cause: pick(s, causes), Detail: s.text()}
	laps := make([]event.Lap, s.next()%8)
	for i := range laps {
		laps[i] = event.Lap{Kind: pick(s, lapKinds), Round: s.next(), Title: s.text(), Tokens: s.next(), MS: s.time(),
			StartMS: s.time(), Status: pick(s, statuses)}
	}
	return append(all, event.Ended{Result: event.Result{Stop: stop, Model: s.text(), Sources: []string{s.text(), s.text()},
		Rounds: s.next(), Usage: event.TurnUsage{AnswerTokens: s.next(), ContextUsed: s.next(), ContextSize: s.next()},
		Timing: event.Timing{Total: s.time(), Answer: s.time(), Steps: laps}}})
}

// time returns milliseconds up to an hour.
func (s *script) time() int64 { return int64(pick(s, times)/time.Millisecond) * int64(s.next()) }

// call returns a call of one of three tools.
func (s *script) call() event.ToolCall {
	return event.ToolCall{ID: fmt.Sprint(s.next() % 3), Name: s.text(), Server: "files", Title: s.text(),
		Arguments: json.RawMessage(pick(s, callArguments)), Status: pick(s, statuses), Error: s.text(), Result: s.text(),
		Repairs: []string{s.text()}, DurationMS: s.time()}
}

var callArguments = []string{`{"path":"a"}`, `{"\u202e":"\u001b[2J","url":"https://example.org"}`, `{"a":`, ``,
	`[1,[2]]`,
	`{"text":"` + strings.Repeat("日本 ", 200) + `"}`, `{"old_text":"a","new_text":"b\nc","path":"d"}`}

var statuses = []event.CallStatus{event.CallOK, event.CallPending, event.CallError, event.CallDenied,
	event.CallCancelled, event.CallSkipped, event.CallCached, "odd"}

var lapKinds = []event.LapKind{event.LapLoad, event.LapRead, event.LapWrite, event.LapTool, event.LapCompact, "odd"}

var reasons = []event.Reason{event.Done, event.GaveUp, event.Iterations, event.Errors, event.Time, event.InvalidTool,
	event.Length, event.Denied, event.Cancelled, event.Failed, "odd"}

var causes = []event.Cause{"", event.EmptyAnswer, event.OnlyThinking, event.AutoLimit, event.SameResults,
	event.AnswerRepeats, event.WindowFull, event.BySignal}

// happenings are the events of a turn, and how long nothing happens.
var happenings = []func(s *script) any{
	func(s *script) any { return event.Text{Delta: s.text()} },
	func(s *script) any { return event.Thinking{Delta: s.text(), Again: s.next()%5 == 1} },
	func(s *script) any { return pick(s, times) },
	func(s *script) any { return event.ToolCalled{Call: s.call()} },
	func(s *script) any { return event.Running{Calls: []event.ToolCall{s.call(), s.call()}} },
	func(s *script) any { return event.ToolFinished{Call: s.call()} },
	func(s *script) any {
		tool := mcpclient.Tool{Name: s.text(), Server: s.text(), Title: s.text(), Description: s.text()}
		return event.Asked{Call: s.call(), Tool: tool, Pattern: s.text(), Diff: pick(s, diffs), Why: s.text(),
			Doubt: s.text(), Answer: func(event.Decision) {}}
	},
	func(s *script) any {
		return event.Appended{Messages: []provider.Message{{Role: provider.RoleAssistant}}}
	},
	func(s *script) any { return event.Withdrawn{Repeats: s.next()%2 == 1} },
	func(s *script) any { return event.Notice{Text: s.text()} },
	func(s *script) any { return event.Connecting{Settled: s.next(), All: s.next()} },
	func(s *script) any { return event.Requesting{Attempt: s.next(), Attempts: s.next(), Failed: s.text()} },
	func(s *script) any { return event.Loading{Expected: pick(s, times)} },
	func(s *script) any {
		return event.Reading{Tokens: s.next(), Mark: pick(s, []event.Mark{event.Counted, event.About, event.Unknown,
			event.UpTo}), Expected: pick(s, times)}
	},
	func(s *script) any { return event.Calling{Calls: s.next()} },
	func(*script) any { return event.HeldBack{} },
	func(*script) any { return event.Repeating{} },
	func(*script) any { return event.Overloaded{} },
	func(s *script) any {
		return event.Replied{Usage: provider.Usage{PromptTokens: s.next(), AnswerTokens: s.next(), Answer: pick(s, times)}}
	},
	func(s *script) any {
		return event.Progress{ID: fmt.Sprint(s.next() % 3), Progress: mcpclient.Progress{Done: float64(s.next()),
			Total: float64(s.next()), Message: s.text()}}
	},
	func(s *script) any { return event.ServerAsks{Server: s.text()} },
	func(s *script) any { return event.Compacting{Tokens: s.next()} },
	func(*script) any { return event.Finishing{} },
	func(s *script) any { return event.Stalled{Silence: pick(s, times)} },
	func(s *script) any { return event.Compacted{Messages: s.next(), Before: s.next(), After: s.next()} },
}

var diffs = []string{"", oddDiff, shortDiff, longDiff(60), "not a diff\x1b[2J"}
