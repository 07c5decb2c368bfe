package provider

import (
	"time"

	"github.com/aloudchat/aloud/status"
)

// statusEvery is how often the token count on the status line moves.
const statusEvery = 250 * time.Millisecond

// show puts a step on the status line. A step that is already there stays as it is.
func (t *turn) show(phase status.Phase, words string) {
	if t.line.Phase != phase || t.line.Text != words {
		t.begin(phase, words)
	}
}

// begin puts a new step on the status line, its clock at zero.
func (t *turn) begin(phase status.Phase, words string) { t.beginFor(phase, words, 0) }

// beginFor is begin for a step that is expected to take so long; 0: nobody knows.
func (t *turn) beginFor(phase status.Phase, words string, expected time.Duration) {
	now := time.Now()
	t.line.Phase, t.line.Text, t.line.Since, t.line.Expected, t.line.Part = phase, words, now, expected, 0
	t.line.Heard = time.Time{}
	if awaitsModel(phase) {
		t.line.Heard = now
	}
	t.tell()
}

// reword says the same step in other words, of which a part is done.
func (t *turn) reword(words string, part float64) {
	if t.line.Text != words || t.line.Part != part {
		t.line.Text, t.line.Part = words, part
		t.tell()
	}
}

// heard counts a piece of the reply, and tells it when the last word on that is old enough.
func (t *turn) heard() {
	t.line.Tokens++
	t.line.Heard = time.Now()
	if t.line.Heard.Sub(t.line.At) >= statusEvery {
		t.tell()
	}
}

// tell emits the status line as it is now.
func (t *turn) tell() {
	t.leaveOutAbsence()
	t.line = t.clock.stamp(t.line)
	line := t.line
	if !line.Ends.IsZero() {
		line.Text = status.Finishing
	}
	t.emit(Status{line})
}

// leaveOutAbsence moves what the line counts from by the time in which the program was suspended since the last call.
func (t *turn) leaveOutAbsence() {
	away := t.clock.suspended()
	if d := away - t.absence; d > 0 {
		now := time.Now()
		t.line.Since, t.line.Heard = later(t.line.Since, d, now), later(t.line.Heard, d, now)
	}
	t.absence = away
}

// later moves a time, unless it is none, and never beyond now.
func later(t time.Time, d time.Duration, now time.Time) time.Time {
	moved := t.Add(d)
	switch {
	case t.IsZero():
		return t
	case moved.After(now):
		return now
	}
	return moved
}

// awaitsModel tells the phases in which bytes of the model are due, so that silence is worth a word.
func awaitsModel(p status.Phase) bool {
	switch p {
	case status.Analyzing, status.Reading, status.Thinking, status.Formulating, status.Selecting, status.Processing, status.Retrying, status.ToolFailed:
		return true
	}
	return false
}

// showWaiting says what the model is asked for until its first byte comes: it got a question, results, or news of a failure.
func (t *turn) showWaiting() {
	switch {
	case t.attempt > 1:
		t.begin(status.Retrying, status.RetryingAttempt(t.attempt, t.attempts))
	case t.result.Rounds == 0:
		t.show(status.Analyzing, status.Analyzing.Words())
	case t.lastFailed != "":
		t.begin(status.ToolFailed, status.Failed(t.lastFailed))
	default:
		t.begin(status.Processing, status.Processing.Words())
	}
}
