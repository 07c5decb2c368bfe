package provider

import "time"

// time notes how long the parts of a reply took, as the server measured them: for the receipt, and for the next time that somebody waits.
func (l *listener) time(u Usage) {
	book, name := l.chat.Pace, l.chat.Name
	if l.fromDisk && u.Load > 0 {
		l.lap(Lap{Kind: LapLoad, MS: u.Load.Milliseconds()})
		book.NoteLoad(name, u.Load)
	}
	if fresh := l.freshOf(u.PromptTokens); fresh > 0 && u.Prompt > 0 {
		l.lap(Lap{Kind: LapRead, Tokens: fresh, MS: u.Prompt.Milliseconds()})
		book.NoteRead(name, fresh, u.Prompt)
	}
	if u.AnswerTokens > 0 {
		l.lap(Lap{Kind: LapWrite, Tokens: u.AnswerTokens, MS: u.Answer.Milliseconds()})
	}
	l.known.counted = u.PromptTokens
}

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
func (t *turn) keepPace() { _ = t.chat.Pace.Save() }

func (t *turn) lap(l Lap) {
	l.Round = t.result.Rounds
	t.result.Timing.Steps = append(t.result.Timing.Steps, l)
}

// toolLap notes how long a call took.
func (t *turn) toolLap(j *job, took time.Duration) {
	t.lap(Lap{Kind: LapTool, Title: j.Title, Status: j.Status, MS: took.Milliseconds()})
}
