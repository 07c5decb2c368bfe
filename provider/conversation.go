package provider

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Role is the author of a message.
type Role string

// The roles, as every model server names them.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
	// a model reads Text in place of the messages that Covers names
	RoleSummary Role = "summary"
)

// Message is one entry of a conversation. Sessions store its JSON form.
type Message struct {
	Role     Role     `json:"role"`
	Text     string   `json:"text,omitempty"`
	Thinking string   `json:"thinking,omitempty"`
	Calls    []Call   `json:"calls,omitempty"`   // assistant only
	CallID   string   `json:"call_id,omitempty"` // tool only
	Tool     string   `json:"tool,omitempty"`    // tool only: the name of the tool
	Failed   bool     `json:"failed,omitempty"`  // tool only
	Origin   Origin   `json:"origin,omitempty"`  // tool only
	Partial  bool     `json:"partial,omitempty"` // the turn was stopped while this was written
	Images   [][]byte `json:"images,omitempty"`
	Covers   *Span    `json:"covers,omitempty"` // summary only
	Drops    string   `json:"drops,omitempty"`  // summary only: the name of an attachment of the first covered message

	Attached []Attachment `json:"attached,omitempty"` // user only
	Foreign  []Span       `json:"foreign,omitempty"`  // user only: bytes of Text that were pasted or piped, in order
	// the server prompt the text is from, "/server:prompt", or ""
	From string `json:"from,omitempty"`
}

// Span names the messages From, From+1, … Until-1 of a conversation. They stay in it for you to read, but the model
// gets the text of the summary instead. A summary without text only drops the tool results in its span. Each summary
// replaces the previous one of its kind, and an empty span undoes all of them. A summary with Drops only leaves out
// that attachment, and is not undone. In Message.Foreign a Span is a range of bytes.
type Span struct {
	From  int `json:"from"`
	Until int `json:"until"`
}

// Typed returns the text with each foreign part replaced by a space, or "" if Foreign does not fit Text.
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

// Call is a tool call that a model asks for.
type Call struct {
	ID        string          `json:"id"` // unique in a conversation; that of a reply may be used already, or ""
	Name      string          `json:"name"`
	Title     string          `json:"title,omitempty"` // as displayed, "Read File"; never sent to a model
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Cut       bool            `json:"-"` // the reply ended within the call, which is not made

	Repairs   []string        `json:"-"` // repairs, a few words each
	Complaint string          `json:"-"` // the error for the model if its arguments do not fit the tool
	Sent      json.RawMessage `json:"-"` // with Complaint: the arguments as the model wrote them
}

// Object returns the arguments as servers accept them: a JSON object. It is {} if they are anything else, as those of a
// cancelled call may be.
func (c Call) Object() json.RawMessage {
	if !IsObject(c.Arguments) {
		return json.RawMessage("{}")
	}
	return c.Arguments
}

// IsObject reports whether raw is a JSON object.
func IsObject(raw json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) && json.Valid(raw)
}

// Conversation is an immutable list of messages. The zero value is empty. With returns a new conversation and the old
// one stays valid, so going back, retrying and branching are free.
type Conversation struct{ messages []Message }

// With returns the conversation with messages appended. It copies the list, so branches never share messages after
// their fork.
func (c Conversation) With(m ...Message) Conversation {
	return Conversation{slices.Concat(c.messages, m)}
}

// Messages returns the messages. The caller must not modify them; appending to the slice is safe.
func (c Conversation) Messages() []Message { return slices.Clip(c.messages) }

// Len returns the number of messages.
func (c Conversation) Len() int { return len(c.messages) }

// LastQuestion returns your last message and the number of messages before it. It includes assistant messages that a
// prompt adds after it, but not the message that Resume adds. It returns nil if there is no user message.
func (c Conversation) LastQuestion() (before int, question []Message) {
	for i, m := range slices.Backward(c.messages) {
		if !m.IsQuestion() {
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

// Questions returns the numbers of the messages that are from you.
func (c Conversation) Questions() (at []int) {
	for i, m := range c.messages {
		if m.IsQuestion() {
			at = append(at, i)
		}
	}
	return at
}

// IsQuestion reports whether the message is from you. Such a message begins a turn.
func (m Message) IsQuestion() bool { return m.Role == RoleUser && !m.IsContinue() }

// IsContinue reports whether the message only asks the model to continue, as Resume does.
func (m Message) IsContinue() bool {
	return m.Role == RoleUser && m.Text == ContinueText && m.From == ""
}

// Until returns a conversation of the first n messages, or of all if there are fewer.
func (c Conversation) Until(n int) Conversation {
	n = max(0, min(n, len(c.messages)))
	return Conversation{c.messages[:n:n]}
}

// ContinueText is the message that Resume adds if the model spoke last.
const ContinueText = "Go on from where you stopped."

// Origin is the source of a tool result. It limits which tools the conversation may send data to.
type Origin string

// The origins. The zero value is aloud itself, as for the time or the reason why a call was not made.
const (
	OriginPrivate Origin = "private" // a server that stays on this machine
	OriginOutside Origin = "outside" // a tool that uses the network: the content may be hostile
	// an untrusted server: outside content, and private for all other servers
	OriginUnknown Origin = "unknown"
)
