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
	"github.com/aloudchat/aloud/status"
)

// observe passes the events of a turn of the model "m" to an observer, and returns the texts of the line in order, and
// its last state.
func observe(t *testing.T, events ...provider.Event) (words []string, last status.State) {
	t.Helper()
	line := &status.Observer{Show: func(s status.State) {
		if last = s; len(words) == 0 || words[len(words)-1] != s.Words() {
			words = append(words, s.Words())
		}
	}}
	line.Observe(t.Context(), provider.Began{Model: "m", Rounds: 10})
	for _, e := range events {
		line.Observe(t.Context(), e)
	}
	return words, last
}

func TestObserver(t *testing.T) {
	file, user := provider.ToolCall{ID: "1", Title: "Read File"}, provider.ToolCall{ID: "2", Title: "Read User"}
	runs := func(calls ...provider.ToolCall) provider.Event { return provider.Running{Calls: calls} }
	done := func(call provider.ToolCall) provider.Event { return provider.ToolFinished{Call: call} }
	far := func(done, total float64, message string) provider.Event {
		return provider.Progress{ID: "1", Progress: mcpclient.Progress{Done: done, Total: total, Message: message}}
	}
	asks := func(a string) provider.Event { return provider.ServerAsks{Server: a} }
	text := provider.Text{Delta: "Yes."}
	ask := provider.Asking{Attempt: 1, Attempts: 1}
	cancelled := provider.Ended{Result: provider.Result{Stop: provider.Stop{Reason: provider.Cancelled}}}
	for name, test := range map[string]struct {
		events []provider.Event
		want   string
	}{
		"servers that start": {[]provider.Event{provider.Connecting{All: 2}, provider.Connecting{Settled: 1, All: 2},
			provider.Asking{}, ask},
			"Connecting to servers (0/2), Connecting to servers (1/2), Analyzing request…"},
		"an answer": {[]provider.Event{ask, provider.Thinking{Delta: "Hm."}, provider.Text{Delta: "\n"}, text,
			provider.Ended{Result: provider.Result{Stop: provider.Stop{Reason: provider.Done}}}},
			"Analyzing request…, Thinking…, Formulating response…"},
		"a second attempt that had to load": {[]provider.Event{ask, provider.Asking{Attempt: 2, Attempts: 3},
			provider.Loading{}, provider.Reading{Tokens: 20}, text},
			"Analyzing request…, Retrying (2/3), Loading m…, Retrying (2/3), Formulating response…"},
		"a server that had no room": {[]provider.Event{ask, provider.Busy{}, provider.Reading{Tokens: 20}, text},
			"Analyzing request…, Retrying…, Analyzing request…, Formulating response…"},
		"a long prompt": {[]provider.Event{ask, provider.Reading{Tokens: 2000}, text},
			"Analyzing request…, Reading 2k tokens…, Formulating response…"},
		"a prompt that may be cached": {[]provider.Event{ask, provider.Reading{Tokens: 2000, Mark: provider.Unknown},
			provider.Reading{Tokens: 3400, Mark: provider.UpTo}, provider.Reading{Tokens: 2100, Mark: provider.About}},
			"Analyzing request…, Reading the prompt…, Reading up to 3.4k tokens…, Reading about 2.1k tokens…"},
		"what was told before": {[]provider.Event{ask, text, provider.Withdrawn{},
			provider.Thinking{Delta: "Hm.", Again: true}, provider.Calling{Calls: 1}, text},
			"Analyzing request…, Formulating response…, Selecting appropriate tools…"},
		"two calls": {[]provider.Event{runs(file, user), done(file), runs(user), done(user), runs(file)},
			"Using 2 tools: Read File, Read User, Using Read User…, Using Read File…"},
		"a tool that failed": {[]provider.Event{provider.ToolCalled{Call: file}, runs(file), done(file),
			provider.Asking{Failed: "Read File"}, ask},
			"Using Read File…, Tool Read File failed, trying alternative approach…, Processing tool results…"},
		"progress": {[]provider.Event{runs(file), far(40, 120, ""), far(20, 120, "reading"), far(1, 4, "")},
			"Using Read File…, Read File · 40/120, Read File · 20/120 · reading, Read File · 1/4"},
		"a server that asks": {[]provider.Event{runs(file), asks("box"), far(1, 2, ""), asks("")},
			"Using Read File…, Box asks for input, Read File · 1/2"},
		"an approval": {[]provider.Event{provider.Asked{}}, "Waiting for your approval"},
		"a summary": {[]provider.Event{provider.Compacting{}, provider.Compacting{Tokens: 1}, ask},
			"Compacting…, Analyzing request…"},
		"a turn that ends": {[]provider.Event{cancelled}, "Stopped by you"},
	} {
		if words, _ := observe(t, test.events...); strings.Join(words, ", ") != test.want {
			t.Errorf("%s: the line says\n%q, not\n%q", name, words, test.want)
		}
	}
}

