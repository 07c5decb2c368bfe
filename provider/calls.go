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
	t.lastFailed, t.unapproved = "", ""

	jobs := t.accept(&r)
	jobs[len(jobs)-1].postscript = t.remaining()
	t.append(r.Message)
	end := t.runGroups(ctx, r, jobs)
	for _, j := range jobs {
		t.result.ToolCalls = append(t.result.ToolCalls, j.ToolCall)
	}
	if end.goesOn() && t.result.Rounds >= t.limits.Iterations {
		return t.limits.iterationsUsed()
	}
	return end
}

// runGroups runs the calls, all at once when none of them can disturb another, else one after the other. Once one of them ends the turn,
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
			end = t.judge(ctx, group)
			said = ""
		}
		t.skip(group, end)
		t.append(answers(group)...)
		left -= len(group)
	}
	return end
}

// together is how many of the calls may run at the same time: all when trusted servers say of each tool that it changes nothing, or nothing
// more when called again; else one.
func together(jobs []*job) int {
	for _, j := range jobs {
		if !j.tool.Trusted || !j.tool.ReadOnly && !j.tool.Idempotent {
			return 1
		}
	}
	return len(jobs)
}

// admit settles the calls that will not run, and says whether one of them ends the turn.
func (t *turn) admit(ctx context.Context, group []*job, room int) ending {
	t.skipTwins(group)
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
		return t.refuseUnknown(j)
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

// refuseUnknown tells the model the nearest names. When it was told so in an earlier round, it will not get it right: the turn ends.
func (t *turn) refuseUnknown(j *job) ending {
	t.settle(j, CallError, t.unknownTool(j.Name))
	if t.misnamed > 0 && t.misnamed < t.result.Rounds {
		return limited(InvalidTool, nil, fmt.Sprintf("the model called %q again, a tool that does not exist", clip(sanitize.Line(j.Name), 100)), "")
	}
	t.misnamed = t.result.Rounds
	return ending{}
}

// judge counts the failures of a group, and says whether they, the time or a person end the turn.
func (t *turn) judge(ctx context.Context, group []*job) ending {
	if ctx.Err() != nil {
		return t.interrupted(ctx, ctx.Err())
	}
	for _, j := range group {
		switch j.Status {
		case CallOK, CallCached:
			t.failures, t.lastFailed = 0, ""
		case CallError:
			t.failures++
			t.lastFailed = j.Title
			if t.failures >= t.limits.ConsecutiveErrors {
				return t.limits.errorsUsed(j.Title + ": " + j.Error)
			}
		}
	}
	return ending{}
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
