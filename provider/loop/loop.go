package loop

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// run is a turn from the first request to its ending: ask the model, run the calls of its reply, judge the results,
// and repeat. A reply without calls is the answer. After a limit the model is asked once more.
func (t *turn) run(ctx context.Context) ending {
	var asking sync.WaitGroup
	var loaded int
	asking.Go(func() { loaded = t.loadedContext(ctx) })
	err := t.awaitServers(ctx)
	asking.Wait()
	if err != nil {
		return t.interrupted(ctx, err)
	}
	working, timeUp := context.WithCancelCause(ctx)
	defer timeUp(nil)
	t.clock.start(t.limits.TotalTime, func() { timeUp(errTime) })
	defer t.clock.stop()

	if err := t.prepare(working, loaded); err != nil {
		return t.interrupted(working, err)
	}
	var last round
	for {
		reply, err := t.next(working, last)
		if err == nil && len(reply.Calls) == 0 {
			return t.answered(reply, last)
		}
		var end ending
		if err != nil {
			end = t.keepPartial(reply, t.interrupted(working, err))
		} else {
			last, end = t.useTools(working, reply)
		}
		switch {
		case end.goesOn():
		case end.Reason.IsLimit() && t.result.Answer == "":
			return t.wrapUp(ctx, end)
		default:
			return end
		}
	}
}

// next offers the current tools, makes room, adds what you have said meanwhile, and gets the reply that follows the
// round last. Room is made first, because it must not drop the results that the model has not read.
func (t *turn) next(ctx context.Context, last round) (reply, error) {
	t.offer()
	if err := t.makeRoom(ctx); err != nil {
		return reply{}, err
	}
	if t.chat.Steer != nil {
		t.steer(t.chat.Steer())
	}
	return t.ask(ctx, last.failed, func() provider.Request { return t.request(t.tools.specs, "") })
}

// steer adds your messages. You may have asked to look again, so that calls may be repeated.
func (t *turn) steer(messages []provider.Message) {
	if len(messages) > 0 {
		t.append(validated(messages)...)
		t.repeats = nil
	}
}

// answered ends the turn with the model's reply. last is the round before it.
func (t *turn) answered(r reply, last round) ending {
	r.Partial = r.isCut()
	t.append(r.Message)
	t.result.Answer = r.Text
	empty := strings.TrimSpace(r.Text) == ""
	switch {
	case r.gaveUp && empty:
		t.notice("The model gave up without a reason")
	case empty && !r.isCut():
		t.notice("No answer: %s", r.withoutAnswer().ForModel())
	}
	switch {
	case r.gaveUp:
		return stopped(event.Stop{Reason: event.GaveUp})
	// the model was not allowed to continue, so scripts must not treat this as done
	case last.unapproved != "":
		return stopped(event.Stop{Reason: event.Denied, Cause: event.Unapproved, Tool: last.unapproved})
	case r.isCut():
		return t.cutOff(r)
	case empty:
		return stopped(r.withoutAnswer())
	}
	return stopped(event.Stop{Reason: event.Done})
}

// withoutAnswer returns the end of a turn whose last reply was complete but has no text.
func (r reply) withoutAnswer() event.Stop {
	stop := event.Stop{Reason: event.GaveUp, Cause: event.EmptyAnswer, Value: 1}
	if strings.TrimSpace(r.Thinking) != "" {
		stop.Cause = event.OnlyThinking
	}
	if r.reason == provider.ReasonEmpty {
		stop.Value = 2
	}
	return stop
}

// keepPartial stores the text of a reply that was stopped. If it was the answer, it becomes the answer of the turn.
func (t *turn) keepPartial(r reply, end ending) ending {
	hadCalls := len(r.Calls) > 0
	r.Calls = nil
	if r.Text != "" || r.Thinking != "" {
		t.append(r.Message)
	}
	if !hadCalls && strings.TrimSpace(r.Text) != "" {
		t.result.Answer = r.Text
	}
	return end
}

