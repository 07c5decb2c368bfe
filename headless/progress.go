package headless

import (
	"cmp"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/aloudchat/aloud/status"
)

// progress shows the status on Stderr. Its methods are called from one goroutine. Between show and hide a timer paints
// too.
type progress struct {
	painter // nil shows nothing

	mu    sync.Mutex
	state status.State
	shown bool
	drawn time.Time
	timer *time.Timer // for the next painting; nil before the first time
}

// painter draws the status.
type painter interface {
	// paint writes the changes, and returns how long they stay valid; 0 means until the state changes.
	paint(s status.State, now time.Time) time.Duration
	// rest returns the minimum time between two updates; 0 shows every state at once.
	rest() time.Duration
	// erase removes temporary output. over marks the end of a turn.
	erase(over bool)
}

// newProgress returns a line that is redrawn on a terminal, lines that stay with --plain or for a program that reads
// text, and nothing for a program that reads JSON.
func newProgress(o Options) *progress {
	switch {
	case o.Quiet, o.Format == FormatStreamJSON, o.Format == FormatJSON && o.StatusWidth == nil:
		return &progress{}
	case o.live():
		look := status.Drawing{Hint: status.Stops("ctrl+c")}
		spins := o.Motion != status.MotionReduced
		return &progress{painter: &liveLine{w: o.Stderr, width: o.StatusWidth, spins: spins, look: look}}
	}
	terminal := o.StatusWidth != nil
	return &progress{painter: &plainLines{w: o.Stderr, calm: terminal,
		streams: terminal && o.StdoutTTY && o.Format != FormatJSON}}
}

// live reports whether the line may be redrawn.
func (o *Options) live() bool {
	return o.StatusWidth != nil && !o.Plain && o.Motion != status.MotionNone
}

// show shows the state until hide.
func (p *progress) show(s status.State) {
	if p.painter == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state, p.shown = s, true
	if p.rest() == 0 {
		p.draw()
		return
	}
	p.later(max(1, p.rest()-time.Since(p.drawn)))
}

// hide removes the status. Nothing is written after it returns.
func (p *progress) hide() { p.stop(false) }

// over hides the status at the end of a turn.
func (p *progress) over() { p.stop(true) }

func (p *progress) stop(over bool) {
	if p.painter == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = false
	if p.timer != nil {
		p.timer.Stop()
	}
	p.erase(over)
}

func (p *progress) draw() {
	p.drawn = time.Now()
	if next := p.paint(p.state, p.drawn); next > 0 {
		p.later(next)
	}
}

func (p *progress) later(d time.Duration) {
	if p.timer != nil {
		p.timer.Reset(d)
		return
	}
	p.timer = time.AfterFunc(d, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.shown { // it may have been stopped while waiting for the lock
			p.draw()
		}
	})
}

const (
	rewordEvery = 10 * time.Second // the minimum time between two lines of a step, except for news
	mostLines   = 300              // in a turn
)

// plainLines writes a line for each step, without clocks and escape sequences, for screen readers, dumb terminals and
// logs. A sentence about the step gets a line at once, other words after rewordEvery at the earliest, and a silence is
// reported once.
type plainLines struct {
	w       io.Writer
	calm    bool // steps that end at once get no line, except tools: the lines are read as they are written
	streams bool // the answer appears between the lines, so that writing it needs no line

	words string    // of the last line
	at    time.Time // when it was written
	phase status.Phase
	step  time.Time // when it began
	news  bool      // it has a sentence about the step, or says that the reply repeats itself
	lines int       // of this turn
	heard time.Time // when the last output came before a reported silence
}

func (p *plainLines) rest() time.Duration { return 0 }

// erase allows the next turn to begin with the same words.
func (p *plainLines) erase(over bool) {
	if over {
		p.words, p.phase, p.lines = "", status.Idle, 0
	}
}

func (p *plainLines) paint(s status.State, now time.Time) (next time.Duration) {
	if wait := status.Shortest - now.Sub(s.Since); p.calm && wait > 0 && s.Phase != status.UsingTool {
		return wait
	}
	words := s.Words()
	if expected := s.Estimate(s.Since); expected > 0 {
		words = status.Likely(words, expected)
	}
	// Each connected server begins a step, which is not worth a line.
	same := s.Phase == p.phase && (s.Since.Equal(p.step) || s.Phase == status.Connecting)
	if p.streams && s.Phase == status.Formulating && !same {
		p.words, p.phase, p.step, p.news, same = s.Phase.Words(), s.Phase, s.Since, false, true
	}
	writes := s.Phase == status.Thinking || s.Phase == status.Formulating
	news := s.Quote != "" || writes && words != s.Phase.Words()
	switch wait := rewordEvery - now.Sub(p.at); {
	case words == "", words == p.words && (same || s.Phase != status.UsingTool): // each call gets a line
	case same && (p.news || !news) && wait > 0:
		next = wait
	default:
		p.words, p.phase, p.step, p.news = words, s.Phase, s.Since, news
		p.write(words, now)
	}
	if s.Heard.IsZero() || s.Heard.Equal(p.heard) {
		return next
	}
	if silent := s.Steady(now, true); silent > 0 {
		return min(silent, cmp.Or(next, silent))
	}
	p.heard = s.Heard
	p.write(status.Silent(now.Sub(s.Heard)), now)
	return next
}

func (p *plainLines) write(line string, now time.Time) {
	p.at = now
	if p.lines++; p.lines <= mostLines {
		fmt.Fprintln(p.w, line)
	}
}

const (
	liveFrame  = 125 * time.Millisecond // a frame of the spinner
	liveRest   = 100 * time.Millisecond // the minimum time between two updates
	liveMargin = 3                      // cells for the spinner, a blank, and the last column, where many terminals wrap
)

var liveFrames = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

// liveLine keeps one status line at the bottom of a terminal. It writes only what has changed.
//
// The cursor stays at the beginning of the line, so that a line that a narrower window has wrapped can be erased.
type liveLine struct {
	w     io.Writer
	width func() int // of the terminal, in cells
	look  status.Drawing
	spins bool

	steps          status.Debouncer
	words, spinner string // on the terminal; "" means nothing
}

func (l *liveLine) rest() time.Duration { return liveRest }

func (l *liveLine) erase(bool) {
	if l.words != "" {
		io.WriteString(l.w, "\r\x1b[J")
	}
	l.words, l.steps = "", status.Debouncer{}
}

func (l *liveLine) paint(s status.State, now time.Time) (next time.Duration) {
	l.steps.Set(s, now)
	if s = l.steps.At(now); s.Phase == status.Idle {
		return l.steps.Due().Sub(now)
	}
	l.look.Width = max(1, l.width()-liveMargin)
	words, blank, spinner := s.Line(now, l.look), "", ""
	if l.spins {
		blank, spinner = "  ", string(liveFrames[int(now.UnixNano()/int64(liveFrame))%len(liveFrames)])
	}
	switch {
	case words != l.words:
		io.WriteString(l.w, "\r"+blank+words+"\x1b[J\r"+spinner)
	case spinner != l.spinner:
		io.WriteString(l.w, "\r"+spinner)
	}
	l.words, l.spinner = words, spinner
	next = s.Steady(now, false)
	if due := l.steps.Due(); !due.IsZero() {
		next = min(due.Sub(now), cmp.Or(next, due.Sub(now)))
	}
	if l.spins {
		return min(liveFrame, cmp.Or(next, liveFrame))
	}
	return next
}