// The name of a tool is always there. A sentence stands beside it.
func TestSentenceStandsBesideName(t *testing.T) {
	user := provider.ToolCall{ID: "1", Title: "Find User", Server: "shop"}
	shared := provider.ToolCall{ID: "2", Title: "Search on github", Server: "github"}
	builtIn := provider.ToolCall{ID: "3", Title: "Read File", Server: "files", BuiltIn: true}
	halfway := provider.Progress{ID: "1", Progress: mcpclient.Progress{Done: 1, Total: 2}}
	for name, test := range map[string]struct {
		style          status.Style
		text, thinking string
		calls          []provider.ToolCall
		progress       bool
		want           string
		from           status.Origin
		asked          bool // for a sentence
	}{
		"nothing written": {calls: []provider.ToolCall{user}, asked: true,
			want: `Using Find User on shop…, Find User on shop · "Looking it up"`},
		"a plan": {thinking: "I should look up the user.", calls: []provider.ToolCall{user},
			want: `Find User on shop · "Look up the user"`, from: status.Thought},
		"a heading": {thinking: "**Looking up the user**\n\nHm.", calls: []provider.ToolCall{user},
			want: `Find User on shop · "Looking up the user"`, from: status.Thought},
		"text that says it": {text: "Sure! Let me look up the user.", thinking: "I should look up the user.",
			calls: []provider.ToolCall{user}, want: `Find User on shop · "Let me look up the user"`, from: status.Written},
		"text that does not say it": {text: "Sure!", calls: []provider.ToolCall{user}, asked: true,
			want: `Using Find User on shop…, Find User on shop · "Looking it up"`},
		"a tool of two servers": {calls: []provider.ToolCall{shared}, asked: true,
			want: `Using Search on github…, Search on github · "Looking it up"`},
		"a built-in server": {calls: []provider.ToolCall{builtIn}, asked: true,
			want: `Using Read File…, Read File · "Looking it up"`},
		"several tools": {thinking: "I should look up the user.", calls: []provider.ToolCall{user, shared, builtIn},
			want: `Using 3 tools: Find User, Search on github, Read File · "Look up the user"`, from: status.Thought},
		"progress": {thinking: "I should look up the user.", calls: []provider.ToolCall{user}, progress: true,
			want: `Find User on shop · "Look up the user", Find User on shop · 1/2 · "Look up the user"`, from: status.Thought},
		"by name": {style: status.StyleName, thinking: "I should look up the user.", calls: []provider.ToolCall{user},
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
			line.Observe(t.Context(), provider.Began{Model: "m"})
			line.Observe(t.Context(), provider.Appended{Messages: []provider.Message{reply}})
			line.Observe(t.Context(), provider.Running{Calls: test.calls, Ask: ask})
			time.Sleep(time.Second)
			if test.progress {
				line.Observe(t.Context(), halfway)
			}
			line.Observe(t.Context(), provider.ToolFinished{Call: test.calls[0]})
			if got := strings.Join(words, ", "); got != test.want || asked != test.asked || from != test.from {
				t.Errorf("%s: the line says\n%s, asked %v, from %d, not\n%s", name, got, asked, from, test.want)
			}
		})
	}
}

// Chunks are about as many as tokens. The server's count replaces them.
func TestTokensCountedHereAreAbout(t *testing.T) {
	ask, text := provider.Asking{Attempt: 1}, provider.Text{Delta: "word "}
	counted := provider.Replied{Usage: provider.Usage{AnswerTokens: 13}}
	reply := provider.Appended{Messages: []provider.Message{{Role: provider.RoleAssistant}}}
	for name, test := range map[string]struct {
		events []provider.Event
		rough  bool
	}{
		"nothing yet":               {[]provider.Event{ask}, false},
		"chunks":                    {[]provider.Event{ask, text}, true},
		"counted by the server":     {[]provider.Event{ask, text, counted}, false},
		"chunks after a count":      {[]provider.Event{ask, text, counted, reply, ask, text}, true},
		"counts after a count":      {[]provider.Event{ask, text, counted, reply, ask, text, counted}, false},
		"a count after no count":    {[]provider.Event{ask, text, reply, ask, text, counted}, true},
		"discarded text":            {[]provider.Event{ask, text, provider.Withdrawn{}, ask}, false},
		"a server that never tells": {[]provider.Event{ask, text, provider.Replied{}, reply, ask}, true},
	} {
		if _, last := observe(t, append(test.events, provider.Busy{})...); last.Rough != test.rough {
			t.Errorf("%s: %d tokens are rough: %v", name, last.Tokens, last.Rough)
		}
	}
}

