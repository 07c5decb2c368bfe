package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/aloudchat/aloud/provider"
)

// history is the state after reading the lines of a file.
type history struct {
	info     Info
	messages []provider.Message
	turns    []Turn // that ended
	torn     bool   // the last line has no end

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
	if len(data) == most { // the last line may go on
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	h := &history{info: Info{Changed: stat.ModTime(), Size: stat.Size()}}
	if err := h.read(data); err != nil {
		return nil, fmt.Errorf("session %q %w", id, err)
	}
	return h, nil
}

func (h *history) read(data []byte) error {
	garbage := false // the line before was not a record
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

// isPiece reports whether a line, as this package writes it, is text or thinking. Nearly all lines of a file are.
func isPiece(line []byte) bool {
	begins := bytes.HasPrefix(line, []byte(`{"type":"text","time":"`)) || bytes.HasPrefix(line, []byte(`{"type":"thinking","time":"`))
	return begins && bytes.HasSuffix(line, []byte(`"}`))
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
			h.turns = append(h.turns, h.ended(r.End))
		}
		h.settle()
	}
}

// rewind keeps the first n messages, and the turns that ended within them.
func (h *history) rewind(n int) {
	h.messages, h.turns = h.messages[:n], until(h.turns, n)
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
