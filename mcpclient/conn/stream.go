package conn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aloudchat/aloud/internal/sse"
)

// maxResponse limits one response, or one event of a stream.
const maxResponse = 64 << 20

var errTooBig = fmt.Errorf("the response is larger than %d MB: request less", maxResponse>>20)

// eachEvent calls handle with the events of a stream until handle returns false. At the end of the stream, it returns
// io.EOF.
func eachEvent(in *sse.Reader, handle func(sse.Event) (more bool)) error {
	for {
		e, err := in.Next()
		switch {
		case errors.Is(err, sse.ErrTooLarge):
			return errTooBig
		case err != nil:
			return err
		case !handle(e):
			return nil
		}
	}
}

// errorIn returns the error of an event with the name "error", which some gateways send in place of a message, or nil.
func errorIn(e sse.Event) error {
	if e.Name != "error" {
		return nil
	}
	var body struct{ Message string }
	_ = json.Unmarshal(e.Data, &body) // the data may be plain text
	text := cmp.Or(clip(body.Message), clip(string(e.Data)), "no message")
	return &Error{Text: "the server reported an error: " + text}
}
