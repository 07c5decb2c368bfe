package provider

import (
	"encoding/json"
	"slices"
	"strings"
)

// Role is who speaks.
type Role string

// The roles of a conversation, as every model server names them.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
	RoleSummary   Role = "summary" // not spoken: a model reads Text in place of the messages that Covers names
)

// Message is one entry of a conversation. The JSON form is what sessions store.
type Message struct {
	Role     Role     `json:"role"`
	Text     string   `json:"text,omitempty"`
	Thinking string   `json:"thinking,omitempty"`
	Calls    []Call   `json:"calls,omitempty"`   // of an assistant
	CallID   string   `json:"call_id,omitempty"` // of a tool's answer
	Tool     string   `json:"tool,omitempty"`    // of a tool's answer: the tool's Name
	Failed   bool     `json:"failed,omitempty"`  // of a tool's answer
	Origin   Origin   `json:"origin,omitempty"`  // of a tool's answer
	Partial  bool     `json:"partial,omitempty"` // the turn was stopped while this was written
	Images   [][]byte `json:"images,omitempty"`
	Covers   *Span    `json:"covers,omitempty"` // of a summary

	Attached []Attachment `json:"attached,omitempty"` // of a user
	Foreign  []Span       `json:"foreign,omitempty"`  // of a user: the bytes of Text that were pasted or piped, in order
	From     string       `json:"from,omitempty"`     // the prompt of a server that the text is from, "/server:prompt"; "": the one whose role it is wrote it
}

// Span names the messages From, From+1, … Until-1 of a conversation. They stay in it, for people to read; the model gets the text of the
// summary in their place. A summary without text only leaves out what the tools gave in its span. Each replaces the summary of its kind before
// it, and one that covers nothing undoes them all. In Message.Foreign it is a part of a text, in bytes.
type Span struct {
	From  int `json:"from"`
	Until int `json:"until"`
}

// Typed returns the text with a space in the place of each foreign part, or "" if these are not parts of it.
func (m Message) Typed() string {
	var b strings.Builder
	at := 0
	for _, f := range m.Foreign {
		if f.From < at || f.Until < f.From || f.Until > len(m.Text) {
			return ""
		}
		b.WriteString(m.Text[at:f.From] + " ")
		at = f.Until
	}
	return b.String() + m.Text[at:]
}

// Call is a model's wish to use a tool.
type Call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Title     string          `json:"title,omitempty"` // as it was shown: "Read File"; the model never sees it
	Arguments json.RawMessage `json:"arguments"`
	Cut       bool            `json:"-"` // the reply ended within the call, which is not made

	Repairs   []string        `json:"-"` // what was mended of it, a few words each
	Complaint string          `json:"-"` // what the model is told when its arguments do not fit the tool
	Sent      json.RawMessage `json:"-"` // with Complaint: the arguments as the model wrote them
}

// Conversation is an immutable list of messages. The zero value is empty. With gives a new one; the old one stays valid,
// so that going back, retrying and branching cost nothing.
type Conversation struct{ messages []Message }

// With returns the conversation with more messages at its end. The list is copied, so no two branches ever share what comes after their fork.
func (c Conversation) With(m ...Message) Conversation {
	return Conversation{slices.Concat(c.messages, m)}
}

// Messages returns the messages; the slice must not be changed. Appending to it is safe.
func (c Conversation) Messages() []Message { return slices.Clip(c.messages) }

// Len is the number of messages.
func (c Conversation) Len() int { return len(c.messages) }

// LastQuestion returns what you asked last, and how many messages there were before: what a prompt said behind it in the model's name
// belongs to it, that Resume asked the model to go on does not. There is none in a conversation that only has summaries.
func (c Conversation) LastQuestion() (before int, question []Message) {
	for i, m := range slices.Backward(c.messages) {
		if m.Role != RoleUser || m.GoesOn() {
			continue
		}
		end := i + 1
		for end < len(c.messages) && c.messages[end].From != "" {
			end++
		}
		return i, slices.Clip(c.messages[i:end])
	}
	return 0, nil
}

// GoesOn reports whether a message only asks the model to go on, as Resume does.
func (m Message) GoesOn() bool { return m.Role == RoleUser && m.Text == GoOn && m.From == "" }

// Until returns the first n messages as a conversation: all of them when there are fewer, none when n is negative.
func (c Conversation) Until(n int) Conversation {
	n = max(0, min(n, len(c.messages)))
	return Conversation{c.messages[:n:n]}
}

// GoOn stands in for a question when a turn is resumed and the model spoke last.
const GoOn = "Go on from where you stopped."

// Origin says where the text of a tool's answer comes from, which decides what the conversation may send.
type Origin string

// The origins. The zero value is aloud itself: the time, the reason why a call was not made.
const (
	OriginPrivate Origin = "private" // a server that stays on this machine
	OriginOutside Origin = "outside" // a tool that reaches beyond it: anyone may have written this
	OriginUnknown Origin = "unknown" // a server that is not trusted: outside content, and private for all other servers
)
