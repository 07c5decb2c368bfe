package openai

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// longestName bounds a name that comes in pieces, in bytes.
const longestName = 1 << 10

// callDelta is a piece of a call. The standard has the id and the name in the first piece of a call, its index in
// each, and the arguments in pieces of one string. Servers leave out any of these, repeat them, or send the arguments
// as an object.
type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// building is a call that is being received.
type building struct {
	index     int // -1: the server gives none
	id, name  string
	arguments bytes.Buffer
	repeats   bool // the server repeats the name in every piece
}

// calls collects the calls of one reply, in the order in which they began.
type calls struct {
	all  []*building
	size int // of all that came; what is past provider.MostArguments is left out
}

// full reports whether there are more calls than a reply may have.
func (c *calls) full() bool {
	return c.size > provider.MostArguments || len(c.all) > provider.MostCalls
}

// add takes a piece.
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
	if c.size += len(text) + len(d.Function.Name) + len(d.ID); c.size > provider.MostArguments {
		return
	}
	if b.id == "" {
		b.id = d.ID
	}
	if d.Function.Name != b.name && b.arguments.Len() == 0 && len(b.name) < longestName {
		b.name += d.Function.Name // a name in pieces; one that is only repeated is the same
	}
	b.arguments.WriteString(text)
}

// find is the last call with the index of the piece, or, where the server gives none, with its id. A piece of
// arguments alone belongs to the last call, whatever its index.
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

// endedBefore reports whether a piece begins another call although it has the index of this one: some servers give
// every call the first index.
func (b *building) endedBefore(d callDelta) bool {
	switch {
	case d.ID != "" && b.id != "":
		return d.ID != b.id
	case d.Function.Name == "" || b.arguments.Len() == 0 || b.repeats:
		return false
	}
	whole := json.Valid(b.arguments.Bytes())
	b.repeats = !whole // looked at once, however long the arguments become
	return whole
}

// pieceOfArguments is the text of a piece: usually a string, else JSON itself.
func pieceOfArguments(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil { // also null, which is nothing
		return text
	}
	return string(raw)
}

// finished are the calls as the model wrote them, also with arguments that are not JSON. If there were too many
// calls, those that are incomplete are marked.
func (c *calls) finished() []provider.Call {
	var out []provider.Call
	for _, b := range c.all {
		if c.full() && !isObject(b.arguments.Bytes()) { // the rest of it was not waited for
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
