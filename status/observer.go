package status

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status/tape"
)

const (
	toldEvery    = 250 * time.Millisecond // minimum time between two changes of the token count
	worthReading = 200                    // the minimum number of tokens for which the line shows Reading
)

// Observer makes the status line from the events of turns. It serves all turns of a chat, one at a time.
type Observer struct {
	Style Style              // "" is StyleName; may be changed between turns
	Clock func() event.Clock // the turn's work clock: Clock of loop.Shared
	Log   *slog.Logger       // gets every phase, also those too short to be drawn; may be nil

	// Show gets every new state, one at a time: during Observe, or from another goroutine when a sentence arrives. It
	// must not call Observe.
	Show func(State)

	writer writer
	mu     sync.Mutex
	turn
}

// turn is the state of an Observer in one turn.
type turn struct {
	state     State
	model     string
	suspended time.Duration // how much of the clock's suspended time was already subtracted
	counted   int           // tokens before the current reply
	rough     bool          // some of them are an estimate
	request   event.Requesting
	called    bool   // a tool was called since the last request
	calls     int    // complete calls of the current reply
	answering bool   // the current reply has answer text
	repeating bool   // the next piece repeats what was before it
	logged    string // the words of the last state in the log

	said      note // what the model wrote about the running calls
	next      note // what it wrote about the next calls
	running   []event.ToolCall
	began     map[string]time.Duration  // the turn's work time when a call began, by call
	from      time.Duration             // the same when the step of the running calls began
	progress  map[string]event.Progress // by call
	sentences map[string]string         // by call
	asks      string                    // the server that asks for input; may be ""

	recorder tape.Recorder
}

// Observe handles the next event of a turn and shows the new state. It must be called before the following event is
// pulled. A request for a sentence ends when its call ends or ctx is cancelled; Observe waits for that.
func (o *Observer) Observe(ctx context.Context, ev event.Event) {
	switch e := ev.(type) {
	case event.ToolFinished:
		o.writer.stop(e.Call.ID)
	case event.Running:
		defer o.write(ctx, e)
	case event.Began, event.Ended:
		o.writer.stop("")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch e := ev.(type) {
	case event.Text:
		o.text(e)
	case event.Thinking:
		o.thinking(e)
	case event.Withdrawn:
		o.answering = false
	case event.ToolCalled:
		if !o.called {
			o.called = true
			o.state.Round++
		}
	case event.ToolFinished:
		o.recorder.Finish(o.clock().Turn, e.Call)
		o.state.Tape = nil
		o.running = slices.DeleteFunc(o.running, func(c event.ToolCall) bool { return c.ID == e.Call.ID })
	case event.Asked:
		o.begin(Approval, Approval.Words(), 0)
	case event.Appended:
		o.appended(e.Messages)
	case event.Ended:
		if words := stoppedWords(e.Result.Stop); words != "" {
			o.show(Stopped, words)
		}
		o.state = State{}
	default:
		o.activity(e)
	}
}

// Refresh shows the state of the running turn again, with clocks that leave out the time in which the program was
// suspended. Safe for concurrent use with Observe.
func (o *Observer) Refresh() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state.Phase != Idle {
		o.tell()
	}
}

func (o *Observer) activity(ev event.Event) {
	switch e := ev.(type) {
	case event.Began:
		if o.model != e.Model {
			o.writer.misses = 0
		}
		o.turn = turn{
			state: State{Rounds: e.Rounds}, model: e.Model,
			progress: map[string]event.Progress{}, sentences: map[string]string{}, began: map[string]time.Duration{},
		}
	case event.Connecting:
		o.reword(Connecting, ConnectingTo(e.Settled, e.All))
	case event.Requesting:
		o.request, o.called, o.calls, o.answering, o.repeating = e, false, 0, false, false
		o.state.Tokens, o.state.Rough = o.counted, o.rough
		o.waiting()
	case event.Loading:
		o.begin(Loading, loadingModel(o.model), e.Expected)
	case event.Reading:
		o.reading(e)
	case event.Overloaded:
		o.show(Retrying, Retrying.Words())
	case event.Calling:
		o.calls, o.answering = e.Calls, o.answering && e.Calls == 0
		o.show(Selecting, Selecting.Words())
		o.heard()
	case event.HeldBack:
		o.heard()
	case event.Repeating:
		o.repeating = true
	case event.Replied:
		if n := e.Usage.AnswerTokens; n > 0 { // more exact than the number of pieces
			o.state.Tokens, o.state.Rough = o.counted+n, o.rough
		}
	case event.Running:
		o.run(e)
	case event.Progress:
		o.progress[e.ID] = e
		o.tellRunning()
	case event.ServerAsks:
		o.asked(e.Server)
	case event.Compacting:
		if e.Tokens == 0 {
			o.begin(Compacting, Compacting.Words(), 0)
		} else {
			o.heard()
		}
	case event.Finishing:
		o.tell()
	}
}

