package stdio

import (
	"bytes"
	"fmt"
	"regexp"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Unreadable is the data of an error that stands in for an answer which came and could not be read. No server can send this type.
type Unreadable string

// refuse stands in for a line over the limit: the call it answers gets an error. head and tail are what was kept of it.
func (t *Transport) refuse(head, tail []byte, size int) {
	o := outlineOf(head)
	if found := idAtEnd.FindSubmatch(tail); o.id == "" && found != nil {
		o.id = key(found[1])
	}
	if !t.answerInstead(o, fmt.Sprintf("the answer of %d MB is over the limit of %d MB: ask for less", size>>20, t.config.MaxLine>>20)) {
		t.tail.add(fmt.Sprintf("stdout: a line of %d MB: %s", size>>20, clip(head)))
	}
}

// refuseBroken stands in for an answer that nobody can read. It tells whether a call waited for it.
func (t *Transport) refuseBroken(line []byte) bool {
	return t.answerInstead(outlineOf(line), "the answer is not JSON that can be read")
}

// answerInstead gives an error to the call that a message answers. It tells whether there is one: a call that waits on is better than an error
// for the wrong one.
func (t *Transport) answerInstead(o outline, text string) bool {
	if !o.outcome || o.request {
		return false
	}
	return t.answer(o.id, &transport.JSONRPCResponse{Error: &mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: text, Data: Unreadable(text)}})
}

// outline is what can be told of a message without reading it all.
type outline struct {
	id      string // as key makes it; "": there is none
	outcome bool   // it has a result or an error
	request bool   // it has a method
}

var (
	idHere  = regexp.MustCompile(`^"id"\s*:\s*("[^"\\]{1,100}"|\d+(?:\.0+)?)\s*[,}]`)
	idAtEnd = regexp.MustCompile(`"id"\s*:\s*("[^"\\]{1,100}"|\d+(?:\.0+)?)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

// outlineOf looks at the members of the object that begins in the text, as far as the text goes. What stands deeper counts for nothing: results
// have ids, too. Brackets do not count either, since too many of them are a reason why a message cannot be read.
func outlineOf(text []byte) (o outline) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth <= 0 {
				return o
			}
		case '"':
			if depth == 1 {
				o.note(text[i:])
			}
			i += lengthOfString(text[i:]) - 1
		}
	}
	return o
}

// note looks at what begins with a string: a member, most likely.
func (o *outline) note(text []byte) {
	name, value := text[:lengthOfString(text)], text[lengthOfString(text):]
	if !bytes.HasPrefix(bytes.TrimSpace(value), []byte(":")) {
		return
	}
	switch string(name) {
	case `"result"`, `"error"`:
		o.outcome = true
	case `"method"`:
		o.request = true
	case `"id"`:
		if found := idHere.FindSubmatch(text); found != nil {
			o.id = key(found[1])
		}
	}
}

// lengthOfString is how many bytes the string takes with which the text begins, quotes and all. One without an end takes the rest.
func lengthOfString(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
