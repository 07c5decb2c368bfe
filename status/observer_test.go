package status_test

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// observe passes the events of a turn of the model "m" to an observer, and returns the texts of the line in order, and
// its last state.
func observe(t *testing.T, events ...event.Event) (words []string, last status.State) {
	t.Helper()
	line := &status.Observer{Show: func(s status.State) {
		if last = s; len(words) == 0 || words[len(words)-1] != s.Words() {
			words = append(words, s.Words())
		}
	}}
	line.Observe(t.Context(), event.Began{Model: "m", Rounds: 10})
	for _, e := range events {
		line.Observe(t.Context(), e)
	}
	return words, last
}

func TestObserver(t *testing.T) {
	file, user := event.ToolCall{ID: "1", Title: "Read File"}, event.ToolCall{ID: "2", Title: "Read User"}
	runs := func(calls ...event.ToolCall) event.Event { return event.Running{Calls: calls} }
	done := func(call event.ToolCall) event.Event { return event.ToolFinished{Call: call} }
	far := func(done, total float64, message string) event.Event {
		return event.Progress{ID: "1", Progress: mcpclient.Progress{Done: done, Total: total, Message: message}}
	}
	asks := func(a string) event.Event { return event.ServerAsks{Server: a} }
	text := event.Text{Delta: "Yes."}
	ask := event.Requesting{Attempt: 1, Attempts: 1}
	cancelled := event.Ended{Result: event.Result{Stop: event.Stop{Reason: event.Cancelled}}}
	for name, test := range map[string]struct {
		events []event.Event
		want   string
	}{
		"servers that start": {[]event.Event{event.Connecting{All: 2}, event.Connecting{Settled: 1, All: 2},
			event.Requesting{}, ask},
			"Connecting to servers (0/2), Connecting to servers (1/2), Analyzing request…"},
		"an answer": {[]event.Event{ask, event.Thinking{Delta: "Hm."}, event.Text{Delta: "\n"}, text,
			event.Ended{Result: event.Result{Stop: event.Stop{Reason: event.Done}}}},
			"Analyzing request…, Thinking…, Formulating response…"},
		"a second attempt that had to load": {[]event.Event{ask, event.Requesting{Attempt: 2, Attempts: 3},
			event.Loading{}, event.Reading{Tokens: 20}, text},
			"Analyzing request…, Retrying (2/3), Loading m…, Retrying (2/3), Formulating response…"},
		"a server that had no room": {[]event.Event{ask, event.Overloaded{}, event.Reading{Tokens: 20}, text},
			"Analyzing request…, Retrying…, Analyzing request…, Formulating response…"},
		"a long prompt": {[]event.Event{ask, event.Reading{Tokens: 2000}, text},
			"Analyzing request…, Reading 2k tokens…, Formulating response…"},
		"a prompt that may be cached": {[]event.Event{ask, event.Reading{Tokens: 2000, Mark: event.Unknown},
			event.Reading{Tokens: 3400, Mark: event.UpTo}, event.Reading{Tokens: 2100, Mark: event.About}},
			"Analyzing request…, Reading the prompt…, Reading up to 3.4k tokens…, Reading about 2.1k tokens…"},
		"what was told before": {[]event.Event{ask, text, event.Withdrawn{},
			event.Thinking{Delta: "Hm.", Again: true}, event.Calling{Calls: 1}, text},
			"Analyzing request…, Formulating response…, Selecting appropriate tools…"},
		"two calls": {[]event.Event{runs(file, user), done(file), runs(user), done(user), runs(file)},
			"Using 2 tools: Read File, Read User, Using Read User…, Using Read File…"},
		"a tool that failed": {[]event.Event{event.ToolCalled{Call: file}, runs(file), done(file),
			event.Requesting{Failed: "Read File"}, ask},
			"Using Read File…, Tool Read File failed, trying alternative approach…, Processing tool results…"},
		"progress": {[]event.Event{runs(file), far(40, 120, ""), far(20, 120, "reading"), far(1, 4, "")},
			"Using Read File…, Read File · 40/120, Read File · 20/120 · reading, Read File · 1/4"},
		"a server that asks": {[]event.Event{runs(file), asks("box"), far(1, 2, ""), asks("")},
			"Using Read File…, Box asks for input, Read File · 1/2"},
		"an approval": {[]event.Event{event.Asked{}}, "Waiting for your approval"},
		"a summary": {[]event.Event{event.Compacting{}, event.Compacting{Tokens: 1}, ask},
			"Compacting…, Analyzing request…"},
		"a turn that ends": {[]event.Event{cancelled}, "Stopped by you"},
	} {
		if words, _ := observe(t, test.events...); strings.Join(words, ", ") != test.want {
			t.Errorf("%s: the line says\n%q, not\n%q", name, words, test.want)
		}
	}
}

