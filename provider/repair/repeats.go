package repair

import (
	"context"
	"errors"

	"github.com/aloudchat/aloud/provider"
)

const (
	repeatsShown = 200  // repeated tokens, after which the status line reports it
	mostRepeats  = 1000 // repeated tokens of a reply, which may be wanted
	mostInCode   = 4000 // the same in a code block and in a call: boards, matrices and data
	leastAborted = 20   // repeated pieces, mostly tokens, of a reply that the server has ended because of them
)

// endRepeats ends a reply that repeats itself, and reports it before.
func endRepeats(ctx context.Context, req request, m model, yield yieldFunc) {
	var r repetition
	thinking := false // the kind of the text in r
	var head []byte   // the beginning of the answer
	inCall := false   // the answer begins like a call
	for c, err := range m.Chat(ctx, req) {
		repeated := 0
		if piece := c.Text + c.Thinking; piece != "" {
			if thinking != (c.Thinking != "") {
				thinking, r = !thinking, repetition{}
			}
			r.next(piece)
			if missing := gateHead - len(head); missing > 0 {
				head = append(head, c.Text[:min(missing, len(c.Text))]...)
				inCall = len(head) == gateHead && beginsCall(req, head)
			}
			repeated = r.repeatedTokens()
		}
		switch {
		case c.Withdraw != 0:
			r, head, inCall = repetition{}, nil, false
		case err != nil && wasAborted(err) && r.repeatedPieces() >= leastAborted:
			yield(provider.Chunk{Done: true, Reason: provider.ReasonRepeats}, nil)
			return
		case repeated < repeatsShown || r.times() == 1:
			repeated = 0
		}
		if repeated > 0 && !yield(provider.Chunk{Phase: provider.PhaseRepeating}, nil) || !yield(c, err) {
			return
		}
		if repeated >= mostInCode || repeated >= mostRepeats && !r.inCode && (thinking || !inCall) {
			yield(provider.Chunk{Done: true, Reason: provider.ReasonRepeats}, nil)
			return
		}
	}
}

// beginsCall reports whether an answer begins with the first part of a call written as text.
func beginsCall(req request, head []byte) bool {
	known := func(name string) bool { _, ok := findTool(req, name); return ok }
	found := find(head, known, true)
	r := reader{known: known, text: head}
	return r.mayBegin() && len(r.text) > 0 && (len(found.Calls) == 0 || found.broken())
}

// wasAborted reports whether the server has ended a reply without an end mark, as Ollama does after 30 equal tokens.
func wasAborted(err error) bool {
	e, ok := errors.AsType[*provider.Error](err)
	return ok && e.Kind == provider.KindBroken && e.Err == nil
}

// foldRepeats shortens the repetition at the end of a reply that endRepeats has ended.
func foldRepeats(ctx context.Context, req request, m model, yield yieldFunc) {
	var all received
	end, ok, err := all.forward(m.Chat(ctx, req), yield)
	if ok && err == nil && end.Reason == provider.ReasonRepeats && !all.hasCalls {
		ok = yieldAll(all.folded(), yield)
	}
	if ok {
		yield(end, err)
	}
}

// folded returns the chunks that replace the part of a reply that repeats itself.
func (r *received) folded() []provider.Chunk {
	thinking, text := r.thinking.String(), r.text.String()
	if blank(&r.text) {
		if short := fold(thinking); short != thinking {
			return []provider.Chunk{{Withdraw: provider.WithdrawAll}, {Thinking: short}}
		}
	} else if short := fold(text); short != text {
		return []provider.Chunk{{Withdraw: provider.WithdrawRepeats}, {Phase: provider.PhaseRepeating}, {Text: short}}
	}
	return nil
}
