package conn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// maxResponse limits one response, or one event of a stream.
const maxResponse = 64 << 20

var errTooBig = fmt.Errorf("the response is larger than %d MB: request less", maxResponse>>20)

// event is an event of a stream.
type event struct {
	name string // "" means "message"
	data []byte
	id   string // to resume the stream after it; may be ""
	wait time.Duration
}

// readEvents calls handle with the events of a stream until it returns false. It returns io.EOF at the end of the
// stream.
func readEvents(stream io.Reader, handle func(event) (more bool)) error {
	in := bufio.NewReader(stream)
	var e event
	var line []byte
	for size := 0; ; {
		part, err := in.ReadSlice('\n')
		if size += len(part); size > maxResponse {
			return errTooBig
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		text := bytes.TrimRight(line, "\r\n")
		e.add(text)
		if err != nil {
			e.id = "" // it is incomplete
		}
		if len(text) == 0 && err == nil || len(e.data) > 0 && errors.Is(err, io.EOF) {
			if !handle(e) {
				return nil
			}
			e, size = event{}, 0
		}
		if err != nil {
			return err
		}
		if line = line[:0]; cap(line) > 1<<20 {
			line = nil // free the memory of a large event
		}
	}
}

// add adds a line. Lines of data are joined with newlines, as in the message.
func (e *event) add(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		e.name = string(bytes.TrimSpace(value))
	case "data":
		e.data = append(append(e.data, value...), '\n')
	case "id":
		e.id = string(value)
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			e.wait = time.Duration(ms) * time.Millisecond
		}
	}
}
