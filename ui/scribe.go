package ui

import (
	"time"

	"github.com/aloudchat/aloud/provider"
)

// scribe writes down in the transcript what happens in a turn.
type scribe struct {
	transcript *transcript
	reply      *replyEntry      // the answer being written
	thought    *thoughtEntry    // the thought being thought
	since      time.Time        // when it began
	open       []entry          // answers and thoughts that are not part of the conversation yet
	summary    provider.Message // the last one
	running    map[string]*toolEntry
}

func newScribe(t *transcript) *scribe {
	return &scribe{transcript: t, running: map[string]*toolEntry{}}
}

func (s *scribe) write(ev provider.Event) {
	switch ev := ev.(type) {
	case provider.Text:
		s.text(ev.Delta)
	case provider.Thinking:
		s.think(ev.Delta)
	case provider.Notice:
		s.transcript.add(newNoticeEntry(noticeInfo, ev.Text))
	case provider.ToolCalled:
		s.finish(false)
		e := newToolEntry(ev.Call)
		s.running[ev.Call.ID] = e
		s.transcript.add(e)
	case provider.ToolFinished:
		s.tool(ev.Call)
	case provider.Appended:
		s.appended(ev.Messages)
	case provider.Withdrawn:
		s.withdraw()
	case provider.Compacted:
		s.transcript.add(newNoticeEntry(noticeInfo, summaryWords(s.summary, savedWords(ev))+wayBackHint))
	case provider.Ended:
		s.end(ev.Result.Stop.Reason == provider.Cancelled || ev.Result.Stop.Reason == provider.Failed)
		if len(ev.Result.Sources) > 0 {
			s.transcript.add(newSourcesEntry(ev.Result.Sources))
		}
	}
}

func (s *scribe) text(delta string) {
	s.finishThought()
	if s.reply == nil {
		s.reply = newReplyEntry()
		s.open = append(s.open, s.reply)
		s.transcript.add(s.reply)
	}
	s.reply.write(delta)
	s.transcript.changed()
}

func (s *scribe) think(delta string) {
	if s.thought == nil {
		s.finish(false)
		s.thought, s.since = newThoughtEntry(), time.Now()
		s.open = append(s.open, s.thought)
		s.transcript.add(s.thought)
	}
	s.thought.write(delta)
	s.transcript.changed()
}

func (s *scribe) tool(call provider.ToolCall) {
	e := s.running[call.ID]
	if e == nil {
		return
	}
	delete(s.running, call.ID)
	e.update(call)
	s.transcript.changed()
}

// appended ends what is being written: it is part of the conversation now.
func (s *scribe) appended(messages []provider.Message) {
	partial := false
	for _, m := range messages {
		partial = partial || m.Partial && m.Role == provider.RoleAssistant
		if m.Role == provider.RoleSummary {
			s.summary = m
		}
	}
	s.finish(partial)
	s.open = nil
}

// withdraw takes back what the model wrote since the last message: it does not count.
func (s *scribe) withdraw() {
	s.transcript.remove(s.open)
	s.open, s.reply, s.thought = nil, nil, nil
}

// finish ends what is being written; partial marks an answer that was cut off.
func (s *scribe) finish(partial bool) {
	s.finishThought()
	if s.reply != nil {
		s.reply.finish(partial)
		s.transcript.changed()
		s.reply = nil
	}
}

// end is finish for a turn that is over: calls of which nothing more will be heard are cancelled.
func (s *scribe) end(partial bool) {
	s.finish(partial)
	for _, e := range s.running {
		call := e.call
		call.Status = provider.CallCancelled
		s.tool(call)
	}
}

func (s *scribe) finishThought() {
	if s.thought != nil {
		s.thought.finish(time.Since(s.since))
		s.transcript.changed()
		s.thought = nil
	}
}
