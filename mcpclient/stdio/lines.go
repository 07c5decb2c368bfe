package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// lines is a Wire with a message on each line.
type lines struct {
	*jsonrpc.Wire
	tail    *tail // output that was not a message
	maxLine int
	input   *queue // to the server
}

func newLines(maxLine int, handle func(jsonrpc.Message)) lines {
	input := newQueue()
	write := func(_ context.Context, message []byte) error { return input.Write(append(message, '\n')) }
	return lines{jsonrpc.NewWire(write, handle), new(tail), maxLine, input}
}

// Tail returns the last lines of standard error, and of standard output that were not messages.
func (l lines) Tail() []string { return l.tail.lines() }

// end ends all requests.
func (l lines) end(cause error) {
	l.input.Close()
	l.End(cause)
}

// read handles the output of the server until its end.
func (l lines) read(output io.Reader) { readLines(output, l.maxLine, l.handleLine) }

// handleLine handles one line of standard output, or the beginning of one that is too long.
func (l lines) handleLine(line []byte, size int) {
	if size > l.maxLine {
		l.reject(line, fmt.Sprintf("the response of %d MB is larger than %d MB: request less", size>>20, l.maxLine>>20))
		return
	}
	complete := bytes.HasSuffix(line, []byte("\n"))
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))) // byte order mark on Windows
	if len(line) > 0 && !l.Receive(line) {
		l.receiveGlued(line, complete)
	}
}

// receiveGlued handles a line with several messages, in a list or not, or with other output before or after a message.
func (l lines) receiveGlued(line []byte, complete bool) {
	for len(line) > 0 {
		begin := bytes.Index(line, []byte(`{"`))
		if begin < 0 {
			break
		}
		l.junk(line[:begin])
		line = line[begin:]
		values := json.NewDecoder(bytes.NewReader(line))
		var one json.RawMessage
		if values.Decode(&one) != nil {
			if complete { // otherwise the server has just exited
				l.reject(line, "the response is not valid JSON")
				return
			}
			break
		}
		if !l.Receive(one) {
			l.junk(one)
		}
		line = line[values.InputOffset():]
	}
	l.junk(line)
}

// junk keeps output that is not a message.
func (l lines) junk(text []byte) {
	if len(bytes.Trim(text, "[,] \t\r\n")) > 0 {
		l.tail.add("stdout: ", text)
	}
}

var (
	// aResponse matches the beginning of a response, up to its result or error.
	aResponse = sanitize.Pattern(`^[^{]*\{[^{]*"(?:result|error)"\s*:`)
	// idInFront matches the id of a response if it comes before that.
	idInFront = sanitize.Pattern(`"id"\s*:\s*("[^"\\]{1,100}"|\d+(?:\.0)?)\s*,`)
)

// reject handles an invalid line. If it is a response, its request gets an error. If its id is unknown, that is the
// only open request, or none if there are several.
func (l lines) reject(line []byte, why string) {
	head := aResponse().Find(line[:min(len(line), headOfLong)])
	var id []byte
	if found := idInFront().FindSubmatch(head); found != nil {
		id = found[1]
	}
	if head == nil || !l.Fail(id, errors.New(why)) {
		l.junk(line)
	}
}

const headOfLong = 1 << 10 // bytes kept of a line over the limit

// readLines calls line for every line of r, with its full size. Of a line over max bytes head is only the beginning.
// head is valid only during the call.
func readLines(r io.Reader, max int, line func(head []byte, size int)) {
	in := bufio.NewReaderSize(r, 64<<10)
	var head []byte
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		if size += len(part); size <= max {
			head = append(head, part...)
		} else if len(head) != headOfLong {
			head = bytes.Clone(append(head, part...)[:min(size, headOfLong)])
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if size > 0 {
			line(head, size)
		}
		if err != nil {
			return
		}
		size = 0
		if head = head[:0]; cap(head) > 1<<20 {
			head = nil // free the memory of a large message
		}
	}
}
