package transcript

import (
	"cmp"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/status"
)

// Load appends the entries of a conversation that was held before, and what is known of how its turns ended, told in a language. Nothing is
// rendered until it comes into view.
func (t *Transcript) Load(c provider.Conversation, turns []session.Turn, language status.Language) {
	calls := map[string]*toolEntry{}
	summary, counts := c.Summary()
	for i, m := range c.Messages() {
		turns = t.loadEnds(i, turns, language)
		switch m.Role {
		case provider.RoleUser:
			if m.GoesOn() {
				continue // nobody said it
			}
			t.entries = append(t.entries, newUserEntry(m))
		case provider.RoleAssistant:
			if m.From != "" {
				t.entries = append(t.entries, newUserEntry(m))
				continue
			}
			t.loadAnswer(m, calls)
		case provider.RoleTool:
			if e := calls[m.CallID]; e != nil {
				e.update(answered(e.call, m))
				delete(calls, m.CallID)
			}
		case provider.RoleSummary:
			words := summaryWords(m, "")
			if counts && i == summary {
				words += wayBackHint
			}
			t.entries = append(t.entries, newNoticeEntry(Info, words))
		}
	}
	t.loadEnds(c.Len(), turns, language)
	t.End()
}

// loadEnds appends what turns came to that ended when there were n messages, and returns those that ended later.
func (t *Transcript) loadEnds(n int, turns []session.Turn, language status.Language) []session.Turn {
	for ; len(turns) > 0 && turns[0].Messages <= n; turns = turns[1:] {
		result := turns[0].Result
		if len(result.Sources) > 0 {
			t.entries = append(t.entries, newSourcesEntry(result.Sources))
		}
		if receipt := ReceiptOf(result, language); receipt != "" {
			t.entries = append(t.entries, newNoticeEntry(Receipt, receipt))
		}
	}
	return turns
}

func (t *Transcript) loadAnswer(m provider.Message, calls map[string]*toolEntry) {
	if m.Thinking != "" {
		t.entries = append(t.entries, storedThought(m.Thinking))
	}
	if strings.TrimSpace(m.Text) != "" {
		t.entries = append(t.entries, storedReply(m.Text, m.Partial))
	}
	for _, call := range m.Calls {
		e := newToolEntry(callOf(call))
		calls[call.ID] = e
		t.entries = append(t.entries, e)
	}
}

// callOf is what a stored call tells. One without an answer was cancelled.
func callOf(c provider.Call) provider.ToolCall {
	server, name, ok := strings.Cut(c.Name, "__")
	if !ok {
		server, name = "", c.Name
	}
	return provider.ToolCall{
		ID: c.ID, Name: c.Name, Server: server, Title: cmp.Or(c.Title, status.Title("", name)), Arguments: c.Arguments, Status: provider.CallCancelled,
	}
}

// answered is the call with a tool's stored answer. How long it took is not stored.
func answered(c provider.ToolCall, m provider.Message) provider.ToolCall {
	c.Status, c.Result = provider.CallOK, m.Text
	if m.Failed {
		c.Status, c.Result, c.Error = provider.CallError, "", m.Text
	}
	return c
}
