package provider

import (
	"slices"
	"strings"
)

// View is a conversation on its way to a model: after the system prompt, without replies that say nothing or thoughts of earlier turns, which would
// only fill the context, with summaries in place of what they cover, and with one answer to every call, also where a crash left one without.
// Questions and answers take turns, since the templates of some models refuse a conversation in which they do not.
type View struct {
	Sent []Message
	open []Call // calls that have no answer yet
}

// ViewOf returns the view of a conversation, with room behind it for a few rounds.
func ViewOf(system Message, messages []Message) *View {
	v := &View{Sent: make([]Message, 0, len(messages)+16)}
	if system.Text != "" {
		v.Sent = append(v.Sent, system)
	}
	short := compactionOf(messages)
	turn := LastUser(messages)
	for i, m := range messages {
		if short.covered.holds(i) {
			if i == short.covered.From {
				v.Add(summaryOf(short.text)...)
			}
			continue
		}
		if m.Role == RoleTool && short.bare.holds(i) {
			m.Text, m.Images = leftOut, nil
		}
		if i < turn {
			m.Thinking = ""
		}
		v.Add(m)
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

// Add adds messages at the end.
func (v *View) Add(messages ...Message) {
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
func (v *View) say(m Message) {
	n := len(v.Sent)
	if n > 0 && m.From != "" && m.Role == RoleAssistant && v.Sent[n-1].Role == RoleAssistant && len(v.Sent[n-1].Calls) == 0 {
		v.Sent[n-1].Text += "\n\n" + m.Text // a prompt lets the model speak twice
		return
	}
	v.open = m.Calls
	if n > 0 && m.Role == RoleUser && v.Sent[n-1].Role == RoleUser {
		last := &v.Sent[n-1]
		last.Text, last.Images = last.Text+"\n\n"+m.Text, slices.Concat(last.Images, m.Images)
		return
	}
	v.Sent = append(v.Sent, m)
}

// Open returns the calls that have no result yet.
func (v *View) Open() []Call { return v.open }

// AndSay returns messages, which stay as they are, with more words of the user behind them.
func AndSay(messages []Message, more ...Message) []Message {
	if len(more) == 0 {
		return slices.Clip(messages)
	}
	v := View{Sent: slices.Concat(messages, more)[:len(messages)]}
	for _, m := range more {
		v.say(m)
	}
	return v.Sent
}

// Spoken returns the messages of a request with its hint behind them.
func (r Request) Spoken() []Message {
	if r.Hint == "" {
		return r.Messages
	}
	return AndSay(r.Messages, Message{Role: RoleUser, Text: strings.ToValidUTF8(r.Hint, "\uFFFD")})
}

// answer adds the result of an open call. Servers refuse any other.
func (v *View) answer(m Message) {
	switch i := slices.IndexFunc(v.open, func(c Call) bool { return c.ID == m.CallID }); {
	case i < 0:
		return
	case i == 0: // they nearly always come in order
		v.open = v.open[1:]
	default:
		v.open = slices.Concat(v.open[:i], v.open[i+1:])
	}
	v.Sent = append(v.Sent, marked(m))
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
func (v *View) answerOpen() {
	for _, call := range v.open {
		v.Sent = append(v.Sent, marked(Message{Role: RoleTool, CallID: call.ID, Tool: call.Name, Failed: true,
			Text: "This call was interrupted; there is no result."}))
	}
	v.open = nil
}

// LastUser is the place of the message with which the last turn began; -1: there is none.
func LastUser(messages []Message) int {
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

// compaction is what the summaries of a conversation come to: which messages the model reads in short, and which without what their tools gave.
type compaction struct {
	covered Span
	text    string
	bare    Span
}

// compactionOf follows the summaries of a conversation. Each replaces the one of its kind before; one that covers nothing undoes all.
// One of which nothing is left that it covers, as at the beginning of a conversation that was cut, still says what it says in its own place.
func compactionOf(messages []Message) compaction {
	var c compaction
	for i, m := range messages {
		if m.Role != RoleSummary || m.Covers == nil {
			continue
		}
		switch span := m.Covers.before(i); {
		case m.Covers.Until <= m.Covers.From:
			c = compaction{}
		case m.Text == "":
			c.bare = span
		default:
			c.covered, c.text = span, m.Text
		}
	}
	return c
}

// SummaryText is what a model reads in place of the messages that a summary covers; "" where there is none.
func SummaryText(messages []Message) string { return compactionOf(messages).text }

// before is what the span holds of the messages before i, or else i itself.
func (s Span) before(i int) Span {
	if s = (Span{max(s.From, 0), min(s.Until, i)}); s.Until <= s.From {
		return Span{i, i + 1}
	}
	return s
}

func (s Span) holds(i int) bool { return s.From <= i && i < s.Until }
