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

// history is the state after reading a file.
type history struct {
	info     Info
	messages []provider.Message
	turns    []Turn // finished turns
	end      int64  // offset of the end of the last complete line

	// The current turn, which may never have ended:
	pieces [][]byte                     // lines of text and thinking, decoded if no message replaces them
	begun  []string                     // ids of calls, in order
	calls  map[string]provider.ToolCall // by id, the last record counts
}

// read reads the first bytes of a file, at most as many as given. It counts invalid lines.
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
	data = data[:bytes.LastIndexByte(data, '\n')+1] // a killed process may leave an incomplete line
	h := &history{info: Info{Changed: stat.ModTime(), Size: stat.Size()}, end: int64(len(data))}
	for line := range bytes.Lines(data) {
		if err := h.line(bytes.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("conversation %q %w", id, err)
		}
	}
	return h, nil
}

func unreadable(id string, err error) error {
	return fmt.Errorf("cannot read conversation %q: %w", id, atomicfile.Cause(err))
}

// line applies a line. Nearly all lines are pieces of text and thinking, which are decoded only if necessary.
func (h *history) line(line []byte) error {
	piece := bytes.HasPrefix(line, []byte(`{"type":"text"`)) || bytes.HasPrefix(line, []byte(`{"type":"thinking"`))
	if piece && bytes.HasSuffix(line, []byte(`"}`)) { // complete
		h.pieces = append(h.pieces, line)
		return nil
	}
	var r record
	switch err := json.Unmarshal(line, &r); {
	case len(line) == 0:
	case err != nil:
		h.info.Skipped++
	case r.Type == typeMeta && r.Version > version:
		const text = "was written by a newer version of aloud (format %d, this one reads %d). Update aloud to open it"
		return fmt.Errorf(text, r.Version, version)
	default:
		h.apply(r)
	}
	return nil
}

// apply applies a record.
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
		h.dropPieces()
	}
}

// rewind keeps the first n messages and their turns.
func (h *history) rewind(n int) {
	h.messages = h.messages[:n]
	h.turns = within(h.turns, n)
	h.dropPieces()
}

// dropPieces drops the pieces that messages replace.
func (h *history) dropPieces() {
	h.pieces, h.begun, h.calls = nil, nil, nil
}

func (h *history) message(m provider.Message) {
	switch m.Role {
	case provider.RoleUser:
		h.dropPieces()
	case provider.RoleSummary:
		if !h.isValidSummary(m.Covers) {
			return
		}
	case provider.RoleAssistant:
		h.pieces = nil
	}
	h.messages = append(h.messages, withArguments(m))
}

// isValidSummary reports whether a summary covers existing messages. Summaries in a file that lost lines do not count,
// because the numbers may be wrong.
func (h *history) isValidSummary(s *provider.Span) bool {
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

// Turn is a finished turn.
type Turn struct {
	Messages int             // length of the conversation at its end
	Result   provider.Result // without the answer and the arguments and results of calls
}

// within returns the turns that ended within the first n messages.
func within(turns []Turn, n int) []Turn {
	for len(turns) > 0 && turns[len(turns)-1].Messages > n {
		turns = turns[:len(turns)-1]
	}
	return turns
}

// CallsOf returns the calls of turns by id.
func CallsOf(turns []Turn) map[string]provider.ToolCall {
	calls := map[string]provider.ToolCall{}
	for _, t := range turns {
		for _, c := range t.Result.ToolCalls {
			calls[c.ID] = c
		}
	}
	return calls
}
