//go:build e2e && unix

package e2e

import (
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// turnSetup is the first line of a recording: the start of the turn and the user's actions.
type turnSetup struct {
	Question string         `json:"question"`
	Model    string         `json:"model"`
	Context  int            `json:"context"`
	Think    provider.Think `json:"think,omitempty"`
	Style    status.Style   `json:"style,omitempty"`
	Earlier  int            `json:"earlier,omitempty"` // number of long turns before this one
	Rounds   int            `json:"rounds,omitempty"`  // limits; 0 means the default
	Time     span           `json:"time,omitempty"`
	Silence  span           `json:"silence,omitempty"`
	Answers  span           `json:"answers,omitempty"` // time until the user answers an approval
	Refuses  bool           `json:"refuses,omitempty"` // the user denies the call
	Stop     span           `json:"stop,omitempty"`    // when the user stops the turn
	Load     span           `json:"load,omitempty"`    // measured time to load the model
	Read     span           `json:"read,omitempty"`    // measured time to read 1,000 tokens
}

// span is a duration in readable form.
type span time.Duration

func (s span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*s = span(d)
	return err
}

// A turnStory is a turn to record, with its delays and its ending.
type turnStory struct {
	name string
	turnSetup
	real     bool            // the model has real weights, and the tools are built in
	cold     bool            // the model is not in memory
	connect  time.Duration   // for each tool server
	load     time.Duration   // until the model is in memory
	read     []time.Duration // until the first token of each answer; the last one repeats
	word     time.Duration   // between tokens
	sentence time.Duration   // until a status sentence begins
	summary  time.Duration   // until a summary begins
	tool     time.Duration   // minimum for each call
	faults   map[int]fault   // by number of the answer, from 0
	evicts   bool            // the model is unloaded while an approval is pending
	ends     event.Reason
}

const recordedContext = 8192

func thinkerTurn(question string) turnSetup {
	s := workerTurn(question)
	s.Model, s.Think = thinker, provider.ThinkOn
	return s
}

func workerTurn(question string) turnSetup {
	return turnSetup{Question: question, Model: worker, Context: recordedContext, Style: status.StyleSentence}
}

func (s turnSetup) with(change func(*turnSetup)) turnSetup {
	change(&s)
	return s
}

func seconds(list ...float64) []time.Duration {
	var all []time.Duration
	for _, n := range list {
		all = append(all, time.Duration(n*float64(time.Second)).Round(time.Millisecond))
	}
	return all
}

const (
	slowWord  = 400 * time.Millisecond
	quickWord = 40 * time.Millisecond // sentences are requested only from fast models
)

// turnStories are the recorded turns.
var turnStories = []turnStory{
	{
		name: "cold-start",
		turnSetup: thinkerTurn("[[trip]] When does the train leave?").with(func(s *turnSetup) {
			s.Load, s.Read = span(14*time.Second), span(12*time.Second)
		}),
		cold: true, connect: 1500 * time.Millisecond, load: 12 * time.Second, read: seconds(8.2), word: slowWord,
		ends: event.Done,
	},
	{
		name: "late-start",
		turnSetup: thinkerTurn("[[trip]] When does the train leave?").with(func(s *turnSetup) {
			s.Load, s.Read = span(6*time.Second), span(3*time.Second)
		}),
		cold: true, load: 11 * time.Second, read: seconds(13), word: slowWord, ends: event.Done,
	},
	{
		name: "tool-sentence", turnSetup: workerTurn("[[mirror]] Say it back to me."),
		read: seconds(0.8, 0.6), word: quickWord, sentence: 900 * time.Millisecond, tool: 7 * time.Second,
		ends: event.Done,
	},
	{
		name: "tools-thinking", turnSetup: thinkerTurn("[[studies]] Add 19 and 23, and say it back."),
		read: seconds(2, 1), word: slowWord, tool: 3 * time.Second, ends: event.Done,
	},
	{
		name: "tools-unthinking",
		turnSetup: thinkerTurn("[[works]] Add 17 and 25, and say it back.").with(func(s *turnSetup) {
			s.Think = provider.ThinkOff
		}),
		read: seconds(0.8, 0.6), word: quickWord, sentence: 700 * time.Millisecond, tool: 4 * time.Second,
		ends: event.Done,
	},
	{
		name:      "tool-name",
		turnSetup: workerTurn("[[mirror]] Say it back to me.").with(func(s *turnSetup) { s.Style = status.StyleName }),
		read:      seconds(2), word: slowWord, tool: 5 * time.Second, ends: event.Done,
	},
	{
		name: "tool-announced", turnSetup: workerTurn("[[announced]] Do it."),
		read: seconds(2), word: slowWord, ends: event.Done,
	},
	{
		name:      "tool-progress",
		turnSetup: workerTurn("[[operation]] Do it.").with(func(s *turnSetup) { s.Style = status.StyleName }),
		read:      seconds(2), word: slowWord, ends: event.Done,
	},
	{
		name:      "tool-printed",
		turnSetup: workerTurn("[[printed]] Say it back to me.").with(func(s *turnSetup) { s.Model = writer }),
		read:      seconds(2), word: slowWord, tool: 2 * time.Second, ends: event.Done,
	},
	{
		name: "three-tools", turnSetup: workerTurn("[[three]] All of it, please."),
		read: seconds(0.8, 1.5), word: quickWord, sentence: 700 * time.Millisecond, tool: 4 * time.Second,
		ends: event.Done,
	},
	{
		name: "approval",
		turnSetup: workerTurn("[[keep]] Save my packing list.").with(func(s *turnSetup) {
			s.Answers = span(7 * time.Second)
		}),
		read: seconds(3, 2), word: slowWord, tool: 2 * time.Second, ends: event.Done,
	},
	{
		name: "approval-late",
		turnSetup: workerTurn("[[keep]] Save my packing list.").with(func(s *turnSetup) {
			s.Answers, s.Load = span(34*time.Second), span(9*time.Second)
		}),
		load: 7 * time.Second, read: seconds(2, 4), word: slowWord, evicts: true, ends: event.Done,
	},
	{
		name: "approval-refused",
		turnSetup: workerTurn("[[keep]] Save my packing list.").with(func(s *turnSetup) {
			s.Answers, s.Refuses = span(4*time.Second), true
		}),
		read: seconds(2), ends: event.Denied,
	},
	{
		name: "tool-failed", turnSetup: workerTurn("[[mislaid]] Where is it?"),
		read: seconds(2, 5, 3), word: slowWord, tool: 2 * time.Second, ends: event.Done,
	},
	{
		name: "retry", turnSetup: workerTurn("[[essay]] Write me an essay."),
		read: seconds(3, 6), word: slowWord, faults: map[int]fault{0: pauseReply}, ends: event.Done,
	},
	{
		name: "retry-unanswered", turnSetup: workerTurn("[[essay]] Write me an essay."),
		read: seconds(3, 4), word: slowWord, faults: map[int]fault{0: dropConnection}, ends: event.Done,
	},
	{
		name: "error", turnSetup: workerTurn("[[essay]] Write me an essay."),
		read: seconds(3, 4), faults: map[int]fault{0: dropConnection, 1: dropConnection}, ends: event.Failed,
	},
	{
		name: "silence",
		turnSetup: workerTurn("[[essay]] Write me an essay.").with(func(s *turnSetup) {
			s.Silence, s.Stop = span(20*time.Second), span(36*time.Second)
		}),
		read: seconds(12), word: 100 * time.Millisecond, faults: map[int]fault{0: stallReply}, ends: event.Cancelled,
	},
	{
		name:      "compacting",
		turnSetup: workerTurn("[[essay]] Write me an essay.").with(func(s *turnSetup) { s.Context, s.Earlier = 4096, 3 }),
		read:      seconds(3), word: slowWord, summary: 9 * time.Second, ends: event.Done,
	},
	{
		name: "limit-rounds", turnSetup: workerTurn("[[restless]] Find it.").with(func(s *turnSetup) { s.Rounds = 3 }),
		read: seconds(2, 1.5), word: slowWord, tool: 1200 * time.Millisecond, ends: event.Iterations,
	},
	{
		name: "limit-errors", turnSetup: workerTurn("[[hopeless]] Find it."),
		read: seconds(2, 1.5), word: slowWord, ends: event.Errors,
	},
	{
		name:      "limit-time",
		turnSetup: workerTurn("[[operation]] Do it.").with(func(s *turnSetup) { s.Time = span(6 * time.Second) }),
		read:      seconds(2), word: slowWord, sentence: 5 * time.Second, ends: event.Time,
	},
	{
		name:      "limit-invalid-tool",
		turnSetup: workerTurn("[[inventor]] Take me there.").with(func(s *turnSetup) { s.Model = inventor }),
		read:      seconds(2), word: slowWord, ends: event.InvalidTool,
	},
	{
		name: "gave-up", turnSetup: workerTurn("[[cannot]] Book it."),
		read: seconds(2), word: slowWord, ends: event.GaveUp,
	},
	{
		name: "stopped",
		turnSetup: thinkerTurn("[[trip]] When does the train leave?").with(func(s *turnSetup) {
			s.Stop = span(6500 * time.Millisecond)
		}),
		cold: true, load: 4 * time.Second, read: seconds(9), word: slowWord, ends: event.Cancelled,
	},
}
