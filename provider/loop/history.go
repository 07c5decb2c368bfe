package loop

import (
	"fmt"
	"slices"

	"github.com/aloudchat/aloud/provider"
)

// history is the conversation of a turn.
type history struct {
	messages []provider.Message // grown in place, which readers of the turn cannot see
	view     *provider.View     // messages for the model; nil if not made yet
	ids      map[string]bool    // of all calls; nil before the first call
	tooLong  int                // number of refusals because of its length
}

// add appends messages. A summary changes what the model reads of the messages before it.
func (h *history) add(m ...provider.Message) {
	h.messages = append(h.messages, m...)
	if slices.ContainsFunc(m, func(m provider.Message) bool { return m.Role == provider.RoleSummary }) {
		h.view = nil
	}
	if h.view != nil {
		h.view.Add(m...)
	}
}

// sent returns the conversation for the model.
func (h *history) sent(system provider.Message) []provider.Message {
	if h.view == nil {
		h.view = provider.ViewOf(system, h.messages)
	}
	return h.view.Sent
}

// with returns the conversation for the model after more messages.
func (h *history) with(system provider.Message, m ...provider.Message) []provider.Message {
	return provider.ViewOf(system, append(slices.Clip(h.messages), m...)).Sent
}

// uniqueID returns id if no call of the conversation has it, or else a new id.
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
