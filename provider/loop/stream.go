package loop

import (
	"context"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// reply is a model's reply to one request.
type reply struct {
	provider.Message
	gaveUp  bool   // it began with the give-up marker, which is not in Text
	reason  string // Chunk.Reason, if the reply is complete
	tokens  int    // as the server counted them; 0 if unknown
	request provider.Request
}

// isCut reports whether the reply ended before the model was done.
func (r reply) isCut() bool { return provider.IsCut(r.reason) }

// listener assembles the chunks of one reply and emits events.
type listener struct {
	*turn
	text, thinking strings.Builder
	calls          []provider.Call
	dropped        bool // there were too many calls
	silence        *silence
	failed         string // title of the last failed tool in the request, or ""
	opening        opening
	fresh          int  // estimated tokens of the request that the server has not read before
	began          bool // a piece of the reply came
	loading        bool
	fromDisk       bool // the model was loaded for this request
	had            int  // the context in tokens that it had in memory before; 0 if it was not loaded
	answering      bool // text of an answer came, and no call so far
}

// stream makes one request and returns the reply. With an error, the reply has the text so far, but its calls may be
// incomplete.
func (t *turn) stream(ctx context.Context, req provider.Request, failed string) (reply, error) {
	t.emit(provider.Asking{Attempt: 1, Attempts: 1, Failed: failed})
	t.clock.spare(0)
	l := listener{turn: t, failed: failed}
	l.fresh = t.known.scaled(provider.Estimate(req.WithHint(), req.Tools)) - t.known.read
	done, err := l.listen(ctx, req)
	if t.counted = 0; err == nil && done.Usage.PromptTokens > 0 {
		t.counted = len(t.history.messages) + 1
	}
	l.loaded()
	l.answer(l.opening.flush())
	r := reply{
		Message: provider.Message{Role: provider.RoleAssistant, Text: valid(l.text.String()), Calls: l.calls},
		gaveUp:  l.opening.gaveUp && len(l.calls) == 0,
		reason:  done.Reason,
		tokens:  done.Usage.AnswerTokens,
		request: req,
	}
	r.Thinking = valid(l.thinking.String())
	if err != nil {
		if l.silence.begun {
			l.hasRead(req)
		}
		r.Partial = true
		return r, err
	}
	return r, nil
}

// hasRead notes that the server has read the whole request, as it must have before the first piece of a reply.
func (l *listener) hasRead(req provider.Request) {
	l.fresh, l.known.read = 0, l.known.scaled(provider.Estimate(req.WithHint(), req.Tools))
}

func (l *listener) take(c provider.Chunk, req provider.Request) {
	if c.Phase == provider.PhaseLoading {
		l.load(c.Context)
		return
	}
	l.loaded()
	l.withdraw(c.Withdraw)
	switch c.Phase {
	case provider.PhaseNone:
		if !l.began {
			l.began = true
			l.clock.release()
		}
	case provider.PhaseAsked:
		if l.silence.begun { // another request for the same reply
			l.hasRead(req)
			l.silence.begun = false
			l.awaitFirst(0)
		}
	case provider.PhaseBusy:
		l.emit(provider.Busy{})
	case provider.PhaseReading:
		expected := l.chat.Pace.Read(l.chat.Name, l.fresh)
		l.emit(provider.Reading{Tokens: l.fresh, Expected: expected})
		l.awaitFirst(expected)
	case provider.PhaseCalling:
		l.emit(provider.Calling{Calls: len(l.calls)})
	case provider.PhaseRepeating:
		l.emit(provider.Repeating{})
	case provider.PhaseRetrying:
		l.emit(provider.Asking{Attempt: c.Attempt, Attempts: c.Attempts, Failed: l.failed})
	}
	if c.Notice != "" {
		l.notice("%s", c.Notice)
	}
	if c.Done || c.Usage != (provider.Usage{}) {
		l.time(c.Usage, req.Context)
		l.count(req, c.Usage)
	}
	if c.Thinking != "" {
		l.thinking.WriteString(c.Thinking)
		l.emit(provider.Thinking{Delta: c.Thinking})
	}
	if c.Text != "" {
		if delta := l.opening.next(c.Text); delta != "" {
			l.answer(delta)
		} else {
			l.emit(provider.Held{})
		}
	}
	if len(c.Calls) > 0 {
		l.call(c.Calls)
	}
}

// load stops the work clock while the model is being loaded.
func (l *listener) load(had int) {
	if !l.loading {
		l.loading, l.fromDisk, l.had = true, true, had
		l.clock.pause()
		l.fresh += l.known.read
		l.known.forget()
		l.emit(provider.Loading{Expected: l.chat.Pace.Load(l.chat.Name)})
	}
}

func (l *listener) loaded() {
	if l.loading {
		l.loading = false
		l.clock.resume()
	}
}

// answer passes text on. White space alone does not count as an answer, because many models send some between thinking
// and a call.
func (l *listener) answer(delta string) {
	if delta == "" {
		return
	}
	l.text.WriteString(delta)
	if !l.answering && len(l.calls) == 0 && strings.TrimSpace(delta) != "" {
		l.answering = true
		l.clock.spare(lastAnswer)
	}
	l.emit(provider.Text{Delta: delta})
}

func (l *listener) call(calls []provider.Call) {
	room := provider.MaxCalls - len(l.calls)
	if len(calls) > room && !l.dropped {
		l.dropped = true
		l.notice("The model made more than %d calls at once. Only these run.", provider.MaxCalls)
	}
	l.calls = append(l.calls, calls[:min(len(calls), room)]...)
	l.answering = false
	l.clock.spare(0)
	l.emit(provider.Calling{Calls: len(l.calls)})
}

// withdraw discards the reply so far.
func (l *listener) withdraw(what provider.Withdraw) {
	if what == 0 {
		return
	}
	if l.text.Len()+l.thinking.Len() > 0 {
		l.emit(provider.Withdrawn{})
	}
	if what == provider.WithdrawAll {
		l.thinking.Reset()
		l.calls = nil
	}
	l.text.Reset()
	l.opening, l.answering = opening{}, false
	l.clock.spare(0)
	if l.thinking.Len() > 0 {
		l.emit(provider.Thinking{Delta: l.thinking.String(), Again: true})
	}
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// noticeable is the minimum time, in milliseconds, of unexpected loading or reading to be recorded as a lap.
const noticeable = 500

// time records the laps of a reply, as the server measured them.
func (l *listener) time(u provider.Usage, window int) {
	loaded := l.fromDisk && u.Loaded()
	if ms := u.Load.Milliseconds(); ms >= noticeable || loaded { // a load may come without events
		lap := provider.Lap{Kind: provider.LapLoad, MS: ms}
		if l.had > 0 && l.had != window {
			lap.From, lap.To = l.had, window
		}
		l.lap(lap)
	}
	fresh := l.known.fresh(u.PromptTokens, l.fresh)
	switch ms := u.Prompt.Milliseconds(); {
	case fresh > 0 && u.Prompt > 0:
		l.lap(provider.Lap{Kind: provider.LapRead, Tokens: fresh, MS: ms})
	case ms >= noticeable: // the cache had less than expected, by an unknown amount
		l.lap(provider.Lap{Kind: provider.LapRead, Tokens: u.PromptTokens, MS: ms})
	}
	if u.AnswerTokens > 0 {
		l.lap(provider.Lap{Kind: provider.LapWrite, Tokens: u.AnswerTokens, MS: u.Answer.Milliseconds()})
	}
	l.known.replied(u, fresh, loaded)
}

func (t *turn) lap(l provider.Lap) {
	l.Round = t.result.Rounds
	t.result.Timing.Steps = append(t.result.Timing.Steps, l)
}
