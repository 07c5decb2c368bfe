package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/aloudchat/aloud/atomicfile"
	"github.com/aloudchat/aloud/provider"
)

// history is the state after reading the lines of a file.
type history struct {
	info     Info
	messages []provider.Message
	turns    []Turn // that ended
	end      int64  // of the last whole line, in bytes

	// The turn that is going on, in case it never ends:
	pieces [][]byte                     // lines of text and thinking, decoded only if no message replaces them
	begun  []string                     // ids of calls in the order in which they began
	calls  map[string]provider.ToolCall // by id, as recorded last
}

// read reads a file, or the lines in its first bytes. Lines that are no records are counted, not an error.
func (s *Store) read(id string, most int) (*history, error) {
	f, err := os.Open(s.path(id))
	if err != nil {
		return nil, unreadable(id, err)
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return nil, unreadable(id, err)
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(most)))
	if err != nil {
		return nil, unreadable(id, err)
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1] // a killed process may have left half a line
	h := &history{info: Info{Changed: stat.ModTime(), Size: stat.Size()}, end: int64(len(data))}
	for line := range bytes.Lines(data) {
		if err := h.line(bytes.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("session %q %w", id, err)
		}
	}
	return h, nil
}

// unreadable is about a file that cannot be read.
func unreadable(id string, err error) error {
	return fmt.Errorf("session %q cannot be read: %w", id, atomicfile.Cause(err))
}

// line applies one line. Nearly all of them are pieces of text and thinking, which are decoded only when they are
// needed.
func (h *history) line(line []byte) error {
	piece := bytes.HasPrefix(line, []byte(`{"type":"text"`)) || bytes.HasPrefix(line, []byte(`{"type":"thinking"`))
	if piece && bytes.HasSuffix(line, []byte(`"}`)) { // else it is damaged
		h.pieces = append(h.pieces, line)
		return nil
	}
	var r record
	switch err := json.Unmarshal(line, &r); {
	case len(line) == 0:
	case err != nil:
		h.info.Skipped++
	case r.Type == typeMeta && r.Version > version:
		return fmt.Errorf("was written by a newer aloud (format %d, this one reads %d); update aloud to open it", r.Version, version)
	default:
		h.apply(r)
	}
	return nil
}

// apply applies one record.
func (h *history) apply(r record) {
	if h.info.Started.IsZero() {
		h.info.Started = r.Time
	}
	switch {
	case r.Type == typeMeta:
		h.info.Folder, h.info.Provider = r.Folder, r.Provider
	case r.Type == typeModel:
		h.info.Model = r.Model
	case r.Type == typeMessage && r.Message != nil:
		h.message(*r.Message)
	case r.Type == typeTool && r.Call != nil:
		h.tool(*r.Call)
	case r.Type == typeWithdrawn:
		h.pieces = nil
	case r.Type == typeRewind && r.Keep != nil:
		h.rewind(max(0, min(*r.Keep, len(h.messages))))
	case r.Type == typeEnd:
		if r.End != nil {
			r.End.Model = h.info.Model
			h.turns = append(h.turns, Turn{len(h.messages), *r.End})
		}
		h.settle()
	}
}

// rewind keeps the first n messages and the turns that ended within them.
func (h *history) rewind(n int) {
	h.messages = h.messages[:n]
	h.turns = within(h.turns, n)
	h.settle()
}

// settle drops the pieces of a turn that its messages replace.
func (h *history) settle() {
	h.pieces, h.begun, h.calls = nil, nil, nil
}

func (h *history) message(m provider.Message) {
	switch m.Role {
	case provider.RoleUser:
		h.settle()
	case provider.RoleSummary:
		if !h.counts(m.Covers) {
			return
		}
	case provider.RoleAssistant:
		h.pieces = nil
	}
	h.messages = append(h.messages, withArguments(m))
}

// counts reports whether a summary can stand for the messages that it names. In a file that lost lines it may name
// others; without it the model reads all of them.
func (h *history) counts(s *provider.Span) bool {
	return s != nil && h.info.Skipped == 0 && 0 <= s.From && s.From <= s.Until && s.Until <= len(h.messages)
}

func (h *history) tool(c provider.ToolCall) {
	c.Arguments = validJSON(c.Arguments)
	if h.calls == nil {
		h.calls = map[string]provider.ToolCall{}
	}
	if _, known := h.calls[c.ID]; !known {
		h.begun = append(h.begun, c.ID)
	}
	h.calls[c.ID] = c
}

// Turn is how a turn of a conversation ended.
type Turn struct {
	Messages int             // the length of the conversation at that time
	Result   provider.Result // without the answer, and without the arguments and results of calls
}

// within are the turns that ended within the first n messages.
func within(turns []Turn, n int) []Turn {
	for len(turns) > 0 && turns[len(turns)-1].Messages > n {
		turns = turns[:len(turns)-1]
	}
	return turns
}

// CallsOf returns the calls of turns by their ids.
func CallsOf(turns []Turn) map[string]provider.ToolCall {
	calls := map[string]provider.ToolCall{}
	for _, t := range turns {
		for _, c := range t.Result.ToolCalls {
			calls[c.ID] = c
		}
	}
	return calls
}