// The name of a tool is always there. A sentence stands beside it.
func TestSentenceStandsBesideName(t *testing.T) {
	user := event.ToolCall{ID: "1", Title: "Find User", Server: "shop"}
	shared := event.ToolCall{ID: "2", Title: "Search on github", Server: "github"}
	builtIn := event.ToolCall{ID: "3", Title: "Read File", Server: "files", BuiltIn: true}
	halfway := event.Progress{ID: "1", Progress: mcpclient.Progress{Done: 1, Total: 2}}
	for name, test := range map[string]struct {
		style          status.Style
		text, thinking string
		calls          []event.ToolCall
		progress       bool
		want           string
		from           status.Origin
		asked          bool // for a sentence
	}{
		"nothing written": {calls: []event.ToolCall{user}, asked: true,
			want: `Using Find User on shop…, Find User on shop · "Looking it up"`},
		"a plan": {thinking: "I should look up the user.", calls: []event.ToolCall{user},
			want: `Find User on shop · "Look up the user"`, from: status.Thought},
		"a heading": {thinking: "**Looking up the user**\n\nHm.", calls: []event.ToolCall{user},
			want: `Find User on shop · "Looking up the user"`, from: status.Thought},
		"text that says it": {text: "Sure! Let me look up the user.", thinking: "I should look up the user.",
			calls: []event.ToolCall{user}, want: `Find User on shop · "Let me look up the user"`, from: status.Written},
		"text that does not say it": {text: "Sure!", calls: []event.ToolCall{user}, asked: true,
			want: `Using Find User on shop…, Find User on shop · "Looking it up"`},
		"a tool of two servers": {calls: []event.ToolCall{shared}, asked: true,
			want: `Using Search on github…, Search on github · "Looking it up"`},
		"a built-in server": {calls: []event.ToolCall{builtIn}, asked: true,
			want: `Using Read File…, Read File · "Looking it up"`},
		"several tools": {thinking: "I should look up the user.", calls: []event.ToolCall{user, shared, builtIn},
			want: `Using 3 tools: Find User, Search on github, Read File · "Look up the user"`, from: status.Thought},
		"progress": {thinking: "I should look up the user.", calls: []event.ToolCall{user}, progress: true,
			want: `Find User on shop · "Look up the user", Find User on shop · 1/2 · "Look up the user"`, from: status.Thought},
		"by name": {style: status.StyleName, thinking: "I should look up the user.", calls: []event.ToolCall{user},
			want: "Using Find User on shop…"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var words []string
			var from status.Origin
			line := &status.Observer{Style: cmp.Or(test.style, status.StyleSentence), Show: func(s status.State) {
				if w := s.Words(); s.Phase == status.UsingTool && !slices.Contains(words, w) {
					words, from = append(words, w), s.From
				}
			}}
			asked := false
			ask := func(context.Context, string) (string, error) {
				asked = true
				return "Looking it up", nil
			}
			reply := provider.Message{Role: provider.RoleAssistant, Text: test.text, Thinking: test.thinking,
				Calls: make([]provider.Call, len(test.calls))}
			line.Observe(t.Context(), event.Began{Model: "m"})
			line.Observe(t.Context(), event.Appended{Messages: []provider.Message{reply}})
			line.Observe(t.Context(), event.Running{Calls: test.calls, Ask: ask})
			time.Sleep(time.Second)
			if test.progress {
				line.Observe(t.Context(), halfway)
			}
			line.Observe(t.Context(), event.ToolFinished{Call: test.calls[0]})
			if got := strings.Join(words, ", "); got != test.want || asked != test.asked || from != test.from {
				t.Errorf("%s: the line says\n%s, asked %v, from %d, not\n%s", name, got, asked, from, test.want)
			}
		})
	}
}

// Chunks are about as many as tokens. The server's count replaces them.
func TestTokensCountedHereAreAbout(t *testing.T) {
	ask, text := event.Requesting{Attempt: 1}, event.Text{Delta: "word "}
	counted := event.Replied{Usage: provider.Usage{AnswerTokens: 13}}
	reply := event.Appended{Messages: []provider.Message{{Role: provider.RoleAssistant}}}
	for name, test := range map[string]struct {
		events []event.Event
		rough  bool
	}{
		"nothing yet":               {[]event.Event{ask}, false},
		"chunks":                    {[]event.Event{ask, text}, true},
		"counted by the server":     {[]event.Event{ask, text, counted}, false},
		"chunks after a count":      {[]event.Event{ask, text, counted, reply, ask, text}, true},
		"counts after a count":      {[]event.Event{ask, text, counted, reply, ask, text, counted}, false},
		"a count after no count":    {[]event.Event{ask, text, reply, ask, text, counted}, true},
		"discarded text":            {[]event.Event{ask, text, event.Withdrawn{}, ask}, false},
		"a server that never tells": {[]event.Event{ask, text, event.Replied{}, reply, ask}, true},
	} {
		if _, last := observe(t, append(test.events, event.Overloaded{})...); last.Rough != test.rough {
			t.Errorf("%s: %d tokens are rough: %v", name, last.Tokens, last.Rough)
		}
	}
}

