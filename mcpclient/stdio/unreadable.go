package stdio

import (
	"fmt"
	"regexp"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Unreadable is the data of an error that stands in for an answer which came and could not be read. No server can send this type.
type Unreadable string

// refuse stands in for a line over the limit: the call it answers gets an error. head and tail are what was kept of it.
func (t *Transport) refuse(head, tail []byte, size int) {
	text := fmt.Sprintf("the answer of %d MB is over the limit of %d MB: ask for less", size>>20, t.config.MaxLine>>20)
	if !t.answerInstead(head, tail, text) {
		t.tail.add(fmt.Sprintf("stdout: a line of %d MB: %s", size>>20, clip(head)))
	}
}

// How the usual libraries write an answer: with its id in front of the result, or at the end.
const (
	id      = `"id"\s*:\s*("[^"\\]{1,100}"|\d+(?:\.0+)?)\s*`
	version = `(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?` // in front of the id, or behind it where names are sorted
)

var (
	idInFront  = regexp.MustCompile(`^[^{]*\{\s*` + version + id + `,\s*` + version + `"(?:result|error)"\s*:`)
	answerHead = regexp.MustCompile(`^[^{]*\{\s*` + version + `"(?:result|error)"\s*:`)
	idAtEnd    = regexp.MustCompile(id + `(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

// answerInstead gives an error to the call that a message answers, by the ends of the message, and reports whether there is one: a call that waits on
// is better than an error for the wrong one.
func (t *Transport) answerInstead(head, tail []byte, text string) bool {
	found := idInFront.FindSubmatch(head)
	if found == nil && answerHead.Match(head) {
		found = idAtEnd.FindSubmatch(tail[max(0, len(tail)-keptOfLong):])
	}
	if found == nil {
		return false
	}
	return t.answer(key(found[1]), &transport.JSONRPCResponse{Error: &mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: text, Data: Unreadable(text)}})
}
