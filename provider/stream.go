package provider

import (
	"context"
	"strings"

	"github.com/aloudchat/aloud/status"
)

// reply is what a model answered to one request.
type reply struct {
	Message
	unmade string // why a call in Text was not made; "": there is none
	gaveUp bool   // it began with the give-up marker, which is not in Text
	cut    bool   // it was ended because the context or a bound on its length was full
	most   bool   // with cut: it had more than a reply may have
	tokens int    // that the server says it wrote, also of what did not arrive
	why    string // when it is empty, also after all that was tried: what happened
}

// listener puts the chunks of one reply together and tells them as events.
type listener struct {
	*turn
	before         string // what was thought for an earlier request, which is part of this reply, too
	text, thinking strings.Builder
	thoughts       int // pieces of thinking
	calls          []Call
	content        content
	offered        bool   // tools were offered with the request
	loading        bool   // now
	fromDisk       bool   // the model had to be loaded for this request
	had            int    // the context that it had in memory before; 0: it was not there
	answering      bool   // words of an answer came, and no call so far
	unmade         string // why a call that is written in the text is not made; "": there is none
}

// stream makes one request and returns the reply, which begins with what was thought before. With an error it is what came before: the text is kept, calls are not complete.
func (t *turn) stream(ctx context.Context, req Request, before string) (reply, error) {
	t.tellStatusModel()
	t.counted = t.line.Tokens
	t.showWaiting()
	t.clock.spare(0)
	defer t.chat.asides.talk()()
	l := listener{turn: t, before: before, content: content{gate: t.newGate()}, offered: len(req.Tools) > 0}
	if !t.begun {
		t.clock.hold()
	}
	done, err := l.listen(ctx, req)
	l.loaded()
	cut := done.Reason == "length" || done.Reason == ReasonCut
	l.endContent(err == nil && !cut)
	r := reply{
		Message: Message{Role: RoleAssistant, Text: valid(l.text.String()), Thinking: before + valid(l.thinking.String()), Calls: l.calls},
		gaveUp:  l.content.opening.gaveUp && len(l.calls) == 0,
		cut:     cut,
		most:    done.Reason == ReasonCut,
		tokens:  done.Usage.AnswerTokens,
		unmade:  l.unmade,
	}
	if err != nil {
		if l.silence.begun {
			t.known.read = t.scaled(estimate(req.Messages, req.Tools)) // all of it, before the first piece
		}
		r.Partial = true
		return r, err
	}
	l.time(done.Usage, req.Context)
	t.count(req, done.Usage)
	return r, nil
}

func (l *listener) take(c Chunk) {
	if c.Phase == PhaseLoading {
		l.load(c.Context)
		return
	}
	l.loaded()
	if c.Phase == PhaseNone && !l.begun {
		l.begun = true
		l.clock.release()
	}
	if c.Phase == PhaseBusy {
		l.show(status.Retrying, l.words().Phase(status.Retrying))
	}
	if c.Phase == PhaseReading {
		l.read()
	}
	if c.Thinking != "" {
		l.think(c.Thinking)
		l.heard()
	}
	if c.Text != "" {
		l.write(c.Text)
		l.showHeld()
		l.heard()
	}
	if len(c.Calls) > 0 {
		l.call(c.Calls)
	}
}

// load stops the work clock: nothing the limits are about happens while a model comes into memory.
func (l *listener) load(had int) {
	if !l.loading {
		l.loading, l.fromDisk, l.had = true, true, had
		l.clock.pause()
		l.fresh += l.known.read
		l.known.forget()
		l.beginFor(status.Loading, l.words().Loading(l.chat.Name), l.chat.Pace.Load(l.chat.Name))
	}
}

// worthReading is how many tokens take long enough to read that the line tells it. With fewer it goes on saying what the model is asked for.
const worthReading = 200

// read says that the model reads what it has not read before. In another attempt the line goes on saying that it is tried again. Loading, or
// waiting for a server that had no room, is over in any case.
func (l *listener) read() {
	expected := l.chat.Pace.Read(l.chat.Name, l.fresh)
	switch {
	case l.attempt == 1 && l.fresh >= worthReading:
		l.beginFor(status.Reading, l.words().Reading(l.fresh), expected)
	case l.line.Phase == status.Loading, l.attempt == 1 && l.line.Phase == status.Retrying:
		l.showWaiting()
	}
	l.awaitFirst(expected)
}

func (l *listener) loaded() {
	if l.loading {
		l.loading = false
		l.clock.resume()
	}
}

func (l *listener) think(delta string) {
	l.thinking.WriteString(delta)
	l.thoughts++
	if l.line.Phase != status.Thinking {
		l.begin(status.Thinking, l.words().Phase(status.Thinking))
	}
	l.emit(Thinking{delta})
}

// answer passes text on. White space alone is not yet an answer: many models put some between their thinking and a call.
func (l *listener) answer(delta string) {
	if delta == "" {
		return
	}
	l.text.WriteString(delta)
	if !l.answering && len(l.calls) == 0 && strings.TrimSpace(delta) != "" {
		l.answering = true
		l.clock.spare(lastAnswer)
	}
	if l.answering && l.line.Phase != status.Formulating {
		l.begin(status.Formulating, l.words().Phase(status.Formulating))
	}
	l.emit(Text{delta})
}

func (l *listener) call(calls []Call) {
	l.calls = append(l.calls, calls[:min(len(calls), mostAnswered-len(l.calls))]...)
	l.answering = false
	l.clock.spare(0)
	l.show(status.Selecting, l.words().Phase(status.Selecting))
	l.heard()
}

// showHeld says what the model is doing when its words are held back, because they look like a call.
func (l *listener) showHeld() {
	if l.content.gate.Holds() {
		l.show(status.Selecting, l.words().Phase(status.Selecting))
	}
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
