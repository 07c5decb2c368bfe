package session

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// history is the state after reading a file.
type history struct {
	info Info
	name string // that you gave the session; "" for none
	used Used   // by the last turn
	end  int64  // offset of the end of the last complete line
	open bool   // that line is a whole record, but has no line end

	track                // the current branch
	others map[int]track // by number

	// The current turn, which may never have ended:
	pieces []byte                    // lines of text and thinking, decoded if no message replaces them
	begun  []string                  // ids of calls, in order
	calls  map[string]event.ToolCall // by id, the last record counts
}

// The limits of a line, and of what List reads: headSize bytes, or mostHead if they contain no message of the user. The
// start of a longer line is an invalid line.
const longestLine, headSize, mostHead = 64 << 20, 64 << 10, 16 << 20

// read reads the first bytes of a file, at most as many as given. It counts invalid lines. With mostHead, it stops
// early in a file larger than headSize, at the line where the title and the model are known.
func (s *Store) read(id string, most int64) (*history, error) {
	f, err := os.Open(s.path(id))
	if err != nil {
		return nil, unreadable(id, err)
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return nil, unreadable(id, err)
	}
	h := &history{info: Info{Changed: stat.ModTime(), Size: stat.Size()}, others: map[int]track{}, name: s.nameOf(id)}
	h.number = 1
	in := bufio.NewReader(io.LimitReader(f, most))
	for line := []byte(nil); !h.open && (most != mostHead || h.info.Size <= headSize || !h.isDescribed()); {
		var size int64
		line, size, err = readLine(in, line[:0])
		if errors.Is(err, io.EOF) {
			if h.open = provider.IsObject(line); !h.open {
				break // a killed process may leave an incomplete line
			}
		} else if err != nil {
			return nil, unreadable(id, err)
		}
		h.end += size
		if err := h.line(bytes.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("conversation %q %w", id, err)
		}
	}
	return h, nil
}

// readLine appends a line to an empty buffer, and returns its size in the file. The error is io.EOF if the line has no
// end.
func readLine(in *bufio.Reader, line []byte) (_ []byte, size int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		size += int64(len(part))
		line = append(line, part[:min(len(part), longestLine-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

func unreadable(id string, err error) error {
	return fmt.Errorf("cannot read conversation %q: %w", id, atomicfile.Cause(err))
}

// line applies a line. Nearly all lines are pieces of text and thinking, which are decoded only if necessary.
func (h *history) line(line []byte) error {
	piece := bytes.HasPrefix(line, []byte(`{"type":"text"`)) || bytes.HasPrefix(line, []byte(`{"type":"thinking"`))
	if piece && bytes.HasSuffix(line, []byte(`"}`)) { // complete
		h.pieces = append(append(h.pieces, line...), '\n')
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
	case r.Type == typeMeta && r.Version > firstVersion: // before the first branch
	case r.Type == typeMeta:
		h.info.Folder, h.info.Provider, h.used.Provider = r.Folder, r.Provider, r.Provider
	case r.Type == typeModel:
		h.info.Model, h.used.Model = r.Model, r.Model
		h.used.Provider = cmp.Or(r.Provider, h.used.Provider)
	case r.Type == typeMessage && r.Message != nil:
		h.message(*r.Message)
	case r.Type == typeTool && r.Call != nil:
		h.tool(*r.Call)
	case r.Type == typeWithdrawn:
		h.pieces = h.pieces[:0]
	case r.Type == typeRewind && r.Keep != nil:
		n := max(0, min(*r.Keep, len(h.messages)))
		h.messages, h.turns, h.kept = h.messages[:n], Within(h.turns, n), min(h.kept, n)
		h.dropPieces()
	case r.Type == typeBranch && r.Branch > 0:
		h.fork(r)
	case r.Type == typeEnd:
		if r.End != nil {
			r.End.Model, r.End.Stop = h.info.Model, withWhy(r.End.Stop)
			h.turns = append(h.turns, Turn{len(h.messages), r.Time, *r.End})
		}
		h.dropPieces()
	}
}

// dropPieces drops the pieces that messages replace.
func (h *history) dropPieces() {
	h.pieces, h.begun, h.calls = h.pieces[:0], nil, nil
}

func (h *history) message(m provider.Message) {
	switch m.Role {
	case provider.RoleUser:
		h.dropPieces()
		if !h.hasQuestion() {
			h.question = len(h.messages)
		}
	case provider.RoleSummary:
		if s := m.Covers; s == nil || h.info.Skipped > 0 || s.From < 0 || s.Until < s.From || s.Until > len(h.messages) {
			return // in a file that lost lines, the numbers may be wrong
		}
	case provider.RoleAssistant:
		h.pieces = h.pieces[:0]
	}
	h.messages = append(h.messages, m)
}

func (p track) hasQuestion() bool {
	return p.question < len(p.messages) && p.messages[p.question].Role == provider.RoleUser
}

// isDescribed reports whether about returns as much as List wants to know.
func (h *history) isDescribed() bool {
	return h.hasQuestion() && (h.info.Model != "" || h.end >= headSize)
}

func (h *history) tool(c event.ToolCall) {
	if h.calls == nil {
		h.calls = map[string]event.ToolCall{}
	}
	if _, known := h.calls[c.ID]; !known {
		h.begun = append(h.begun, c.ID)
	}
	h.calls[c.ID] = c
}

// Turn is a finished turn.
type Turn struct {
	Messages int // length of the conversation at its end
	Ended    time.Time
	Result   event.Result // without the answer and the arguments and results of calls
}

// Within returns the turns that ended within the first n messages.
func Within(turns []Turn, n int) []Turn {
	for len(turns) > 0 && turns[len(turns)-1].Messages > n {
		turns = turns[:len(turns)-1]
	}
	return turns
}

// CallsOf returns the calls of turns by id.
func CallsOf(turns []Turn) map[string]event.ToolCall {
	calls := map[string]event.ToolCall{}
	for _, t := range turns {
		for _, c := range t.Result.ToolCalls {
			calls[c.ID] = c
		}
	}
	return calls
}
