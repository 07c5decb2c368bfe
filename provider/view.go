package provider

import (
	"fmt"
	"slices"
	"strings"
)

// history is the conversation of a turn.
type history struct {
	messages  []Message         // so far; grown in place, which no reader of the turn can see
	view      *view             // the same as the model gets it; nil: to be made
	now       map[string]string // by call: what the model reads behind its result in this turn only
	ids       map[string]bool   // of all calls, once the first call came
	shortened int               // how often the server refused it for its length
}

func newHistory(c Conversation) history {
	return history{messages: c.Messages(), now: make(map[string]string)}
}

// add adds messages. A summary changes what the model gets of those before it.
func (h *history) add(m ...Message) {
	h.messages = append(h.messages, m...)
	if slices.ContainsFunc(m, func(m Message) bool { return m.Role == RoleSummary }) {
		h.view = nil
	}
	if h.view != nil {
		h.view.add(m...)
	}
}

// sent is the conversation as the model gets it.
func (h *history) sent(system Message) []Message {
	if h.view == nil {
		h.view = viewOf(system, h.messages, h.now)
	}
	return h.view.sent
}

// with is what the model would get after another message, without the view being kept.
func (h *history) with(system Message, m ...Message) []Message {
	return viewOf(system, append(slices.Clip(h.messages), m...), h.now).sent
}

// uniqueID keeps an id that the conversation does not have yet, and makes one otherwise: answers find their calls by it.
func (h *history) uniqueID(id string) string {
	if h.ids == nil {
		h.ids = make(map[string]bool)
		for _, m := range h.messages {
			for _, call := range m.Calls {
				h.ids[call.ID] = true
			}
		}
	}
	for n := len(h.ids) + 1; id == "" || h.ids[id]; n++ {
		id = fmt.Sprintf("call_%d", n)
	}
	h.ids[id] = true
	return id
}

// view is a conversation on its way to a model: after the system prompt, without replies that say nothing or thoughts of earlier turns, which would
// only fill the context, with summaries in place of what they cover, and with one answer to every call, also where a crash left one without.
// Questions and answers take turns, since the templates of some models refuse a conversation in which they do not.
type view struct {
	sent []Message
	open []Call            // calls that have no answer yet
	now  map[string]string // by call: what is read behind its result in this turn only
}

// viewOf has room behind it for a few rounds. now has what the model reads behind the results of calls in this turn only.
func viewOf(system Message, messages []Message, now map[string]string) *view {
	v := &view{now: now, sent: make([]Message, 0, len(messages)+16)}
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
	return v
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

func (v *view) add(messages ...Message) {
	for _, m := range messages {
		switch m.Role {
		case RoleSummary:
		case RoleTool:
			v.answer(m)
		default:
			v.answerOpen()
			if !saysNothing(m) {
				v.say(withAttached(withThought(m)))
			}
		}
	}
}

// say adds a message, or makes it part of the one before where a user spoke twice: an answer in between never came.
func (v *view) say(m Message) {
	n := len(v.sent)
	if n > 0 && m.From != "" && m.Role == RoleAssistant && v.sent[n-1].Role == RoleAssistant && len(v.sent[n-1].Calls) == 0 {
		v.sent[n-1].Text += "\n\n" + m.Text // a prompt lets the model speak twice
		return
	}
	v.open = m.Calls
	if n > 0 && m.Role == RoleUser && v.sent[n-1].Role == RoleUser {
		last := &v.sent[n-1]
		last.Text, last.Images = last.Text+"\n\n"+m.Text, slices.Concat(last.Images, m.Images)
		return
	}
	v.sent = append(v.sent, m)
}

// andSay are messages, which stay as they are, with more words of the user behind them.
func andSay(messages []Message, more ...Message) []Message {
	if len(more) == 0 {
		return slices.Clip(messages)
	}
	v := view{sent: slices.Concat(messages, more)[:len(messages)]}
	for _, m := range more {
		v.say(m)
	}
	return v.sent
}

// spoken are the messages of a request with its hint behind them.
func (r Request) spoken() []Message {
	if r.Hint == "" {
		return r.Messages
	}
	return andSay(r.Messages, Message{Role: RoleUser, Text: valid(r.Hint)})
}

// answer adds the result of an open call. Servers refuse any other.
func (v *view) answer(m Message) {
	switch i := slices.IndexFunc(v.open, func(c Call) bool { return c.ID == m.CallID }); {
	case i < 0:
		return
	case i == 0: // they nearly always come in order
		v.open = v.open[1:]
	default:
		v.open = slices.Concat(v.open[:i], v.open[i+1:])
	}
	m.Text += v.now[m.CallID]
	v.sent = append(v.sent, marked(m))
}

// FailedMark begins the text of every failed call that a model reads. Model servers have no field for failures, and without the mark an error
// looks like a result. Calls that were denied, skipped or cancelled have it too: they gave no result.
const FailedMark = "[error] "

// marked returns a tool's answer with FailedMark in front if the call failed.
func marked(m Message) Message {
	if m.Failed && !strings.HasPrefix(m.Text, FailedMark) {
		m.Text = FailedMark + m.Text
	}
	return m
}

// answerOpen answers the calls that a crash left without a result.
func (v *view) answerOpen() {
	for _, call := range v.open {
		v.sent = append(v.sent, marked(Message{Role: RoleTool, CallID: call.ID, Tool: call.Name, Failed: true,
			Text: "This call was interrupted; there is no result."}))
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

// saysNothing tells a reply that was stopped before its first word, or never had one: servers refuse it.
func saysNothing(m Message) bool {
	return m.Role == RoleAssistant && len(m.Calls) == 0 && strings.TrimSpace(m.Text) == ""
}
