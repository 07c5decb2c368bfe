package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ask gets one reply from the model: next makes the request, with words at its end that are said once and not kept. A refusal of something
// that it can do without, a reply that broke off or could not be read, a silence that a person is tired of and thinking without end lead to
// another request. With an error the reply is the one that said most.
func (t *turn) ask(ctx context.Context, next func(extra ...Message) Request) (reply, error) {
	var best reply
	var extra []Message
	thoughtLess := false
	t.attempt, t.attempts = 1, 1
	defer func() { t.attempt, t.attempts = 1, 1 }()
	for {
		req := next(extra...)
		if thoughtLess {
			req.Think = t.thinkLess()
		}
		t.chat.baseSentences(req)
		r, err := t.stream(ctx, req)
		switch {
		case err == nil:
			return r, nil
		case ctx.Err() != nil:
			return t.restore(best, r), err
		case errors.Is(err, errAgain):
			t.withdraw(r)
		case errors.Is(err, errOverthinking) && !thoughtLess:
			thoughtLess, extra = true, []Message{t.hurry()}
		case errors.Is(err, errOverthinking):
			return r, nil // twice is enough: what it thought is all that there is
		case t.adapt(ctx, err):
			t.withdraw(r)
		case t.chat.defends(retrying) && t.attempt < attemptsFor(err, r):
			t.withdraw(r)
			if more(r, best) {
				best = r
			}
			t.attempt, t.attempts = t.attempt+1, attemptsFor(err, r)
			if t.attempt == t.attempts && t.attempts > 2 {
				extra = []Message{mishap(err)}
			}
		default:
			return t.restore(best, r), err
		}
	}
}

// attemptsFor is how many times in all a reply is asked for that ended with err. One that the server could not read, or that ended before it
// was done, is first asked for again as it was, and then with a word on what went wrong; a connection that broke before a word came is only tried again.
func attemptsFor(err error, r reply) int {
	var e *Error
	if !errors.As(err, &e) {
		return 1
	}
	switch {
	case e.Kind == KindMalformed, e.Kind == KindBroken && e.Err == nil:
		return 3
	case e.Kind == KindBroken && !r.said():
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

// withdraw takes back what a reply has said that is asked for again.
func (t *turn) withdraw(r reply) {
	if r.said() {
		t.emit(Withdrawn{})
	}
}

// restore tells again what an earlier attempt had said when the last one said less: what was heard is never lost.
func (t *turn) restore(best, last reply) reply {
	if !more(best, last) {
		return last
	}
	t.withdraw(last)
	if best.Thinking != "" {
		t.emit(Thinking{best.Thinking})
	}
	if best.Text != "" {
		t.emit(Text{best.Text})
	}
	return best
}

// more tells whether a says more than b.
func more(a, b reply) bool {
	return a.said() && len(a.Text)+len(a.Thinking) > len(b.Text)+len(b.Thinking)
}

// said tells whether a reader has seen something of the reply.
func (r reply) said() bool {
	return strings.TrimSpace(r.Text) != "" || strings.TrimSpace(r.Thinking) != ""
}
