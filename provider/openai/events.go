package openai

import "bytes"

// next returns the next data of a stream of server-sent events, valid until the following call, or io.EOF after the last. Each line of data is
// taken for an event of its own: every server writes its JSON on one line, and some forget the blank line between events. Old llama.cpp names
// a field "error", and what is no event at all may be an error in plain JSON.
func (l *listener) next() ([]byte, error) {
	for {
		line, err := l.stream.Line()
		if err != nil {
			return nil, err
		}
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
		if bytes.HasPrefix(line, []byte("{")) {
			return line, nil
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch string(field) {
		case "":
			if len(value) == 0 {
				l.event = ""
			}
		case "event":
			l.event = string(value[:min(len(value), 20)])
		case "error":
			l.event = "error"
			return value, nil
		case "data":
			if len(value) > 0 {
				return value, nil
			}
		}
	}
}
