package headless

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/aloudchat/aloud/status"
)

// progress shows on the error stream what is going on. Its methods are called from one goroutine; between show and hide
// a timer paints too.
type progress struct {
	painter // nil shows nothing

	mu    sync.Mutex
	state status.State
	shown bool
	drawn time.Time
	timer *time.Timer // for the next painting; nil before the first time
}

// painter is how progress looks.
type painter interface {
	// paint writes what is new, and returns how long that stays true; 0 means until the state changes.
	paint(s status.State, now time.Time) time.Duration
	// rest returns the least time between two paintings; 0 paints every state at once.
	rest() time.Duration
	// erase makes room for something else on the terminal, at the end of a turn for good.
	erase(over bool)
}

// newProgress chooses by the reader. On a terminal it is a line that is drawn over, or lines that stay if you asked for
// those. A program that reads the answer as text may write these lines into a log; one that reads an object finds
// everything there.
func newProgress(o Options) *progress {
	switch {
	case o.Quiet, o.Format == FormatStreamJSON, o.Format == FormatJSON && o.StatusWidth == nil:
		return &progress{}
	case o.live():
		look := status.Drawing{Hint: status.ToStop("ctrl+c")}
		return &progress{painter: &liveLine{w: o.Stderr, width: o.StatusWidth, spins: o.Motion != status.MotionReduced, look: look}}
	}
	return &progress{painter: &plainLines{w: o.Stderr}}
}

// live reports whether the line may be drawn over.
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

// hide makes room for something else on the terminal. When it returns nothing is written any more.
func (p *progress) hide() { p.stop(false) }

// over is hide at the end of a turn.
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
		if p.shown { // else it was stopped while this waited for the lock
			p.draw()
		}
	})
}

const (
	rewordEvery = 10 * time.Second // the least time between two lines of a step, except for the sentence about a tool
	mostLines   = 300              // in a turn
)

// plainLines writes lines that stay: one for each step, without clocks that would be wrong a second later, and without
// escape sequences. It is for screen readers, for terminals that cannot redraw a line, and for logs. News within a step
// waits until it is worth a line, and a silence is told once.
type plainLines struct {
	w io.Writer

	words    string    // of the last line
	at       time.Time // when it was written
	phase    status.Phase
	step     time.Time // when it began
	reworded bool      // the step has got other words
	heard    time.Time // the sign of life after which a silence was told
	lines    int       // of this turn
}

func (p *plainLines) rest() time.Duration { return 0 }

// erase lets the next turn begin with the same words.
func (p *plainLines) erase(over bool) {
	if over {
		p.words, p.phase, p.lines = "", status.Idle, 0
	}
}

func (p *plainLines) paint(s status.State, now time.Time) (next time.Duration) {
	words := status.State{Phase: s.Phase, Text: s.Text}.Line(time.Time{}, status.Drawing{Width: math.MaxInt32}) // without clocks
	if expected := s.Estimate(s.Since); expected > 0 {
		words = status.Likely(words, expected)
	}
	// Each server that is connected begins a step of its own, which is no news.
	same := s.Phase == p.phase && (s.Since.Equal(p.step) || s.Phase == status.Connecting)
	sentence := s.Phase == status.UsingTool && !p.reworded // in place of the tool's name
	switch wait := rewordEvery - now.Sub(p.at); {
	case words == "" || words == p.words:
	case same && !sentence && wait > 0:
		next = wait
	default:
		p.words, p.phase, p.step, p.reworded = words, s.Phase, s.Since, same
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
	liveRest   = 100 * time.Millisecond // the least time between two paintings
	liveMargin = 3                      // cells beside the words: the spinner, a blank, and the last column, at which many terminals wrap
)

var liveFrames = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

// liveLine keeps one status line at the bottom of a terminal: it moves with the clocks and the spinner, and writes only
// what has changed.
//
// The cursor rests at the beginning of the line. When the window becomes narrower the terminal wraps the line below the
// cursor, where all of it is erased.
type liveLine struct {
	w     io.Writer
	width func() int // of the terminal, in cells
	look  status.Drawing
	spins bool

	// On the terminal:
	words, spinner string // "" means nothing
}

func (l *liveLine) rest() time.Duration { return liveRest }

func (l *liveLine) erase(bool) {
	if l.words != "" {
		io.WriteString(l.w, "\r\x1b[J")
		l.words = ""
	}
}

func (l *liveLine) paint(s status.State, now time.Time) (next time.Duration) {
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
	if l.spins {
		return min(liveFrame, cmp.Or(next, liveFrame))
	}
	return next
}