// Withdrawn text does not count, nor does text outside an answer, and the server's count is more exact.
func TestObserverTokens(t *testing.T) {
	ask, text := event.Requesting{Attempt: 1}, event.Text{Delta: "word "}
	reply := event.Appended{Messages: []provider.Message{{Role: provider.RoleAssistant}}}
	events := []event.Event{ask, text, text, event.Withdrawn{}, event.Requesting{Attempt: 2}, text,
		event.Replied{Usage: provider.Usage{AnswerTokens: 13}}, reply,
		event.Compacting{}, event.Compacting{Tokens: 1}, ask, text, event.HeldBack{}}
	if _, last := observe(t, events...); last.Tokens != 15 {
		t.Errorf("the line counts %d tokens", last.Tokens)
	}
}

func TestObserverRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		line := &status.Observer{Clock: func() event.Clock { return event.Clock{At: time.Now()} },
			Show: func(status.State) { told++ }}
		line.Observe(t.Context(), event.Began{})
		for range 1000 {
			line.Observe(t.Context(), event.Text{Delta: "word "})
			time.Sleep(5 * time.Millisecond)
		}
		if told < 10 || told > 21 {
			t.Errorf("5 seconds of tokens gave %d states", told)
		}
	})
}

func TestHostileProgress(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for p, want := range map[[2]float64]float64{
		{40, 120}: 1.0 / 3, {120, 40}: 1, {1e308, 1e-308}: 1, {inf, inf}: 0, {nan, 1}: 0, {1, nan}: 0, {-1, 2}: 0, {1,
			-2}: 0, {-1, -2}: 0, {0, 0}: 0, {1, inf}: 0, {inf, 1}: 1,
	} {
		_, last := observe(t, event.Running{Calls: []event.ToolCall{{ID: "1"}}},
			event.Progress{ID: "1", Progress: mcpclient.Progress{Done: p[0], Total: p[1]}})
		if last.Part != want {
			t.Errorf("part of %v is %v, not %v", p, last.Part, want)
		}
	}
}

// After the program was suspended, the line is right before the next event.
func TestRefreshLeavesOutTimeAway(t *testing.T) {
	var last status.State
	clock := event.Clock{At: time.Now()}
	line := &status.Observer{Clock: func() event.Clock { return clock }, Show: func(s status.State) { last = s }}
	line.Refresh()
	if last != (status.State{}) {
		t.Errorf("without a turn, the line shows %q", last.Words())
	}
	line.Observe(t.Context(), event.Began{})
	line.Observe(t.Context(), event.Thinking{Delta: "Hm."})
	since := last.Since
	clock.Suspended = time.Hour
	clock.At = clock.At.Add(clock.Suspended + time.Minute)
	line.Refresh()
	if away := last.Since.Sub(since); away != time.Hour || last.Heard.Before(last.Since) || last.At != clock.At {
		t.Errorf("after an hour away, the step is %v younger, and output was %v after its beginning", away,
			last.Heard.Sub(last.Since))
	}
	line.Observe(t.Context(), event.Ended{})
	last = status.State{}
	if line.Refresh(); last != (status.State{}) {
		t.Errorf("after the turn, the line shows %q", last.Words())
	}
}

// When the call that ran longest ends, the line has the time of the next, as its row has.
func TestStepBeginsWithFirstCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var paused time.Duration
		var last status.State
		steps := map[time.Time]bool{}
		line := &status.Observer{
			Clock: func() event.Clock {
				return event.Clock{At: time.Now(), Worked: time.Since(began) - paused}
			},
			Show: func(s status.State) {
				if last = s; s.Phase == status.UsingTool {
					steps[s.Since] = true
				}
			},
		}
		calls := make([]event.ToolCall, 6)
		for i := range calls {
			calls[i] = event.ToolCall{ID: string(rune('a' + i)), Title: "Find User"}
		}
		ends := func(after time.Duration, call event.ToolCall, left ...event.ToolCall) {
			time.Sleep(after)
			line.Observe(t.Context(), event.ToolFinished{Call: call})
			line.Observe(t.Context(), event.Running{Calls: left})
		}
		line.Observe(t.Context(), event.Began{})
		line.Observe(t.Context(), event.Running{Calls: calls[:4]})
		ends(2*time.Second, calls[0], calls[1:5]...)
		ends(time.Second, calls[1], calls[2:6]...)
		if took := time.Since(last.Since); took != 3*time.Second || len(steps) != 1 {
			t.Errorf("the first calls run for %v in %d steps", took, len(steps))
		}
		ends(time.Second, calls[3], calls[2], calls[4], calls[5])
		ends(time.Second, calls[2], calls[4], calls[5])
		if took := time.Since(last.Since); took != 3*time.Second || len(steps) != 2 {
			t.Errorf("the fifth call runs for %v in %d steps", took, len(steps))
		}
		line.Observe(t.Context(), event.ServerAsks{Server: "shop"})
		time.Sleep(time.Minute)
		paused = time.Minute
		line.Observe(t.Context(), event.ServerAsks{})
		if took := time.Since(last.Since); took != 3*time.Second {
			t.Errorf("after a minute of waiting for you, the fifth call runs for %v", took)
		}
		ends(time.Second, calls[4], calls[5])
		if took := time.Since(last.Since); took != 3*time.Second {
			t.Errorf("the last call runs for %v", took)
		}
	})
}
