package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/aloudchat/aloud/cause"
	"github.com/aloudchat/aloud/provider"
)

// history is what the lines of a file come to, read one after the other.
type history struct {
	info     Info
	messages []provider.Message
	turns    []Turn // that ended
	torn     bool   // the last line has no end

	// Of the turn that is going on, in case that it never ends:
	pieces [][]byte                     // lines of text and thinking, not decoded: nearly always a message says it all later
	begun  []string                     // ids of calls, in the order in which they began
	calls  map[string]provider.ToolCall // the same by id, as they were recorded last
}

// readFile reads a whole file. Lines that are no records are counted, not an error.
func readFile(path, id string) (*history, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, say(err, "session %q cannot be read: %v", id, cause.Of(err))
	}
	h := &history{}
	h.info.Size = int64(len(data))
	if info, err := os.Stat(path); err == nil {
		h.info.Changed = info.ModTime()
	}
	if err := h.read(data); err != nil {
		return nil, fmt.Errorf("session %q %w", id, err)
	}
	return h, nil
}

func (h *history) read(data []byte) error {
	garbage := false // the line before was none
	for line := range bytes.Lines(data) {
		h.torn = line[len(line)-1] != '\n'
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if isPiece(line) {
			h.pieces = append(h.pieces, line)
			garbage = false
			continue
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			garbage = true
			if !h.torn {
				h.info.Skipped++
			}
			continue
		}
		if r.Type == typeResume && garbage {
			h.info.Skipped-- // it was the torn end of a killed process
		}
		if r.Type == typeMeta && r.Version > version {
			return errNewer(r.Version)
		}
		garbage = false
		if r.Type == typeText || r.Type == typeThinking {
			h.pieces = append(h.pieces, line)
		} else {
			h.apply(r)
		}
	}
	return nil
}

// isPiece knows the lines of text and thinking as this package writes them without decoding them: they are nearly all lines of a file.
func isPiece(line []byte) bool {
	begins := bytes.HasPrefix(line, []byte(`{"type":"text","time":"`)) || bytes.HasPrefix(line, []byte(`{"type":"thinking","time":"`))
	return begins && bytes.HasSuffix(line, []byte(`"}`))
}

// apply follows one record.
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
			h.turns = append(h.turns, h.ended(r.End))
		}
		h.settle()
	}
}

// rewind keeps the first n messages, and the turns that they are all of.
func (h *history) rewind(n int) {
	h.messages, h.turns = h.messages[:n], until(h.turns, n)
	h.settle()
}

// settle forgets the pieces of a turn: its messages say it all.
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

// counts tells whether a summary names messages that it can stand for. In a file of which lines were lost it may name others than it was
// made of: without it the model reads all of them, which is right, only longer.
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
