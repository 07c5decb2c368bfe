package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ask gets one reply from the model: next makes the request, with words at its end that are said once and not kept. A refusal of something
// that it can do without, a reply that broke off or could not be read, and thinking without end lead to
// another request. thought is what the model has thought before and was shown: it is part of the reply. With an error the reply is the one that
// said most.
func (t *turn) ask(ctx context.Context, thought string, next func(extra ...Message) Request) (reply, error) {
	a := asking{turn: t, thought: thought}
	t.attempt, t.attempts = 1, 1
	defer func() { t.attempt, t.attempts = 1, 1 }()
	for {
		req := next(a.extra...)
		if a.hurried {
			req.Think = t.thinkLess()
		}
		t.chat.noteRequest(req)
		a.gone = false
		r, err := t.stream(ctx, req, a.thought)
		if err == nil || ctx.Err() != nil || !a.again(ctx, r, err) {
			return a.result(r, err)
		}
	}
}

// asking is the way to one reply, over several requests if need be.
type asking struct {
	*turn
	best    reply     // of those that were taken back the one that said most
	extra   []Message // what the next request says besides
	hurried bool      // the model was asked not to think
	thought string    // what it had thought before the present request, which stays
	gone    bool      // what the present reply has said is taken back
}

// again prepares another request, if one is worth it.
func (a *asking) again(ctx context.Context, r reply, err error) bool {
	switch {
	case a.adapt(ctx, err, func() { a.takeBack(r) }):
		a.takeBack(r)
	case errors.Is(err, errOverthinking) && !a.hurried:
		a.thought = r.Thinking
		if strings.TrimSpace(r.Text) != "" { // it was about to say something
			a.takeBack(r)
		}
		a.hurried, a.extra = true, []Message{a.hurry()}
	case a.chat.defends(retrying) && a.attempt < a.attemptsFor(err, r):
		a.attempt, a.attempts = a.attempt+1, a.attemptsFor(err, r)
		a.takeBack(r)
		if a.attempt == a.attempts && a.attempts > 2 {
			a.extra = []Message{mishap(err)}
		}
	default:
		return false
	}
	return true
}

// takeBack withdraws what a reply has said that is asked for again.
func (a *asking) takeBack(r reply) {
	if a.gone || !r.said() {
		return
	}
	a.emit(Withdrawn{})
	a.gone, a.thought = true, ""
	a.line.Tokens = a.counted
	if more(r, a.best) {
		a.best = r
	}
}

// result is the last reply, or with an error one that said more: what was heard is never lost. A model that only thinks, also when it is asked
// not to, has said all that it will.
func (a *asking) result(r reply, err error) (reply, error) {
	if errors.Is(err, errOverthinking) {
		return r, nil
	}
	if a.attempts > 1 {
		err = again(err)
	}
	if err == nil || !a.gone && !more(a.best, r) {
		return r, err
	}
	a.takeBack(r)
	if a.best.Thinking != "" {
		a.emit(Thinking{a.best.Thinking})
	}
	if a.best.Text != "" {
		a.emit(Text{a.best.Text})
	}
	return a.best, err
}

// again says of a failure that it came more than once.
func again(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	more := *e
	more.Text += ", also when it was asked again"
	return &more
}

// attemptsFor is how many times in all a reply is asked for that ended with err. One that the server could not read, or that ended before it
// was done, is first asked for again as it was, and then with a word on what went wrong; a connection that broke before a word came is only tried again.
func (a *asking) attemptsFor(err error, r reply) int {
	var e *Error
	if !errors.As(err, &e) {
		return 1
	}
	switch {
	case e.Kind == KindMalformed, e.Kind == KindBroken && e.Err == nil:
		return 3
	case e.Kind == KindBroken && strings.TrimSpace(r.Text+r.Thinking[len(a.thought):]) == "":
		return 2
	}
	return 1
}

// mishap tells the model what was wrong with its last reply. It is said with the last attempt and not kept.
func mishap(err error) Message {
	e := asError(err)
	text := "Your last reply broke off before it was done. Answer again, briefly, without repeating yourself."
	if e.Kind == KindMalformed {
		text = fmt.Sprintf("Your last tool call could not be read: %s. Make the call again with arguments in valid JSON, or answer without it.", clip(e.Text, 500))
	}
	return Message{Role: RoleUser, Text: valid(text)}
}

// more tells whether a says more than b.
func more(a, b reply) bool {
	return a.said() && len(a.Text)+len(a.Thinking) > len(b.Text)+len(b.Thinking)
}

// said tells whether a reader has seen something of the reply.
func (r reply) said() bool {
	return strings.TrimSpace(r.Text) != "" || strings.TrimSpace(r.Thinking) != ""
}
