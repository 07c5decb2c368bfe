package provider

import "slices"

// sendable returns the conversation as a model may get it: after the system prompt, without replies that say nothing or thoughts of earlier
// turns, which would only fill the context, with summaries in place of what they cover, and with an answer to every call, also where a crash
// left one without. There is room behind it for a few rounds.
func sendable(system Message, messages []Message) []Message {
	v := view{sent: make([]Message, 0, len(messages)+16)}
	if system.Text != "" {
		v.sent = append(v.sent, system)
	}
	short := compactionOf(messages)
	turn := lastQuestion(messages)
	for i, m := range messages {
		if short.covered.holds(i) {
			if i == short.covered.From {
				v.add(summaryOf(short.text)...)
			}
			continue
		}
		if m.Role == RoleTool && short.bare.holds(i) {
			m.Text, m.Images = leftOut, nil
		}
		if i < turn {
			m.Thinking = ""
		}
		v.add(m)
	}
	v.answerOpen()
	return v.sent
}

// leftOut stands for the result of a tool that had to make room.
const leftOut = "(left out to make room; call the tool again if you need it)"

// summaryOf is how a model reads a summary: as said to it, and taken in, so that questions and answers go on taking turns.
func summaryOf(text string) []Message {
	return []Message{
		{Role: RoleUser, Text: "What we said before, in short:\n" + text},
		{Role: RoleAssistant, Text: "I have that in mind."},
	}
}

// view is a conversation on its way to a model.
type view struct {
	sent []Message
	open []Call // calls that have no answer yet
}

func (v *view) add(messages ...Message) {
	for _, m := range messages {
		switch {
		case m.Role == RoleTool:
			v.open = without(v.open, m.CallID)
			v.sent = append(v.sent, m)
		case m.Role != RoleSummary:
			v.answerOpen()
			if !saysNothing(m) {
				v.sent = append(v.sent, withThought(m))
				v.open = m.Calls
			}
		}
	}
}

// answerOpen answers the calls that a crash left without a result.
func (v *view) answerOpen() {
	for _, call := range v.open {
		v.sent = append(v.sent, Message{Role: RoleTool, CallID: call.ID, Tool: call.Name, Failed: true, Text: "This call was interrupted; there is no result."})
	}
	v.open = nil
}

// lastQuestion is the place of the message with which the last turn began; -1: there is none.
func lastQuestion(messages []Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == RoleUser {
			return i
		}
	}
	return -1
}

// withThought keeps what a model thought only where it goes on with it: when it has called tools and reads their results.
func withThought(m Message) Message {
	if len(m.Calls) == 0 {
		m.Thinking = ""
	}
	return m
}

// saysNothing tells a reply that was stopped before its first word.
func saysNothing(m Message) bool { return m.Partial && m.Text == "" && len(m.Calls) == 0 }

// without returns calls without the one that has this id.
func without(calls []Call, id string) []Call {
	for i, call := range calls {
		if call.ID == id {
			return append(calls[:i:i], calls[i+1:]...)
		}
	}
	return calls
}
