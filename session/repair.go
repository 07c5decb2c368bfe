package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// valid returns a valid conversation: an unfinished answer becomes a partial message, and every call has a result.
func (h *history) valid() []provider.Message {
	requested := map[string]bool{}
	for _, m := range h.messages {
		for _, c := range m.Calls {
			requested[c.ID] = true
		}
	}
	m := provider.Message{Role: provider.RoleAssistant, Partial: true}
	m.Text, m.Thinking = h.partialText()
	for _, id := range h.begun {
		if c := h.calls[id]; !requested[id] {
			m.Calls = append(m.Calls, provider.Call{ID: c.ID, Name: c.Name, Title: c.Title, Arguments: c.Arguments})
		}
	}
	messages := h.messages
	if m.Text != "" || m.Thinking != "" || len(m.Calls) > 0 {
		messages = append(slices.Clip(messages), m)
	}
	return h.withResults(messages)
}

// partialText joins the pieces that no message has replaced.
func (h *history) partialText() (text, thinking string) {
	var words, thoughts strings.Builder
	for line := range bytes.Lines(h.pieces) {
		var r record
		if json.Unmarshal(line, &r) != nil {
			continue // not written by aloud
		}
		if r.Type == typeText {
			words.WriteString(r.Delta)
		} else {
			thoughts.WriteString(r.Delta)
		}
	}
	return words.String(), thoughts.String()
}

// withResults returns messages with exactly one result for each call, in the order of the calls.
func (h *history) withResults(messages []provider.Message) []provider.Message {
	whole := make([]provider.Message, 0, len(messages))
	for len(messages) > 0 {
		m := messages[0]
		messages = messages[1:]
		if m.Role == provider.RoleTool || m.Role == provider.RoleSummary && m.Covers.Until > len(whole) {
			continue // a result without a call, or an invalid summary
		}
		whole = append(whole, m)
		answers := map[string]provider.Message{} // by call id, the first one counts
		for len(messages) > 0 && messages[0].Role == provider.RoleTool {
			if _, twice := answers[messages[0].CallID]; !twice {
				answers[messages[0].CallID] = messages[0]
			}
			messages = messages[1:]
		}
		for _, call := range m.Calls {
			answer, ok := answers[call.ID]
			if !ok {
				answer = h.missingResult(call)
			}
			whole = append(whole, answer)
		}
	}
	return whole
}

// missingResult returns a message for a missing result, with the recorded result of the tool if there is one.
func (h *history) missingResult(call provider.Call) provider.Message {
	m := provider.Message{Role: provider.RoleTool, CallID: call.ID, Tool: call.Name}
	c := h.calls[call.ID]
	if c.Status == "" || c.Status == event.CallPending {
		m.Text, m.Failed = "aloud ended before this tool finished. It is unknown whether the tool did anything.", true
		return m
	}
	m.Text, m.Failed = cmp.Or(c.Result, c.Error), c.Status != event.CallOK && c.Status != event.CallCached
	return m
}

// repair returns the records that turn the conversation of the file into whole, and the length of their common start.
func (h *history) repair(whole []provider.Message) (all []record, same int) {
	for same < min(len(h.messages), len(whole)) && equal(h.messages[same], whole[same]) {
		same++
	}
	if same < len(h.messages) {
		all = append(all, record{Type: typeRewind, Keep: &same})
	}
	return append(all, messageRecords(whole[same:])...), same
}

// equal compares the parts of messages that answered may change.
func equal(a, b provider.Message) bool {
	return a.Role == b.Role && a.CallID == b.CallID && a.Text == b.Text && a.Thinking == b.Thinking
}
