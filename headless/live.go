package headless

import (
	"io"
	"sync"
	"time"

	"github.com/aloudchat/aloud/status"
)

const (
	liveFrames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
	liveFrame  = 125 * time.Millisecond // a frame of the spinner
	liveRest   = 100 * time.Millisecond // the least time between two drawings
	liveMargin = 3                      // cells beside the words: the spinner, a blank, and the last column, at which many terminals wrap
)

// liveLine keeps one status line at the bottom of a terminal while an answer is being made. From show to hide a timer draws it: when the
// clocks or the spinner move on, and soon after something happened. Of what is on the terminal already nothing is written again.
//
// The cursor rests at the beginning of the line. When the window becomes narrower the terminal breaks the line below the cursor, where all of
// it can be erased.
type liveLine struct {
	w     io.Writer
	width func() int // of the terminal, in cells
	look  status.Drawing
	spins bool

	mu    sync.Mutex
	state status.State
	shown bool
	timer *time.Timer // draws next; nil before the first time
	drawn drawn
}

// drawn is what a live line has on the terminal.
type drawn struct {
	words  string    // "": nothing
	width  int       // of the terminal
	frame  int       // of the spinner
	turned time.Time // when the spinner did
	at     time.Time
}

// show draws the state and its clocks until hide. Where no line is yet it comes after a while.
func (l *liveLine) show(s status.State, while time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = s
	switch {
	case l.timer == nil:
		l.timer = time.AfterFunc(while, l.tick)
	case !l.shown, l.drawn.words == "" && while == 0:
		l.timer.Reset(while)
	case l.drawn.words != "":
		l.timer.Reset(max(0, liveRest-time.Since(l.drawn.at)))
	}
	l.shown = true
}

// hide erases the line. Nothing is drawn after it has returned.
func (l *liveLine) hide() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.shown {
		return
	}
	l.shown = false
	l.timer.Stop()
	if l.drawn.words != "" {
		io.WriteString(l.w, "\r"+l.eraser(l.width()))
		l.drawn.words = ""
	}
}

func (l *liveLine) over() { l.hide() }

// tick draws, and sets the timer to when that is due next. The timer may have been stopped while it waited for the lock.
func (l *liveLine) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.shown {
		return
	}
	now := time.Now()
	l.draw(now)
	next := l.state.Steady(now, false)
	if l.spins && (next == 0 || next > liveFrame) {
		next = liveFrame
	}
	if next > 0 {
		l.timer.Reset(next)
	}
}

// draw writes what is new, in one piece: the whole line, the spinner alone, or nothing.
func (l *liveLine) draw(now time.Time) {
	width := l.width()
	l.look.Width = max(1, width-liveMargin)
	words := l.state.Line(now, l.look)
	turns := l.spins && now.Sub(l.drawn.turned) >= liveFrame
	if turns {
		l.drawn.frame, l.drawn.turned = l.drawn.frame+1, now
	}
	switch {
	case words != l.drawn.words || width != l.drawn.width:
		io.WriteString(l.w, "\r"+l.blank()+words+l.eraser(width)+"\r"+l.spinner())
	case turns:
		io.WriteString(l.w, "\r"+l.spinner())
	}
	l.drawn.words, l.drawn.width, l.drawn.at = words, width, now
}

// spinner is its frame as it stands now, in one cell.
func (l *liveLine) spinner() string {
	if !l.spins {
		return ""
	}
	frames := []rune(liveFrames)
	return string(frames[l.drawn.frame%len(frames)])
}

// blank is where the spinner goes.
func (l *liveLine) blank() string {
	if !l.spins {
		return ""
	}
	return "  "
}

// eraser erases what stands behind the cursor, and what a narrower window has pushed below it.
func (l *liveLine) eraser(width int) string {
	if width < l.drawn.width {
		return "\x1b[J"
	}
	return "\x1b[K"
}
