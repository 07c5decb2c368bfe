package openai

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// maxName limits a name that comes in pieces, in bytes.
const maxName = 1 << 10

// callDelta is a piece of a call. In the standard, the first piece has the id and the name, each piece has the index,
// and the arguments are pieces of one string. Servers omit or repeat any of these, or send the arguments as an
// object.
type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// building is an incomplete call.
type building struct {
	index     int // -1 if the server sends none
	id, name  string
	arguments bytes.Buffer
	repeats   bool // the name comes with every piece
}

// calls collects the calls of one reply in order.
type calls struct {
	all  []*building
	size int // bytes received; calls beyond provider.MaxArguments are dropped
}

// full reports whether the reply exceeds the limits for calls.
func (c *calls) full() bool {
	return c.size > provider.MaxArguments || len(c.all) > provider.MaxCalls
}

// add adds a piece.
func (c *calls) add(d callDelta) {
	b := c.find(d)
	if b == nil || b.endedBefore(d) {
		if d.ID == "" && d.Function.Name == "" && len(c.all) == 0 || c.full() {
			return
		}
		b = &building{index: -1}
		if d.Index != nil {
			b.index = *d.Index
		}
		c.all = append(c.all, b)
	}
	text := pieceOfArguments(d.Function.Arguments)
	if c.size += len(text) + len(d.Function.Name) + len(d.ID); c.size > provider.MaxArguments {
		return
	}
	if b.id == "" {
		b.id = d.ID
	}
	if d.Function.Name != b.name && b.arguments.Len() == 0 && len(b.name) < maxName {
		b.name += d.Function.Name // the next piece of the name, not a repeated name
	}
	b.arguments.WriteString(text)
}

// find returns the last call with the index of the piece, or with its id if there is no index. A piece with only
// arguments belongs to the last call. It returns nil if there is no such call.
func (c *calls) find(d callDelta) *building {
	for _, b := range slices.Backward(c.all) {
		switch {
		case d.Index != nil && b.index == *d.Index:
			return b
		case d.Index == nil && (d.ID == "" || d.ID == b.id):
			return b
		}
	}
	if d.ID == "" && d.Function.Name == "" && len(c.all) > 0 {
		return c.all[len(c.all)-1]
	}
	return nil
}

// endedBefore reports whether a piece with the same index begins another call. Some servers give every call the index
// 0.
func (b *building) endedBefore(d callDelta) bool {
	switch {
	case d.ID != "" && b.id != "":
		return d.ID != b.id
	case d.Function.Name == "" || b.arguments.Len() == 0 || b.repeats:
		return false
	}
	whole := json.Valid(b.arguments.Bytes())
	b.repeats = !whole // check once, not for every piece
	return whole
}

// pieceOfArguments returns the text of a piece, which is a string or JSON.
func pieceOfArguments(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil { // null becomes ""
		return text
	}
	return string(raw)
}

// finished returns the calls. Their arguments may be invalid JSON. If the reply exceeds the limits, incomplete calls
// have Cut set.
func (c *calls) finished() []provider.Call {
	var out []provider.Call
	for _, b := range c.all {
		if c.full() && !isObject(b.arguments.Bytes()) { // its rest was dropped
			out = append(out, provider.Call{ID: b.id, Name: b.name, Cut: true})
			continue
		}
		if b.id == "" {
			b.id = "call_" + strings.ToLower(rand.Text()[:8])
		}
		out = append(out, provider.Call{ID: b.id, Name: b.name, Arguments: b.arguments.Bytes()})
	}
	return out
}
