// Package sse reads server-sent events, the streams of MCP servers and of OpenAI-compatible model servers.
package sse

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"time"
)

// ErrTooLarge means that a line or an event is larger than the limit of its reader.
var ErrTooLarge = errors.New("an event is too large")

// Event is one event. Any field may be empty.
type Event struct {
	Name  string // "" means "message"
	Data  []byte // the lines of data, joined with newlines
	ID    string // to resume the stream after it
	Retry time.Duration
}

// Reader reads events. It is not safe for concurrent use.
type Reader struct {
	// JSON is for servers whose events are JSON. Some end an event without a blank line, write JSON without "data:", or
	// report an error with "error:".
	JSON bool

	in      *bufio.Reader
	limit   int
	begun   bool   // the first line was read, which may begin with a byte order mark
	afterCR bool   // a line ended with CR, so that LF is the rest of its end
	long    []byte // the beginning of a line that exceeds the buffer
}

// NewReader returns a reader of events of up to limit bytes.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, 16<<10), limit: limit}
}

// Next returns the next event. It returns io.EOF at the end of the stream, after the last event even if that lacks its
// blank line. Such an event has no ID, because it may be incomplete.
func (r *Reader) Next() (Event, error) {
	var e Event
	plain := false // the data began without "data:"
	for {
		line, err := r.line()
		atEnd := errors.Is(err, io.EOF)
		if err != nil && !atEnd {
			return Event{}, err
		}
		isFirst := e.Data == nil
		if r.JSON && !plain {
			line = bytes.TrimLeft(line, " \t")
			plain = isFirst && bytes.HasPrefix(line, []byte("{"))
		}
		if plain && len(line) > 0 {
			e.addData(line)
		} else {
			e.add(line, r.JSON)
		}
		isWhole := r.JSON && isFirst && e.Data != nil && json.Valid(e.Data)
		switch {
		case len(e.Data) > r.limit:
			return Event{}, ErrTooLarge
		case isWhole, len(line) == 0 && !atEnd && !e.isEmpty():
			return e, nil
		case atEnd && e.Data != nil:
			e.ID = ""
			return e, nil
		case atEnd:
			return Event{}, io.EOF
		}
	}
}

// line returns the next line without its end, which is LF, CR or both. It is valid until the next call. The last line
// comes with io.EOF.
func (r *Reader) line() ([]byte, error) {
	if r.long = r.long[:0]; cap(r.long) > 1<<20 {
		r.long = nil // free the memory of a large event
	}
	for {
		_, err := r.in.Peek(1)
		if err != nil {
			return r.withoutMark(r.long), err
		}
		part, _ := r.in.Peek(r.in.Buffered())
		if r.afterCR && part[0] == '\n' {
			part = part[1:]
			_, _ = r.in.Discard(1)
		}
		r.afterCR = false
		end := bytes.IndexByte(part, '\n')
		if end < 0 {
			end = len(part)
		}
		if cr := bytes.IndexByte(part[:end], '\r'); cr >= 0 {
			end, r.afterCR = cr, true
		}
		if len(r.long)+end > r.limit {
			return nil, ErrTooLarge
		}
		_, _ = r.in.Discard(min(end+1, len(part)))
		switch {
		case end == len(part): // the line goes on
			r.long = append(r.long, part...)
		case len(r.long) > 0:
			r.long = append(r.long, part[:end]...)
			return r.withoutMark(r.long), nil
		default:
			return r.withoutMark(part[:end]), nil
		}
	}
}

// withoutMark removes the byte order mark from the first line.
func (r *Reader) withoutMark(line []byte) []byte {
	if r.begun {
		return line
	}
	r.begun = true
	return bytes.TrimPrefix(line, []byte("\ufeff"))
}

// add adds a line. Unknown fields and comments are ignored.
func (e *Event) add(line []byte, isJSON bool) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		e.Name = string(bytes.TrimSpace(value))
	case "data":
		e.addData(value)
	case "error":
		if isJSON { // llama.cpp
			e.Name = "error"
			e.addData(value)
		}
	case "id":
		if !bytes.ContainsRune(value, 0) {
			e.ID = string(value)
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			e.Retry = time.Duration(ms) * time.Millisecond
		}
	}
}

func (e *Event) addData(line []byte) {
	if e.Data == nil {
		e.Data = append([]byte{}, line...)
		return
	}
	e.Data = append(append(e.Data, '\n'), line...)
}

func (e *Event) isEmpty() bool { return e.Name == "" && e.Data == nil && e.ID == "" && e.Retry == 0 }
