package loop

import (
	"fmt"
	"slices"

	"github.com/aloudchat/aloud/provider"
)

// history is the conversation of a turn.
type history struct {
	messages  []provider.Message // so far; grown in place, which no reader of the turn can see
	view      *provider.View     // the same as the model gets it; nil: to be made
	ids       map[string]bool    // of all calls, once the first call came
	shortened int                // how often the server refused it for its length
}

// Add adds messages. A summary changes what the model gets of those before it.
func (h *history) add(m ...provider.Message) {
	h.messages = append(h.messages, m...)
	if slices.ContainsFunc(m, func(m provider.Message) bool { return m.Role == provider.RoleSummary }) {
		h.view = nil
	}
	if h.view != nil {
		h.view.Add(m...)
	}
}

// Sent is the conversation as the model gets it.
func (h *history) sent(system provider.Message) []provider.Message {
	if h.view == nil {
		h.view = provider.ViewOf(system, h.messages)
	}
	return h.view.Sent
}

// with is what the model would get after another message, without the view being kept.
func (h *history) with(system provider.Message, m ...provider.Message) []provider.Message {
	return provider.ViewOf(system, append(slices.Clip(h.messages), m...)).Sent
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
