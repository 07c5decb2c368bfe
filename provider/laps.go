package provider

import "time"

// noticeable is the least time, in milliseconds, that loading and reading take to be a lap of their own when it was not expected.
const noticeable = 500

// time notes how long the parts of a reply took, as the server measured them: for the receipt, and for estimates.
func (l *listener) time(u Usage, window int) {
	loaded := l.fromDisk && u.Load >= shortestLoad
	if ms := u.Load.Milliseconds(); ms >= noticeable || loaded { // not every load is seen while it goes on
		lap := Lap{Kind: LapLoad, MS: ms}
		if l.had > 0 && l.had != window {
			lap.From, lap.To = l.had, window
		}
		l.lap(lap)
	}
	fresh := l.known.fresh(u.PromptTokens, l.fresh)
	switch ms := u.Prompt.Milliseconds(); {
	case fresh > 0 && u.Prompt > 0:
		l.lap(Lap{Kind: LapRead, Tokens: fresh, MS: ms})
	case ms >= noticeable: // it had less in its cache than expected; how much was read again is unknown
		l.lap(Lap{Kind: LapRead, Tokens: u.PromptTokens, MS: ms})
	}
	if u.AnswerTokens > 0 {
		l.lap(Lap{Kind: LapWrite, Tokens: u.AnswerTokens, MS: u.Answer.Milliseconds()})
	}
	l.known.replied(u, fresh, loaded)
}

func (t *turn) lap(l Lap) {
	l.Round = t.result.Rounds
	t.result.Timing.Steps = append(t.result.Timing.Steps, l)
}

// toolLap notes how long a call took.
func (t *turn) toolLap(j *job, took time.Duration) {
	t.lap(Lap{Kind: LapTool, Title: j.Title, Status: j.Status, MS: took.Milliseconds()})
}
