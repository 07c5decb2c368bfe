package session

import (
	"cmp"
	"slices"

	"github.com/aloudchat/aloud/provider"
)

// tally counts the turns of one model.
type tally struct {
	turns         int
	conversations int
	last          string // the session of the last turn
	stops         map[provider.Reason]int
	rounds        []int
	chained       int
	timing        timings
	read, written speed
	tools         map[toolName]*toolTally
}

type toolName struct{ server, name string }

// toolTally counts the calls of one tool.
type toolTally struct {
	calls, failed, notRun, repaired int
	durations                       []int64
}

// timings are the times of many turns, part by part.
type timings struct{ load, prompt, answer, tools, total []int64 }

// speed adds up tokens and the milliseconds they took.
type speed struct{ tokens, ms float64 }

func newTally() *tally {
	return &tally{stops: map[provider.Reason]int{}, tools: map[toolName]*toolTally{}}
}

func (t *tally) count(session string, turn finishedTurn) {
	t.turns++
	if t.turns == 1 || session != t.last {
		t.conversations++
		t.last = session
	}
	t.stops[turn.Stop.Reason]++
	for _, c := range turn.Calls {
		t.tool(c).count(c)
	}
	if turn.Stop.Reason == provider.Cancelled || turn.Stop.Reason == provider.Failed {
		return
	}
	t.rounds = append(t.rounds, turn.Rounds)
	if turn.Rounds >= 2 {
		t.chained++
	}
	t.timing.add(turn.Timing)
	t.read.add(turn.Usage.PromptTokens, turn.Timing.Prompt)
	t.written.add(turn.Usage.AnswerTokens, turn.Timing.Answer)
}

// readMore is the tool that no server has: a turn offers it itself.
const readMore = "read_more"

// tool finds the tool of a call. Those that do not exist are one: a model may invent any number of names.
func (t *tally) tool(c callEnd) *toolTally {
	name := toolName{c.Server, c.Name}
	if c.Server == "" && c.Name != readMore {
		name = toolName{}
	}
	if t.tools[name] == nil {
		t.tools[name] = new(toolTally)
	}
	return t.tools[name]
}

func (t *toolTally) count(c callEnd) {
	t.calls++
	if c.Repaired {
		t.repaired++
	}
	switch c.Status {
	case provider.CallOK:
		t.durations = append(t.durations, c.DurationMS)
	case provider.CallError:
		t.failed++
	default:
		t.notRun++
	}
}

// add counts one turn. Its total is at least as long as each part: servers measure with clocks of their own.
func (t *timings) add(timing provider.Timing) {
	t.load = append(t.load, timing.Load)
	t.prompt = append(t.prompt, timing.Prompt)
	t.answer = append(t.answer, timing.Answer)
	t.tools = append(t.tools, timing.Tools)
	t.total = append(t.total, max(timing.Total, timing.Load, timing.Prompt, timing.Answer, timing.Tools))
}

// add leaves out what was not measured: its tokens would make the rest seem faster.
func (s *speed) add(tokens int, ms int64) {
	if tokens > 0 && ms > 0 {
		s.tokens, s.ms = s.tokens+float64(tokens), s.ms+float64(ms)
	}
}

func (t *tally) stats(model string) ModelStats {
	m := ModelStats{
		Model: model, Turns: t.turns, Conversations: t.conversations, Finished: t.stops[provider.Done], Stops: t.stops,
		Rounds:  RoundStats{Median: percentile(t.rounds, .5), P99: percentile(t.rounds, .99), Chained: share(t.chained, len(t.rounds))},
		Latency: t.timing.stats(),
		Speed:   SpeedStats{Read: t.read.perSecond(), Written: t.written.perSecond()},
		Tools:   []ToolStats{},
	}
	for _, n := range t.rounds {
		m.Rounds.Mean += float64(n) / float64(len(t.rounds))
	}
	m.Rounds.Mean = rounded(m.Rounds.Mean, 2)
	for name, tool := range t.tools {
		m.Tools = append(m.Tools, tool.stats(name))
	}
	slices.SortFunc(m.Tools, func(a, b ToolStats) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Name, b.Name))
	})
	return m
}

func (t *toolTally) stats(name toolName) ToolStats {
	return ToolStats{
		Name: name.name, Server: name.server, Calls: t.calls, Failed: t.failed, NotRun: t.notRun, Repaired: t.repaired,
		FailureRate: share(t.failed, t.calls-t.notRun), Duration: latency(t.durations),
	}
}

func (t *timings) stats() LatencyStats {
	return LatencyStats{Load: latency(t.load), Prompt: latency(t.prompt), Answer: latency(t.answer), Tools: latency(t.tools), Total: latency(t.total)}
}

func latency(ms []int64) Latency {
	return Latency{Median: percentile(ms, .5), P95: percentile(ms, .95)}
}

func (s speed) perSecond() float64 {
	if s.ms == 0 {
		return 0
	}
	return rounded(s.tokens*1000/s.ms, 1)
}
