package openai

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/aloudchat/aloud/provider"
)

// maxEvent bounds one event of a stream; a whole tool call comes in one.
const maxEvent = provider.MostLine

// errLongEvent is an event of more than maxEvent bytes.
var errLongEvent = errors.New("an event of the stream is too long")

// event is one of a stream of server-sent events. Its data is valid until the next one is read.
type event struct {
	name string // "error" matters, everything else is ""
	data []byte
}

// events reads a stream of server-sent events as servers write them, which is not always as the standard has it: lines end in any way, the last
// event may lack its blank line, old llama.cpp names a field "error", and what is no event at all may be an error in plain JSON.
type events struct {
	lines *bufio.Reader
	long  []byte // holds a line that is longer than the reader's buffer
	data  []byte
	begun bool
}

func newEvents(r io.Reader) *events { return &events{lines: bufio.NewReaderSize(r, 16<<10)} }

// next returns the next event that has data, or io.EOF after the last.
func (e *events) next() (event, error) {
	var name string
	e.data = e.data[:0]
	for {
		line, err := e.line()
		if err != nil && !errors.Is(err, io.EOF) {
			return event{}, err
		}
		if len(line) == 0 {
			if len(e.data) > 0 {
				return event{name, e.data}, nil
			}
			if err != nil {
				return event{}, io.EOF
			}
			name = ""
			continue
		}
		field, value := cutField(line)
		switch field {
		case "data":
		case "event":
			name = string(value[:min(len(value), 20)])
			continue
		case "error":
			name = "error"
		default:
			continue // a comment, an id, a time to wait
		}
		if len(e.data)+len(value) >= maxEvent {
			return event{}, errLongEvent
		}
		if len(e.data) > 0 {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, value...)
	}
}

// cutField splits a line into its field and value. A line of JSON is taken for data.
func cutField(line []byte) (field string, value []byte) {
	if line[0] == '{' {
		return "data", line
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	return string(name[:min(len(name), 10)]), bytes.TrimPrefix(value, []byte(" "))
}

// line returns the next line without its end. A rest without an end comes without an error; then comes io.EOF.
func (e *events) line() ([]byte, error) {
	e.long = e.long[:0]
	for {
		part, err := e.lines.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if full || len(e.long) > 0 {
			if len(e.long)+len(part) > maxEvent {
				return nil, errLongEvent
			}
			e.long = append(e.long, part...)
			part = e.long
		}
		if full {
			continue
		}
		if errors.Is(err, io.EOF) && len(part) > 0 {
			err = nil
		}
		if !e.begun { // a byte order mark is no part of the first line
			e.begun = true
			part = bytes.TrimPrefix(part, []byte("\ufeff"))
		}
		return bytes.TrimRight(part, "\r\n"), err
	}
}
