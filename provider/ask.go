package provider

import (
	"context"
	"strings"
)

// ask gets one reply from the model: next makes the request. A refusal of something that the turn can do without leads to
// another request. failed is the title of the tool whose failure is the last news of the conversation, or "".
func (t *turn) ask(ctx context.Context, failed string, next func() Request) (reply, error) {
	for {
		req := next()
		r, err := t.stream(ctx, req, failed)
		if err == nil || ctx.Err() != nil {
			return r, err
		}
		takeBack := func() { // what the reply has said is withdrawn once
			if r.said() {
				t.emit(Withdrawn{})
				r = reply{}
			}
		}
		if !t.adapt(ctx, err, takeBack) {
			return r, err
		}
		takeBack()
	}
}

// said reports whether a reader has seen something of the reply.
func (r reply) said() bool {
	return strings.TrimSpace(r.Text) != "" || strings.TrimSpace(r.Thinking) != ""
}
