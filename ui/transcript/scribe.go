package transcript

import (
	"slices"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// Scribe adds the events of one turn to a transcript.
type Scribe struct {
	transcript *Transcript
	reply      *replyEntry      // the answer being written
	thought    *thoughtEntry    // the thought being written
	since      time.Time        // when it began
	open       []entry          // answers and thoughts that are not part of the conversation yet
	summary    provider.Message // the last one
	begun      bool             // the conversation has your question, or what follows it
	running    map[string]*toolEntry
}

// NewScribe returns the scribe of a new turn.
func NewScribe(t *Transcript) *Scribe {
	return &Scribe{transcript: t, running: map[string]*toolEntry{}}
}

// Write handles the events of the turn, in order.
func (s *Scribe) Write(ev event.Event) {
	switch ev := ev.(type) {
	case event.Text:
		s.text(ev.Delta)
	case event.Thinking:
		s.think(ev.Delta)
	case event.Notice:
		s.transcript.add(newNoticeEntry(Info, ev.Text))
	case event.ToolCalled:
		s.finish()
		e := newToolEntry(ev.Call)
		s.running[ev.Call.ID] = e
		s.transcript.add(e)
	case event.Asked:
		s.asked(ev)
	case event.ToolFinished:
		s.tool(ev.Call, ev.Images)
	case event.Appended:
		s.appended(ev.Messages)
	case event.Withdrawn:
		s.withdraw()
	case event.Compacted:
		s.transcript.add(newNoticeEntry(Info, summaryWords(s.summary, savedWords(ev))))
	case event.Ended:
		s.End()
	}
}

// Run notes that calls run, in a turn that has worked for so long.
func (s *Scribe) Run(calls []event.ToolCall, worked time.Duration) {
	for _, c := range calls {
		if e := s.running[c.ID]; e != nil && !e.runs {
			e.runs, e.from = true, worked
		}
	}
}

// Tick sets the clocks of the running calls, in a turn that has worked for so long. Only their rows are drawn again,
// when a second has passed, and their height stays the same.
func (s *Scribe) Tick(worked time.Duration, shown bool) {
	for _, e := range s.running {
		e.tick(worked, shown)
	}
}

func (s *Scribe) text(delta string) {
	s.finishThought()
	if s.reply == nil {
		s.reply = &replyEntry{}
		s.open = append(s.open, s.reply)
		s.transcript.add(s.reply)
	}
	s.reply.write(delta)
	s.transcript.changed()
}

func (s *Scribe) think(delta string) {
	if s.thought == nil {
		s.finish()
		s.thought, s.since = newThought(), time.Now()
		s.open = append(s.open, s.thought)
		s.transcript.add(s.thought)
	}
	s.thought.think(delta, time.Since(s.since))
	s.transcript.changed()
}

// asked keeps the change that needs approval with its call.
func (s *Scribe) asked(ev event.Asked) {
	if e := s.running[ev.Call.ID]; e != nil && ev.Diff != "" {
		e.change = newChange(ev.Diff)
		e.forget()
		s.transcript.changed()
	}
}

func (s *Scribe) tool(call event.ToolCall, images [][]byte) {
	e := s.running[call.ID]
	if e == nil {
		return
	}
	delete(s.running, call.ID)
	e.pictured = len(images) > 0
	e.update(call)
	s.transcript.illustrate(e, images)
	s.transcript.fold(slices.Index(s.transcript.entries, entry(e)))
	s.transcript.changed()
}

// appended finishes the open entries, which are now part of the conversation, and adds what you said during the turn.
func (s *Scribe) appended(messages []provider.Message) {
	s.finish()
	for _, m := range messages {
		switch {
		case m.Role == provider.RoleSummary:
			s.summary = m
		case s.begun && m.IsQuestion():
			s.transcript.Question(m)
		}
		for _, e := range s.open {
			e.(interface{ share(...string) }).share(m.Text, m.Thinking)
		}
	}
	s.open, s.begun = nil, true
}

// withdraw removes the model's text since the last message.
func (s *Scribe) withdraw() {
	s.transcript.remove(s.open)
	s.open, s.reply, s.thought = nil, nil, nil
}

// finish finishes the open entries.
func (s *Scribe) finish() {
	s.finishThought()
	if s.reply != nil {
		s.reply.end()
		s.transcript.changed()
		s.reply = nil
	}
}

// End ends the turn, like the event Ended. Calls that still run are shown as stopped.
func (s *Scribe) End() {
	s.finish()
	for _, e := range s.running {
		call := e.call
		call.Status = event.CallCancelled
		s.tool(call, nil)
	}
}

func (s *Scribe) finishThought() {
	if s.thought != nil {
		s.thought.finish(time.Since(s.since))
		s.transcript.changed()
		s.thought = nil
	}
}
