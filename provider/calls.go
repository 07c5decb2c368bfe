package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
)

// useTools runs the calls of a reply. However it ends, every call gets its answer, in the order of the calls.
func (t *turn) useTools(ctx context.Context, r reply) ending {
	t.result.Rounds++
	t.line.Round = t.result.Rounds
	t.unapproved = ""

	jobs := t.accept(&r)
	t.tellRemaining(jobs[len(jobs)-1])
	t.append(r.Message)
	end := t.runGroups(ctx, r, jobs)
	for _, j := range jobs {
		t.result.ToolCalls = append(t.result.ToolCalls, j.ToolCall)
	}
	if end.goesOn() {
		end = t.judge(jobs)
	}
	if end.goesOn() && t.result.Rounds >= t.limits.Iterations {
		return t.limits.iterationsUsed()
	}
	return end
}

// runGroups runs the calls, all at once when none of them changes anything, else one after the other. Once one of them ends the turn,
// those that are left are only answered.
func (t *turn) runGroups(ctx context.Context, r reply, jobs []*job) (end ending) {
	said, room, left := "", 0, len(jobs)
	if t.chat.Style == status.StyleSentence {
		said, _ = status.FromSaid(r.Text, r.Thinking)
	}
	for group := range slices.Chunk(jobs, together(jobs)) {
		if end.goesOn() {
			room = t.room(left)
			end = t.admit(ctx, group, room)
		}
		if end.goesOn() {
			t.runAll(ctx, group, room, said)
			said = ""
			if ctx.Err() != nil {
				end = t.interrupted(ctx, ctx.Err())
			}
		}
		t.skip(group, end)
		t.answerTwins(group)
		t.append(answers(group)...)
		left -= len(group)
	}
	return end
}

// together is how many of the calls may run at the same time: all when none of them changes anything, else one.
func together(jobs []*job) int {
	if slices.ContainsFunc(jobs, func(j *job) bool { return !changesNothing(j.tool) }) {
		return 1
	}
	return len(jobs)
}

// admit settles the calls that will not run, and says whether one of them ends the turn.
func (t *turn) admit(ctx context.Context, group []*job, room int) ending {
	for _, j := range group {
		if !j.pending() {
			continue
		}
		if end := t.admitOne(ctx, j, room); !end.goesOn() {
			return end
		}
		if ctx.Err() != nil {
			return t.interrupted(ctx, ctx.Err())
		}
	}
	return ending{}
}

func (t *turn) admitOne(ctx context.Context, j *job, room int) ending {
	if j.tool.Name == "" {
		t.settle(j, CallError, t.unknownTool(j.Name))
		return ending{}
	}
	if j.complaint != "" {
		t.settle(j, CallError, j.complaint)
		return ending{}
	}
	if end := t.checkRepeat(j, room); !end.goesOn() || !j.pending() {
		return end
	}
	if isReadMore(j.tool) {
		t.readOn(j, room)
		return ending{}
	}
	return t.permit(ctx, j)
}

// judge reports whether the failures of a round end the turn. They do so only when the model has seen one in an earlier round and no call of
// this round succeeded.
func (t *turn) judge(jobs []*job) ending {
	var failures []*job
	succeeded := false
	t.lastFailed = ""
	for _, j := range jobs {
		switch {
		case j.twin != nil:
		case j.Status == CallOK, j.Status == CallCached:
			succeeded, t.lastFailed = true, ""
		case j.Status == CallError:
			failures, t.lastFailed = append(failures, j), j.Title
		}
	}
	switch again := t.mistakes.note(failures, succeeded, t.result.Rounds); {
	case succeeded || len(failures) == 0:
		return ending{}
	case again != "":
		return limited(InvalidTool, nil, fmt.Sprintf("the model called %q again, a tool that does not exist", clip(sanitize.Line(again), 100)), "")
	case t.mistakes.rounds > 1 && t.mistakes.calls >= t.limits.ConsecutiveErrors:
		last := failures[len(failures)-1]
		return t.limits.errorsUsed(t.mistakes.calls, last.Title+": "+last.Error)
	}
	return ending{}
}

// mistakes counts what failed since a call last succeeded. The zero value is ready.
type mistakes struct {
	calls, rounds int
	unknown       map[string]int // tools that do not exist: the round in which the model was first told so
}

// note counts the failures of a round. It returns a tool that does not exist and that the model called although it was told so in an earlier round.
func (m *mistakes) note(failures []*job, succeeded bool, round int) (again string) {
	switch {
	case succeeded:
		*m = mistakes{}
	case len(failures) > 0:
		m.calls, m.rounds = m.calls+len(failures), m.rounds+1
	}
	if m.unknown == nil {
		m.unknown = make(map[string]int)
	}
	for _, j := range failures {
		if j.tool.Name != "" {
			continue
		}
		if told := m.unknown[j.Name]; told == 0 {
			m.unknown[j.Name] = round
		} else if told < round {
			again = j.Name
		}
	}
	return again
}

// skip settles the calls that are left when the turn ends.
func (t *turn) skip(group []*job, end ending) {
	for _, j := range group {
		switch {
		case !j.pending():
		case end.Reason == Cancelled:
			t.settle(j, CallCancelled, "This call was cancelled before it ran.")
		default:
			t.settle(j, CallSkipped, "This call was not run: "+end.why+".")
		}
	}
}
