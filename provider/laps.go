package provider

import (
	"time"

	"github.com/aloudchat/aloud/provider/window"
)

// shortestLoad tells a model that came into memory from one that was there already, under another name: that takes some milliseconds.
const shortestLoad = 20 * time.Millisecond

// time notes how long the parts of a reply took, as the server measured them: for the receipt, and for the next time that somebody waits.
func (l *listener) time(u Usage, window int) {
	book, name := l.chat.Pace, l.chat.Name
	if l.fromDisk && u.Load >= shortestLoad {
		book.NoteLoad(name, u.Load)
	}
	if ms := u.Load.Milliseconds(); ms >= noticeable || l.fromDisk && u.Load >= shortestLoad { // not every load is seen while it goes on
		lap := Lap{Kind: LapLoad, MS: ms}
		if l.had > 0 && l.had != window {
			lap.From, lap.To = l.had, window
		}
		l.lap(lap)
	}
	fresh := l.freshOf(u.PromptTokens)
	switch ms := u.Prompt.Milliseconds(); {
	case fresh > 0 && u.Prompt > 0:
		l.lap(Lap{Kind: LapRead, Tokens: fresh, MS: ms})
		book.NoteRead(name, fresh, u.Prompt)
	case ms >= noticeable: // it had less in its cache than was thought; how much of it was read again nobody knows
		l.lap(Lap{Kind: LapRead, Tokens: u.PromptTokens, MS: ms})
	}
	if u.AnswerTokens > 0 {
		l.lap(Lap{Kind: LapWrite, Tokens: u.AnswerTokens, MS: u.Answer.Milliseconds()})
	}
	l.known.counted = u.PromptTokens
	l.known.pace.note(u, fresh)
}

// forget takes it that the server has nothing of the conversation in its cache any more.
func (k *learned) forget() { k.read, k.counted = 0, 0 }

// speed is how fast a model is, as its server measured it over all replies of a chat: so what is fixed about a request weighs little beside
// the long prompts.
type speed struct{ read, written rate }

// rate is how long so many tokens took.
type rate struct {
	tokens int
	took   time.Duration
}

func (s *speed) note(u Usage, fresh int) {
	s.read.add(fresh, u.Prompt)
	s.written.add(u.AnswerTokens, u.Answer)
}

func (r *rate) add(tokens int, took time.Duration) {
	if tokens > 0 && took > 0 {
		r.tokens, r.took = r.tokens+tokens, r.took+took
	}
}

// of is about how long so many tokens take; 0: nobody knows.
func (r rate) of(tokens int) time.Duration {
	return time.Duration(tokens) * r.took / time.Duration(max(r.tokens, 1))
}

// of is about how long it takes to read and to write so many tokens.
func (s speed) of(read, written int) time.Duration { return s.read.of(read) + s.written.of(written) }

// freshOf is how many tokens of a prompt the server had to read, when it counted so many. Some servers count all of the prompt, others leave
// out what they had in their cache; how much that is none of them says.
func (l *listener) freshOf(counted int) int {
	switch {
	case l.known.read == 0, counted < l.known.counted: // all of it, or the server leaves out what it knew
		return counted
	default:
		return min(l.fresh, counted-l.known.counted)
	}
}

// keepPace lets the next start of the program know what was measured. Where it cannot be kept there will be no estimate, which is no loss worth
// a word to a person.
func (t *turn) keepPace() {
	if used := t.result.Usage.ContextUsed; used > 0 && !t.fixed() {
		t.chat.Pace.NoteContext(t.chat.Name, window.Window(used, 0, t.limit()), t.scale)
	}
	_ = t.chat.Pace.Save()
}

func (t *turn) lap(l Lap) {
	l.Round = t.result.Rounds
	t.result.Timing.Steps = append(t.result.Timing.Steps, l)
}

// toolLap notes how long a call took.
func (t *turn) toolLap(j *job, took time.Duration) {
	t.lap(Lap{Kind: LapTool, Title: j.Title, Status: j.Status, MS: took.Milliseconds()})
}
