package provider

import (
	"slices"
	"strings"
)

// View is a conversation as it is sent to a model. It begins with the system prompt, drops empty replies and the
// thinking of earlier turns, has summaries in place of the messages they cover, and a result for every call, even for
// calls that a crash interrupted. User and assistant alternate, since the templates of some models require it.
type View struct {
	Sent []Message
	open []Call // calls without a result
}

// ViewOf returns the view of a conversation, with capacity for a few more rounds.
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
				v.Add(Message{Role: RoleUser, Text: "What we said before, in short:\n" + short.text},
					Message{Role: RoleAssistant, Text: "I have that in mind."}) // so that the roles alternate
			}
			continue
		}
		if m.Role == RoleTool && short.bare.holds(i) {
			m.Text, m.Images = leftOut, nil
		}
		m = m.Without(func(a Attachment) bool { return short.drops(i, a) })
		if i < turn {
			m.Thinking = ""
		}
		v.Add(m)
	}
	v.answerOpen()
	return v
}

// leftOut replaces the result of a tool that was dropped to make room.
const leftOut = "(left out to make room; call the tool again if you need it)"

// Add appends messages.
func (v *View) Add(messages ...Message) {
	for _, m := range messages {
		switch m.Role {
		case RoleSummary:
		case RoleTool:
			v.answer(m)
		default:
			v.answerOpen()
			if len(m.Calls) == 0 {
				m.Thinking = "" // the model continues only from the thinking before calls
			}
			isReply := m.Role == RoleAssistant && len(m.Calls) == 0
			if !isReply || strings.TrimSpace(m.Text) != "" { // servers refuse empty replies
				v.say(withAttached(m))
			}
		}
	}
}

// say appends a message, or joins it to the previous one if both are the user's or a prompt's.
func (v *View) say(m Message) {
	v.open = m.Calls
	if n := len(v.Sent); n > 0 && v.Sent[n-1].Role == m.Role && len(v.Sent[n-1].Calls) == 0 {
		if m.Role == RoleUser || m.From != "" { // a prompt may have two assistant messages in a row
			last := &v.Sent[n-1]
			last.Text, last.Images = last.Text+"\n\n"+m.Text, slices.Concat(last.Images, m.Images)
			return
		}
	}
	v.Sent = append(v.Sent, m)
}

// Open returns the calls that have no result yet.
func (v *View) Open() []Call { return v.open }

// AppendUser returns messages with a user message after them. It does not modify messages.
func AppendUser(messages []Message, m Message) []Message {
	v := View{Sent: slices.Clone(messages)}
	v.say(m)
	return v.Sent
}

// answer adds the result of an open call. Servers refuse any other.
func (v *View) answer(m Message) {
	switch i := slices.IndexFunc(v.open, func(c Call) bool { return c.ID == m.CallID }); {
	case i < 0:
		return
	case i == 0: // results nearly always come in order
		v.open = v.open[1:]
	default:
		v.open = slices.Concat(v.open[:i], v.open[i+1:])
	}
	v.Sent = append(v.Sent, marked(m))
}

// FailedMark begins the text of every failed call that a model reads, since model servers have no field for failures.
// Denied, skipped and cancelled calls have it too.
const FailedMark = "[error] "

// marked returns a tool result with FailedMark added if the call failed.
func marked(m Message) Message {
	if m.Failed && !strings.HasPrefix(m.Text, FailedMark) {
		m.Text = FailedMark + m.Text
	}
	return m
}

// answerOpen adds a result for each call that a crash interrupted.
func (v *View) answerOpen() {
	for _, call := range v.open {
		v.Sent = append(v.Sent, marked(Message{Role: RoleTool, CallID: call.ID, Tool: call.Name, Failed: true,
			Text: "This call was interrupted; there is no result."}))
	}
	v.open = nil
}

// LastUser returns the index of the message that began the last turn, or -1.
func LastUser(messages []Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == RoleUser {
			return i
		}
	}
	return -1
}

// compaction is the effect of all summaries of a conversation: the messages that text replaces, those without tool
// results, and the attachments that are left out.
type compaction struct {
	covered Span
	text    string
	bare    Span
	dropped []dropped
}

// dropped is an attachment that you removed.
type dropped struct {
	message int
	name    string
}

// drops reports whether an attachment of message i is left out.
func (c compaction) drops(i int, a Attachment) bool {
	return slices.Contains(c.dropped, dropped{i, a.Name()})
}

// Drops returns those of messages that leave out attachments of the first n messages of their conversation.
func Drops(messages []Message, n int) (drops []Message) {
	for _, m := range messages {
		if m.Drops != "" && m.Covers != nil && m.Covers.From < n {
			drops = append(drops, m)
		}
	}
	return drops
}

// compactionOf applies the summaries in order: each replaces the previous one of its kind, and an empty span undoes
// all. A summary that no longer covers any message, as in a truncated conversation, keeps its text.
func compactionOf(messages []Message) compaction {
	var c compaction
	for i, m := range messages {
		if m.Role != RoleSummary || m.Covers == nil {
			continue
		}
		switch span := m.Covers.before(i); {
		case m.Drops != "":
			c.dropped = append(c.dropped, dropped{m.Covers.From, m.Drops})
		case m.Covers.Until <= m.Covers.From:
			c = compaction{dropped: c.dropped}
		case m.Text == "":
			c.bare = span
		default:
			c.covered, c.text = span, m.Text
		}
	}
	return c
}

// SummaryText returns what a model reads in place of the summarised messages, or "".
func SummaryText(messages []Message) string { return compactionOf(messages).text }

// before clips the span to the messages before i. If nothing is left, it returns i itself.
func (s Span) before(i int) Span {
	if s = (Span{max(s.From, 0), min(s.Until, i)}); s.Until <= s.From {
		return Span{i, i + 1}
	}
	return s
}

func (s Span) holds(i int) bool { return s.From <= i && i < s.Until }