// show begins a step, unless it is the current one.
func (o *Observer) show(phase Phase, words string) {
	if o.state.Phase != phase || o.state.Text != words {
		o.begin(phase, words, 0)
	}
}

// begin begins a step with its clock at zero. expected is 0 if unknown.
func (o *Observer) begin(phase Phase, words string, expected time.Duration) {
	o.record(phase, expected)
	now := time.Now()
	s := &o.state
	s.Phase, s.Text, s.Work, s.Since, s.Expected, s.Part, s.Heard = phase, words, Work{}, now, expected, 0, time.Time{}
	switch phase {
	case UsingTool:
		s.Work, s.Part = o.work()
		o.from = o.began[o.running[0].ID]
		s.Since = now.Add(o.from - o.clock().Worked)
	case Analyzing, Reading, Thinking, Formulating, Selecting, Processing, Retrying, ToolFailed:
		s.Heard = now // the model should send output now
	}
	o.tell()
}

// reword begins a step, or changes the words of the current one if it is of the same phase.
func (o *Observer) reword(phase Phase, words string) {
	switch {
	case o.state.Phase != phase:
		o.begin(phase, words, 0)
	case o.state.Text != words:
		o.state.Text = words
		o.tell()
	}
}

// heard counts a piece of the reply, and shows the count at most every toldEvery.
func (o *Observer) heard() {
	o.state.Tokens++
	o.state.Rough = true
	o.state.Heard = time.Now()
	if o.state.Heard.Sub(o.state.At) >= toldEvery {
		o.tell()
	}
}

// tell shows the current state.
func (o *Observer) tell() {
	if o.Clock != nil {
		c, s := o.Clock(), &o.state
		away := c.Suspended - o.suspended
		s.Since, s.Heard, o.suspended = later(s.Since, away, c.At), later(s.Heard, away, c.At), c.Suspended
		s.At, s.Worked, s.Turn, s.Paused, s.Ends = c.At, c.Worked, c.Turn, c.Paused, c.Ends
	}
	if o.state.Tape == nil { // it has changed
		o.state.Tape = o.recorder.Tape(o.state.Turn)
	}
	shown := o.state
	if !shown.Ends.IsZero() {
		shown.Text, shown.Work = Finishing, Work{}
	}
	o.log(shown)
	o.Show(shown)
}

// later adds d to a time, but not beyond now. The zero time stays.
func later(t time.Time, d time.Duration, now time.Time) time.Time {
	if moved := t.Add(d); d > 0 && !t.IsZero() {
		if moved.After(now) {
			return now
		}
		return moved
	}
	return t
}

// waiting shows the reason for the request until the first output of the model.
func (o *Observer) waiting() {
	switch {
	case o.request.Attempt > 1:
		o.begin(Retrying, retryingAttempt(o.request.Attempt, o.request.Attempts), 0)
	case o.state.Round == 0:
		o.show(Analyzing, Analyzing.Words())
	case o.request.Failed != "":
		o.begin(ToolFailed, toolFailed(o.request.Failed), 0)
	default:
		o.begin(Processing, Processing.Words(), 0)
	}
}

// reading shows that the model reads the prompt, if that takes a while and is not a retry. It ends loading, and waiting
// for a busy server.
func (o *Observer) reading(e event.Reading) {
	first := o.request.Attempt <= 1
	switch {
	case first && e.Tokens >= worthReading:
		o.begin(Reading, readingTokens(e.Tokens, e.Mark), e.Expected)
	case o.state.Phase == Loading, first && o.state.Phase == Retrying:
		o.waiting()
	}
}

func (o *Observer) thinking(e event.Thinking) {
	if e.Again {
		return
	}
	o.writes(Thinking)
	o.heard()
}

// text handles a piece of an answer. White space alone does not count: many models write some between thinking and a
// call.
func (o *Observer) text(e event.Text) {
	o.answering = o.answering || o.calls == 0 && strings.TrimSpace(e.Delta) != ""
	if o.answering {
		o.writes(Formulating)
	}
	o.heard()
}

// writes shows that a reply is being written, and whether it repeats itself.
func (o *Observer) writes(phase Phase) {
	words := phase.Words()
	if o.repeating {
		words = repeated(words)
	}
	o.repeating = false
	o.reword(phase, words)
}

// appended notes the tokens of finished replies, and the sentence in the last one about its calls.
func (o *Observer) appended(messages []provider.Message) {
	for _, m := range messages {
		if m.Role != provider.RoleAssistant {
			continue
		}
		o.counted, o.rough = o.state.Tokens, o.state.Rough
		o.next = note{}
		if o.Style == StyleSentence && len(m.Calls) > 0 {
			o.next = noteOf(m)
		}
	}
}
