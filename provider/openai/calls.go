package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// maxName limits a name that comes in pieces, in bytes.
const maxName = 1 << 10

// callDelta is a piece of a call. In the standard, the first piece has the id and the name, each piece has the index,
// and the arguments are pieces of one string. Servers omit, repeat or change any of these, or send the arguments as an
// object.
type callDelta struct {
	Index    *int   `json:"index"`
	ID       callID `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// callID is a string. Some servers send a number.
type callID string

// UnmarshalJSON implements json.Unmarshaler. It returns no error.
func (id *callID) UnmarshalJSON(data []byte) error {
	*id = callID(pieceOfArguments(data))
	return nil
}

// building is an incomplete call.
type building struct {
	index     int // -1 if the server sends none, or the whole call at once
	id        callID
	name      string
	arguments bytes.Buffer
	extent    extent // of the arguments
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

// complete reports whether no call is only a part.
func (c *calls) complete() bool {
	return !slices.ContainsFunc(c.all, func(b *building) bool { return b.arguments.Len() > 0 && !b.extent.complete() })
}

// addWhole adds a whole call.
func (c *calls) addWhole(d callDelta) {
	d.Index = nil
	c.extend(nil, d, pieceOfArguments(d.Function.Arguments))
}

// add adds a piece of a call.
func (c *calls) add(d callDelta) {
	text := pieceOfArguments(d.Function.Arguments)
	b := c.find(d)
	if b != nil && b.endsBefore(d, text) {
		b = nil
	}
	c.extend(b, d, text)
}

// extend adds a piece with the text of its arguments to b, or to a new call if b is nil.
func (c *calls) extend(b *building, d callDelta, text string) {
	if b == nil {
		if d.ID == "" && d.Function.Name == "" && len(c.all) == 0 || c.full() {
			return
		}
		b = &building{index: -1}
		if d.Index != nil {
			b.index = *d.Index
		}
		c.all = append(c.all, b)
	}
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
	b.extent.add(text)
}

// find returns the call that the piece continues, unless that call has ended: the last one with the index of the piece.
// Without an index it is the last one with its id, or else the last one. It returns nil if there is no such call.
func (c *calls) find(d callDelta) *building {
	for _, b := range slices.Backward(c.all) {
		if d.Index != nil && b.index == *d.Index || d.Index == nil && d.ID != "" && b.id == d.ID {
			return b
		}
	}
	isRest := d.Index == nil || d.ID == "" && d.Function.Name == ""
	if isRest && len(c.all) > 0 {
		return c.all[len(c.all)-1]
	}
	return nil
}

// endsBefore reports whether a piece with the same index begins another call, because some servers give every call the
// index 0. Others change the id or repeat the name in pieces of one call. So another call begins with another id and
// another name, or with a name after complete arguments. Without an index, it also begins with another id and the same
// name, unless the piece is the rest of incomplete arguments.
func (b *building) endsBefore(d callDelta, arguments string) bool {
	newID := d.ID != "" && b.id != "" && d.ID != b.id
	switch {
	case d.Function.Name == "" || b.name == "":
		return false
	case d.Function.Name != b.name:
		return newID || b.extent.complete()
	case newID && d.Index == nil && (b.arguments.Len() == 0 || beginsObject(arguments)):
		return true
	}
	return b.extent.complete() && (newID || strings.TrimSpace(arguments) != "")
}

func beginsObject(arguments string) bool { return strings.HasPrefix(strings.TrimSpace(arguments), "{") }

// repeats reports whether a call is only the last piece of the call before it, with a new id and the same index and
// name.
func (b *building) repeats(before *building) bool {
	return len(bytes.TrimSpace(b.arguments.Bytes())) == 0 && before.arguments.Len() > 0 &&
		b.index >= 0 && b.index == before.index && b.name == before.name
}

// extent finds the end of a JSON object, list or string that comes in pieces.
type extent struct {
	depth             int
	inString, escaped bool
	closed            bool // a value has ended
}

func (e *extent) add(text string) {
	for _, c := range []byte(text) {
		switch {
		case e.escaped:
			e.escaped = false
		case e.inString:
			e.escaped, e.inString = c == '\\', c != '"'
		case c == '"':
			e.inString = true
		case c == '{' || c == '[':
			e.depth++
		case c == '}' || c == ']':
			e.depth--
		default:
			continue
		}
		e.closed = e.closed || e.depth <= 0 && !e.inString
	}
}

func (e *extent) complete() bool { return e.closed && e.depth <= 0 && !e.inString }

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
	for i, b := range c.all {
		if !c.full() && (b.name == "" && b.arguments.Len() == 0 || i > 0 && b.repeats(c.all[i-1])) {
			continue
		}
		if c.full() && !provider.IsObject(b.arguments.Bytes()) { // its rest was dropped
			out = append(out, provider.Call{ID: string(b.id), Name: b.name, Cut: true})
			continue
		}
		out = append(out, provider.Call{ID: string(b.id), Name: b.name, Arguments: b.arguments.Bytes()})
	}
	return out
}