// Withdrawn text does not count, nor does text outside an answer, and the server's count is more exact.
func TestObserverTokens(t *testing.T) {
	ask, text := provider.Asking{Attempt: 1}, provider.Text{Delta: "word "}
	reply := provider.Appended{Messages: []provider.Message{{Role: provider.RoleAssistant}}}
	events := []provider.Event{ask, text, text, provider.Withdrawn{}, provider.Asking{Attempt: 2}, text,
		provider.Replied{Usage: provider.Usage{AnswerTokens: 13}}, reply,
		provider.Compacting{}, provider.Compacting{Tokens: 1}, ask, text, provider.Held{}}
	if _, last := observe(t, events...); last.Tokens != 15 {
		t.Errorf("the line counts %d tokens", last.Tokens)
	}
}

func TestObserverRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		line := &status.Observer{Clock: func() provider.Clock { return provider.Clock{At: time.Now()} },
			Show: func(status.State) { told++ }}
		line.Observe(t.Context(), provider.Began{})
		for range 1000 {
			line.Observe(t.Context(), provider.Text{Delta: "word "})
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
		_, last := observe(t, provider.Running{Calls: []provider.ToolCall{{ID: "1"}}},
			provider.Progress{ID: "1", Progress: mcpclient.Progress{Done: p[0], Total: p[1]}})
		if last.Part != want {
			t.Errorf("part of %v is %v, not %v", p, last.Part, want)
		}
	}
}

// After the program was suspended, the line is right before the next event.
func TestRefreshLeavesOutTimeAway(t *testing.T) {
	var last status.State
	clock := provider.Clock{At: time.Now()}
	line := &status.Observer{Clock: func() provider.Clock { return clock }, Show: func(s status.State) { last = s }}
	line.Refresh()
	if last != (status.State{}) {
		t.Errorf("without a turn, the line shows %q", last.Words())
	}
	line.Observe(t.Context(), provider.Began{})
	line.Observe(t.Context(), provider.Thinking{Delta: "Hm."})
	since := last.Since
	clock.Suspended = time.Hour
	clock.At = clock.At.Add(clock.Suspended + time.Minute)
	line.Refresh()
	if away := last.Since.Sub(since); away != time.Hour || last.Heard.Before(last.Since) || last.At != clock.At {
		t.Errorf("after an hour away, the step is %v younger, and output was %v after its beginning", away,
			last.Heard.Sub(last.Since))
	}
	line.Observe(t.Context(), provider.Ended{})
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
			Clock: func() provider.Clock {
				return provider.Clock{At: time.Now(), Worked: time.Since(began) - paused}
			},
			Show: func(s status.State) {
				if last = s; s.Phase == status.UsingTool {
					steps[s.Since] = true
				}
			},
		}
		calls := make([]provider.ToolCall, 6)
		for i := range calls {
			calls[i] = provider.ToolCall{ID: string(rune('a' + i)), Title: "Find User"}
		}
		ends := func(after time.Duration, call provider.ToolCall, left ...provider.ToolCall) {
			time.Sleep(after)
			line.Observe(t.Context(), provider.ToolFinished{Call: call})
			line.Observe(t.Context(), provider.Running{Calls: left})
		}
		line.Observe(t.Context(), provider.Began{})
		line.Observe(t.Context(), provider.Running{Calls: calls[:4]})
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
		line.Observe(t.Context(), provider.ServerAsks{Server: "shop"})
		time.Sleep(time.Minute)
		paused = time.Minute
		line.Observe(t.Context(), provider.ServerAsks{})
		if took := time.Since(last.Since); took != 3*time.Second {
			t.Errorf("after a minute of waiting for you, the fifth call runs for %v", took)
		}
		ends(time.Second, calls[4], calls[5])
		if took := time.Since(last.Since); took != 3*time.Second {
			t.Errorf("the last call runs for %v", took)
		}
	})
}
