package transcript

import (
	"fmt"
	"slices"

	"github.com/aloudchat/aloud/provider/event"
)

// Walk chooses the next step of the receipt nearest to the view, or the previous one if by is -1, and shows what
// happened in it at the top of the view. It does nothing while the steps are folded.
func (t *Transcript) Walk(by int) {
	r := t.nearest()
	if !t.look.Details || r == nil {
		return
	}
	if r != t.walked {
		t.leave()
		t.walked = r
	}
	if r.step == 0 && by < 0 {
		r.step = len(r.steps) + 1
	}
	r.step = min(max(1, r.step+by), len(r.steps))
	r.forget()
	t.chosen = r.steps[r.step-1]
	top := anchor{entry: max(0, slices.Index(t.entries, t.chosen))}
	if _, gap := t.entry(top.entry); t.height < pinnedHeight {
		top.row = gap // else the question is there
	}
	t.show(top)
}

// leave chooses no step.
func (t *Transcript) leave() {
	if t.walked != nil {
		t.walked.step = 0
		t.walked.forget()
		t.walked, t.chosen = nil, nil
	}
}

// Step returns "step 2 of 8" if a step is chosen, or "".
func (t *Transcript) Step() string {
	if t.walked == nil {
		return ""
	}
	return fmt.Sprintf("step %d of %d", t.walked.step, len(t.walked.steps))
}

// nearest returns the receipt of the turn at the top of the view, or while following the one with the chosen step, or
// else the last one. Receipts of a single step do not count. It returns nil if there is none.
func (t *Transcript) nearest() (r *receiptEntry) {
	if t.follow && t.walked != nil {
		return t.walked
	}
	for i, e := range t.entries {
		if n, ok := e.(*receiptEntry); ok && len(n.steps) > 1 {
			if r = n; !t.follow && i >= t.top.entry {
				break
			}
		}
	}
	return r
}

// stepsOf returns what happened in each lap of the turn that has just ended: the call, or the first thing that the
// model wrote in that round, or the last entry if it wrote nothing.
func (t *Transcript) stepsOf(laps []event.Lap) []entry {
	entries := t.entries // of the turn
	for i, e := range slices.Backward(t.entries) {
		if _, asked := e.(*userEntry); asked || isReceipt(e) {
			entries = t.entries[i:]
			break
		}
	}
	laps = laps[:min(len(laps), keptLaps)]
	steps, rounds := make([]entry, len(laps)), map[entry]int{}
	for i, lap := range laps {
		isLap := func(e entry) bool {
			call, ok := e.(*toolEntry)
			return ok && lap.Kind == event.LapTool && lap.Title == call.call.Title && lap.Status == call.call.Status &&
				lap.MS == call.call.DurationMS && rounds[e] == 0
		}
		if at := slices.IndexFunc(entries, isLap); at >= 0 {
			steps[i], rounds[entries[at]] = entries[at], lap.Round
		}
	}
	var written []entry // by round
	called := true      // text begins the next round
	for _, e := range entries {
		switch e.(type) {
		case *toolEntry:
			if called = true; len(written) < max(1, rounds[e]) {
				written = append(written, e)
			}
		case *thoughtEntry, *replyEntry:
			if called {
				written = append(written, e)
			}
			called = false
		}
	}
	written = append(written, entries[max(0, len(entries)-1):]...)
	for i, lap := range laps {
		if last := len(written) - 1; steps[i] == nil && last >= 0 {
			steps[i] = written[min(max(0, lap.Round), last)]
		}
	}
	return steps
}
