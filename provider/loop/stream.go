package loop

import (
	"context"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// reply is a model's reply to one request.
type reply struct {
	provider.Message
	gaveUp  bool   // it began with the give-up marker, which is not in Text
	reason  string // Chunk.Reason, if the reply is complete
	tokens  int    // as the server counted them; 0 if unknown
	prompt  int    // tokens of the whole prompt, as the server counted them; 0 if unknown
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
	ahead          prospect
	asked          bool           // the request was sent
	counted        provider.Usage // the last that the server reported
	pieces         int            // of the reply, since the server last counted
	since          time.Time      // when the first of them came
	began          bool           // a piece of the reply came
	loading        bool
	fromDisk       bool // the model was loaded for this request
	had            int  // the context in tokens that it had in memory before; 0 if it was not loaded
	answering      bool // text of an answer came, and no call so far
}

// stream makes one request and returns the reply. With an error, the reply has the text so far, but its calls may be
// incomplete.
func (t *turn) stream(ctx context.Context, req provider.Request, failed string) (reply, error) {
	t.emit(event.Requesting{Attempt: 1, Attempts: 1, Failed: failed})
	t.clock.spare(0)
	l := listener{turn: t, failed: failed}
	if t.chat.Shared.asked != t.known { // two names of the same weights may share a cache
		t.chat.Shared.asked, t.known.last.whole = t.known, false
	}
	l.ahead = t.known.foresee(req)
	t.known.last.whole = false
	done, err := l.listen(ctx, req)
	if t.counted = 0; err == nil && done.Usage.PromptTokens > 0 && l.pieces == 0 {
		t.counted = len(t.history.messages) + 1
	}
	if err == nil || l.silence.begun || provider.AsError(err).Kind != provider.KindTooLong {
		t.known.empty = false // else the server has refused to read it
	}
	l.loaded()
	l.uncounted()
	l.answer(l.opening.flush())
	r := reply{
		Message: provider.Message{Role: provider.RoleAssistant, Text: valid(l.text.String()), Calls: l.calls},
		gaveUp:  l.opening.gaveUp && len(l.calls) == 0,
		reason:  done.Reason,
		tokens:  done.Usage.AnswerTokens,
		prompt:  done.Usage.PromptTokens,
		request: req,
	}
	r.Thinking = valid(l.thinking.String())
	switch {
	case err != nil:
		r.Partial = true
	case l.ahead.other:
		t.known.forget()
	default:
		t.known.remember(r, l.counted.PromptTokens, l.counted.AnswerTokens)
	}
	return r, err
}

func (l *listener) take(c provider.Chunk, req provider.Request) {
	if c.Phase == provider.PhaseLoading {
		l.load(req, c.Context)
		return
	}
	l.loaded()
	l.withdraw(c.Withdraw)
	l.countPiece(c)
	switch c.Phase {
	case provider.PhaseNone:
		if !l.began {
			l.began = true
			l.clock.release()
		}
	case provider.PhaseAsked:
		l.uncounted()
		if l.asked { // another request for the same reply, perhaps with a hint or without tools
			a := l.ahead
			l.ahead = prospect{tokens: a.size, mark: event.Unknown, plain: a.plain, size: a.size, window: a.window}
			l.ahead.other, l.known.empty = true, false
			if l.silence.begun { // the prompt was read
				l.ahead.tokens = 0
			}
		}
		l.asked = true
		if l.silence.begun {
			l.silence.begun = false
			l.awaitFirst(0)
		}
	case provider.PhaseBusy:
		l.emit(event.Overloaded{})
	case provider.PhaseReading:
		reading := event.Reading{Tokens: l.ahead.tokens, Mark: l.ahead.mark}
		if reading.Mark == event.About {
			reading.Expected = l.chat.Pace.Read(l.chat.Name, reading.Tokens)
		}
		l.emit(reading)
		l.awaitFirst(reading.Expected)
	case provider.PhaseCalling:
		l.emit(event.Calling{Calls: len(l.calls)})
	case provider.PhaseRepeating:
		l.emit(event.Repeating{})
	case provider.PhaseRetrying:
		l.emit(event.Requesting{Attempt: c.Attempt, Attempts: c.Attempts, Failed: l.failed})
	}
	if c.Notice != "" {
		l.notice("%s", c.Notice)
	}
	if c.Done || c.Usage != (provider.Usage{}) {
		if l.counted = c.Usage; c.Usage.AnswerTokens > 0 {
			l.pieces = 0
		}
		l.time(c.Usage, req.Context)
		l.count(l.ahead, c.Usage)
	}
	if c.Thinking != "" {
		l.thinking.WriteString(c.Thinking)
		l.emit(event.Thinking{Delta: c.Thinking})
	}
	if c.Text != "" {
		if delta := l.opening.next(c.Text); delta != "" {
			l.answer(delta)
		} else {
			l.emit(event.HeldBack{})
		}
	}
	if len(c.Calls) > 0 {
		l.call(c.Calls)
	}
}

// countPiece counts a piece of the reply. A whole call is more than one.
func (l *listener) countPiece(c provider.Chunk) {
	if c.Text == "" && c.Thinking == "" && c.Phase != provider.PhaseCalling {
		return
	}
	if l.pieces == 0 {
		l.since = time.Now()
	}
	l.pieces++
}

// uncounted records the pieces that the server has not counted, because the reply did not end. Each has about one
// token.
func (l *listener) uncounted() {
	if l.pieces == 0 {
		return
	}
	l.lap(event.Lap{Kind: event.LapWrite, Tokens: l.pieces, Mark: event.About,
		MS: time.Since(l.since).Milliseconds()}, 0)
	l.result.Usage.AnswerTokens += l.pieces
	l.result.Usage.AnswerMark = event.About
	l.pieces = 0
}

// load stops the work clock while the model is being loaded.
func (l *listener) load(req provider.Request, had int) {
	if !l.loading {
		l.loading, l.fromDisk, l.had = true, true, had
		l.clock.pause()
		l.known.empty = true
		other := l.ahead.other
		l.ahead = l.known.foresee(req)
		l.ahead.other = other
		l.emit(event.Loading{Expected: l.chat.Pace.Load(l.chat.Name)})
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
	l.emit(event.Text{Delta: delta})
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
	l.emit(event.Calling{Calls: len(l.calls)})
}

// withdraw discards the reply so far.
func (l *listener) withdraw(what provider.Withdraw) {
	if what == 0 {
		return
	}
	if l.text.Len()+l.thinking.Len() > 0 {
		l.emit(event.Withdrawn{Repeats: what == provider.WithdrawRepeats})
	}
	if what == provider.WithdrawAll {
		l.thinking.Reset()
		l.calls = nil
	}
	l.text.Reset()
	l.opening, l.answering = opening{}, false
	l.clock.spare(0)
	if l.thinking.Len() > 0 {
		l.emit(event.Thinking{Delta: l.thinking.String(), Again: true})
	}
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// noticeable is the minimum time, in milliseconds, of loading without an event to be recorded as a lap, and of reading
// to show that more was read than expected.
const noticeable = 500

// time records the laps of a reply, as the server measured them.
func (l *listener) time(u provider.Usage, window int) {
	loaded := l.fromDisk && u.Loaded()
	if ms := u.Load.Milliseconds(); ms >= noticeable || loaded { // a load may come without events
		lap := event.Lap{Kind: event.LapLoad, MS: ms}
		if l.had > 0 && l.had != window {
			lap.From, lap.To = l.had, window
		}
		l.lap(lap, u.Prompt+u.Answer)
	}
	if loaded {
		l.known.book.NoteLoad(l.known.name, u.Load)
	}
	again := l.measure(l.known, l.ahead, u)
	if l.asides.any {
		l.known.reread++
		if !again {
			l.known.reread = 0
		}
		l.known.costlyAsides = l.known.costlyAsides || l.known.reread > 1 // once may be another program
	}
	l.asides.any = false
}

// measure records the laps of reading a prompt and writing a reply to a model, and their speeds. again reports whether
// the server read again what it had in its cache.
func (t *turn) measure(k *knowledge, p prospect, u provider.Usage) (again bool) {
	if u.Load.Milliseconds() >= noticeable { // without an event it may be that of another model
		p.extend, p.base = false, 0
	}
	read := k.judge(p, u)
	again = k.rereads(p, u, read)
	if read.Tokens > 0 && u.Prompt > 0 {
		k.hasRead(read, u.Prompt)
		t.lap(read, u.Answer)
	}
	if u.AnswerTokens > 0 {
		k.writes.add(u.AnswerTokens, u.Answer)
		k.book.NoteWrote(k.name, u.AnswerTokens, u.Answer)
		t.lap(event.Lap{Kind: event.LapWrite, Tokens: u.AnswerTokens, MS: u.Answer.Milliseconds()}, 0)
	}
	r := &t.result
	r.Usage.PromptTokens += u.PromptTokens
	r.Usage.AnswerTokens += u.AnswerTokens
	r.Timing.Load += u.Load.Milliseconds()
	r.Timing.Prompt += u.Prompt.Milliseconds()
	r.Timing.Answer += u.Answer.Milliseconds()
	return again
}

// lap records a lap that ended a while ago.
func (t *turn) lap(l event.Lap, ago time.Duration) {
	l.Round = t.result.Rounds
	l.StartMS = max((t.clock.now().Turn-ago).Milliseconds()-l.MS, 0)
	t.result.Timing.Steps = append(t.result.Timing.Steps, l)
}
