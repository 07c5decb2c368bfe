//go:build e2e && unix

package e2e

import (
	"time"

	"github.com/aloudchat/aloud/e2e/recording"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// A turnStory is a turn to record, with its delays and its ending.
type turnStory struct {
	name string
	recording.Turn
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

func thinkerTurn(question string) recording.Turn {
	s := workerTurn(question)
	s.Model, s.Think = thinker, provider.ThinkOn
	return s
}

func workerTurn(question string) recording.Turn {
	return recording.Turn{Question: question, Model: worker, Context: recordedContext, Style: status.StyleSentence}
}

func with(t recording.Turn, change func(*recording.Turn)) recording.Turn {
	change(&t)
	return t
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
		Turn: with(thinkerTurn("[[trip]] When does the train leave?"), func(s *recording.Turn) {
			s.Load, s.Read = recording.Span(14*time.Second), recording.Span(12*time.Second)
		}),
		cold: true, connect: 1500 * time.Millisecond, load: 12 * time.Second, read: seconds(8.2), word: slowWord,
		ends: event.Done,
	},
	{
		name: "late-start",
		Turn: with(thinkerTurn("[[trip]] When does the train leave?"), func(s *recording.Turn) {
			s.Load, s.Read = recording.Span(6*time.Second), recording.Span(3*time.Second)
		}),
		cold: true, load: 11 * time.Second, read: seconds(13), word: slowWord, ends: event.Done,
	},
	{
		name: "tool-sentence", Turn: workerTurn("[[mirror]] Say it back to me."),
		read: seconds(0.8, 0.6), word: quickWord, sentence: 900 * time.Millisecond, tool: 7 * time.Second,
		ends: event.Done,
	},
	{
		name: "tools-thinking", Turn: thinkerTurn("[[studies]] Add 19 and 23, and say it back."),
		read: seconds(2, 1), word: slowWord, tool: 3 * time.Second, ends: event.Done,
	},
	{
		name: "tools-unthinking",
		Turn: with(thinkerTurn("[[works]] Add 17 and 25, and say it back."), func(s *recording.Turn) {
			s.Think = provider.ThinkOff
		}),
		read: seconds(0.8, 0.6), word: quickWord, sentence: 700 * time.Millisecond, tool: 4 * time.Second,
		ends: event.Done,
	},
	{
		name: "tool-name",
		Turn: with(workerTurn("[[mirror]] Say it back to me."), func(s *recording.Turn) { s.Style = status.StyleName }),
		read: seconds(2), word: slowWord, tool: 5 * time.Second, ends: event.Done,
	},
	{
		name: "tool-announced", Turn: workerTurn("[[announced]] Do it."),
		read: seconds(2), word: slowWord, ends: event.Done,
	},
	{
		name: "tool-progress",
		Turn: with(workerTurn("[[operation]] Do it."), func(s *recording.Turn) { s.Style = status.StyleName }),
		read: seconds(2), word: slowWord, ends: event.Done,
	},
	{
		name: "tool-printed",
		Turn: with(workerTurn("[[printed]] Say it back to me."), func(s *recording.Turn) { s.Model = writer }),
		read: seconds(2), word: slowWord, tool: 2 * time.Second, ends: event.Done,
	},
	{
		name: "three-tools", Turn: workerTurn("[[three]] All of it, please."),
		read: seconds(0.8, 1.5), word: quickWord, sentence: 700 * time.Millisecond, tool: 4 * time.Second,
		ends: event.Done,
	},
	{
		name: "approval",
		Turn: with(workerTurn("[[keep]] Save my packing list."), func(s *recording.Turn) {
			s.Answers = recording.Span(7 * time.Second)
		}),
		read: seconds(3, 2), word: slowWord, tool: 2 * time.Second, ends: event.Done,
	},
	{
		name: "approval-late",
		Turn: with(workerTurn("[[keep]] Save my packing list."), func(s *recording.Turn) {
			s.Answers, s.Load = recording.Span(34*time.Second), recording.Span(9*time.Second)
		}),
		load: 7 * time.Second, read: seconds(2, 4), word: slowWord, evicts: true, ends: event.Done,
	},
	{
		name: "approval-refused",
		Turn: with(workerTurn("[[keep]] Save my packing list."), func(s *recording.Turn) {
			s.Answers, s.Refuses = recording.Span(4*time.Second), true
		}),
		read: seconds(2), ends: event.Denied,
	},
	{
		name: "tool-failed", Turn: workerTurn("[[mislaid]] Where is it?"),
		read: seconds(2, 5, 3), word: slowWord, tool: 2 * time.Second, ends: event.Done,
	},
	{
		name: "retry", Turn: workerTurn("[[essay]] Write me an essay."),
		read: seconds(3, 6), word: slowWord, faults: map[int]fault{0: pauseReply}, ends: event.Done,
	},
	{
		name: "retry-unanswered", Turn: workerTurn("[[essay]] Write me an essay."),
		read: seconds(3, 4), word: slowWord, faults: map[int]fault{0: dropConnection}, ends: event.Done,
	},
	{
		name: "error", Turn: workerTurn("[[essay]] Write me an essay."),
		read: seconds(3, 4), faults: map[int]fault{0: dropConnection, 1: dropConnection}, ends: event.Failed,
	},
	{
		name: "silence",
		Turn: with(workerTurn("[[essay]] Write me an essay."), func(s *recording.Turn) {
			s.Silence, s.Stop = recording.Span(20*time.Second), recording.Span(36*time.Second)
		}),
		read: seconds(12), word: 100 * time.Millisecond, faults: map[int]fault{0: stallReply}, ends: event.Cancelled,
	},
	{
		name: "compacting",
		Turn: with(workerTurn("[[essay]] Write me an essay."), func(s *recording.Turn) { s.Context, s.Earlier = 4096, 3 }),
		read: seconds(3), word: slowWord, summary: 9 * time.Second, ends: event.Done,
	},
	{
		name: "limit-rounds", Turn: with(workerTurn("[[restless]] Find it."), func(s *recording.Turn) { s.Rounds = 3 }),
		read: seconds(2, 1.5), word: slowWord, tool: 1200 * time.Millisecond, ends: event.Iterations,
	},
	{
		name: "limit-errors", Turn: workerTurn("[[hopeless]] Find it."),
		read: seconds(2, 1.5), word: slowWord, ends: event.Errors,
	},
	{
		name: "limit-time",
		Turn: with(workerTurn("[[operation]] Do it."), func(s *recording.Turn) { s.Time = recording.Span(6 * time.Second) }),
		read: seconds(2), word: slowWord, sentence: 5 * time.Second, ends: event.Time,
	},
	{
		name: "limit-invalid-tool",
		Turn: with(workerTurn("[[inventor]] Take me there."), func(s *recording.Turn) { s.Model = inventor }),
		read: seconds(2), word: slowWord, ends: event.InvalidTool,
	},
	{
		name: "gave-up", Turn: workerTurn("[[cannot]] Book it."),
		read: seconds(2), word: slowWord, ends: event.GaveUp,
	},
	{
		name: "stopped",
		Turn: with(thinkerTurn("[[trip]] When does the train leave?"), func(s *recording.Turn) {
			s.Stop = recording.Span(6500 * time.Millisecond)
		}),
		cold: true, load: 4 * time.Second, read: seconds(9), word: slowWord, ends: event.Cancelled,
	},
}
