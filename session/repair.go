package session

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// whole is the conversation as a model can read it: what was being said when aloud was killed becomes a partial
// message, and every call has an answer.
func (h *history) whole() []provider.Message {
	asked := map[string]bool{}
	for _, m := range h.messages {
		for _, c := range m.Calls {
			asked[c.ID] = true
		}
	}
	m := provider.Message{Role: provider.RoleAssistant, Partial: true}
	m.Text, m.Thinking = h.said()
	for _, id := range h.begun {
		if c := h.calls[id]; !asked[id] {
			m.Calls = append(m.Calls, provider.Call{ID: c.ID, Name: c.Name, Title: c.Title, Arguments: c.Arguments})
		}
	}
	messages := h.messages
	if m.Text != "" || m.Thinking != "" || len(m.Calls) > 0 {
		messages = append(slices.Clip(messages), m)
	}
	return h.answered(messages)
}

// said joins the pieces that no message has replaced.
func (h *history) said() (text, thinking string) {
	var words, thoughts strings.Builder
	for _, line := range h.pieces {
		var r record
		if json.Unmarshal(line, &r) != nil {
			continue // JSON, but not as we write it
		}
		if r.Type == typeText {
			words.WriteString(r.Delta)
		} else {
			thoughts.WriteString(r.Delta)
		}
	}
	return words.String(), thoughts.String()
}

// answered gives every call its answer, in the order of the calls, and drops answers without a call.
func (h *history) answered(messages []provider.Message) []provider.Message {
	whole := make([]provider.Message, 0, len(messages))
	for len(messages) > 0 {
		m := messages[0]
		messages = messages[1:]
		if m.Role == provider.RoleTool || m.Role == provider.RoleSummary && m.Covers.Until > len(whole) {
			continue // it has no call, or covers messages that come later
		}
		whole = append(whole, m)
		answers := map[string]provider.Message{} // by call id; of several the first
		for len(messages) > 0 && messages[0].Role == provider.RoleTool {
			if _, twice := answers[messages[0].CallID]; !twice {
				answers[messages[0].CallID] = messages[0]
			}
			messages = messages[1:]
		}
		for _, call := range m.Calls {
			answer, ok := answers[call.ID]
			if !ok {
				answer = h.answer(call)
			}
			whole = append(whole, answer)
		}
	}
	return whole
}

// answer stands in for a message that was never written, with the result of the tool if that was recorded.
func (h *history) answer(call provider.Call) provider.Message {
	m := provider.Message{Role: provider.RoleTool, CallID: call.ID, Tool: call.Name}
	c := h.calls[call.ID]
	finished := c.Status != "" && c.Status != provider.CallPending
	switch {
	case !finished:
		m.Text, m.Failed = "aloud ended before this tool had finished; whether it did anything is not known.", true
	case c.Result != "":
		m.Text = c.Result
	default:
		m.Text = c.Error
	}
	if finished {
		m.Failed = c.Status != provider.CallOK && c.Status != provider.CallCached
	}
	return m
}

// repair returns the records that make the conversation of the file the whole one, and how many messages both begin
// with.
func (h *history) repair(whole []provider.Message) (all []record, same int) {
	for same < min(len(h.messages), len(whole)) && equal(h.messages[same], whole[same]) {
		same++
	}
	if same < len(h.messages) {
		all = append(all, record{Type: typeRewind, Keep: &same})
	}
	return append(all, messageRecords(whole[same:])...), same
}

// equal compares the parts of messages that answered can have changed.
func equal(a, b provider.Message) bool {
	return a.Role == b.Role && a.CallID == b.CallID && a.Text == b.Text && a.Thinking == b.Thinking
}