// wrapUp makes the last request after a limit, without tools. The reason stays the limit's unless you cancel. The
// request has the rest of the time, and at least lastAnswer.
func (t *turn) wrapUp(ctx context.Context, end ending) ending {
	t.clock.release()
	bounded, timeUp := context.WithCancelCause(ctx)
	defer timeUp(nil)
	t.clock.grant(lastAnswer, func() { timeUp(errTime) })
	r, err := t.ask(bounded, "", func() provider.Request { return t.request(nil, wrapUp(end.ForModel())) })
	r.Calls = nil // none were offered
	r.Partial = r.Partial || r.isCut()
	if r.Text != "" || r.Thinking != "" {
		t.append(r.Message)
	}
	t.result.Answer = r.Text
	switch {
	case ctx.Err() != nil:
		return t.interrupted(ctx, err)
	case strings.TrimSpace(r.Text) == "":
		t.result.Answer = ""
		if err != nil && bounded.Err() == nil {
			end.answer = "the last request failed: " + err.Error()
		} else {
			end.answer = "the model gave no final answer"
		}
		if r.isCut() {
			end.answer += ": " + t.cutOff(r).ForModel()
		}
		return end
	case bounded.Err() != nil:
		end.answer = "the final answer was cut off after " + quantity.Duration(lastAnswer)
	case err != nil:
		end.answer = "the final answer broke off: " + err.Error()
	case r.isCut():
		end.answer = "the final answer was cut off: " + t.cutOff(r).ForModel()
	}
	t.result.LastRequest = true
	return end
}

// round is one reply with calls, and their outcome.
type round struct {
	*turn
	reply      reply
	jobs       []*job
	unapproved string // title of a tool for which aloud could not ask approval, or ""
	failed     string // title of the last failed tool in the results, or ""
}

// useTools runs the calls of a reply. Every call gets a result, in the order of the calls.
func (t *turn) useTools(ctx context.Context, reply reply) (round, ending) {
	t.result.Rounds++
	_ = t.known.describe(ctx, t.chat.Model) // if this fails, everything is tried
	r := round{turn: t, reply: reply}
	r.accept()
	t.append(r.reply.Message)
	end := r.runAll(ctx)
	for _, j := range r.jobs {
		t.result.ToolCalls = append(t.result.ToolCalls, j.ToolCall)
	}
	if end.goesOn() {
		end = r.judge()
	}
	if end.goesOn() && t.result.Rounds >= t.limits.Iterations {
		end = t.roundsUsed()
	}
	return r, end
}

// runAll runs the calls, together if none of them changes anything, or else one by one. Once a call ends the turn,
// the rest are skipped.
func (r *round) runAll(ctx context.Context) (end ending) {
	room, left, size := 0, len(r.jobs), max(1, len(r.jobs))
	if slices.ContainsFunc(r.jobs, func(j *job) bool { return !changesNothing(j.tool) }) {
		size = 1
	}
	for group := range slices.Chunk(r.jobs, size) {
		if end.goesOn() {
			room = r.room(left)
			end = r.admit(ctx, group, room)
		}
		if end.goesOn() {
			end = r.runGroup(ctx, group, room)
		}
		for _, j := range group {
			for end.goesOn() && j.changed != nil {
				if end = r.judgeAgain(ctx, j, room); end.goesOn() {
					end = r.runGroup(ctx, []*job{j}, room)
				}
			}
		}
		r.skip(group, end)
		r.answerTwins(group)
		r.append(answers(group)...)
		left -= len(group)
	}
	return end
}

// changesNothing reports whether a trusted server says that a tool is read-only.
func changesNothing(t mcpclient.Tool) bool { return t.Trusted && t.ReadOnly }

// judge reports whether the failures of a round end the turn. They do so only if the model has seen a failure in an
// earlier round and no call of this round succeeded.
func (r *round) judge() ending {
	var failures []*job
	succeeded := false
	for _, j := range r.jobs {
		switch {
		case j.twin != nil:
		case j.Status == event.CallOK, j.Status == event.CallCached:
			succeeded, r.failed = true, ""
		case j.Status == event.CallError:
			failures, r.failed = append(failures, j), j.Title
		}
	}
	m := &r.mistakes
	switch again := m.note(failures, succeeded, r.result.Rounds); {
	case succeeded || len(failures) == 0:
		return ending{}
	case again != "":
		return stopped(event.Stop{Reason: event.InvalidTool, Tool: sanitize.Cut(sanitize.Line(again), 100)})
	case m.rounds > 1 && m.calls >= r.limits.ConsecutiveErrors:
		last := failures[len(failures)-1]
		return stopped(event.Stop{Reason: event.Errors, Value: m.calls, Limit: r.limits.ConsecutiveErrors,
			Tool: last.Title, Error: last.Error})
	}
	return ending{}
}

// mistakes counts failures since the last success. The zero value is ready to use.
type mistakes struct {
	calls, rounds int
	unknown       map[string]int // tools that do not exist, with the round in which the model was first told
}

// note counts the failures of a round. It returns the name of a tool that does not exist and that the model called
// again after it was told.
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
