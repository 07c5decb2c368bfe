package headless

import (
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/aloudchat/aloud/status"
)

const (
	rewordEvery = 10 * time.Second // the least time between two lines of a step, but for the sentence about a tool
	rewordPart  = 10               // a tool that says how far it is gets a line for each of so many parts
	floodLines  = 40               // the most lines
	floodTime   = 10 * time.Second // within so long
)

// plainLines tells what is going on in lines that stay: one for each step, without clocks that would be wrong a second later, and without escape
// sequences. It is for screen readers, for terminals that cannot redraw a line, and for logs.
//
// Within a step a tool may say a thousand times how far it is. Such news waits until it is worth a line; a timer writes what has waited, and
// says once when nothing comes any more.
type plainLines struct {
	w     io.Writer
	stuck string // what a person can do when nothing comes; "": nobody is there

	mu    sync.Mutex
	state status.State
	shown bool
	timer *time.Timer // for what waits; nil before the first time
	told  told
}

// told is what was written.
type told struct {
	words   string    // of the last line
	at      time.Time // when it was written
	phase   status.Phase
	step    time.Time // when it began
	reworks int       // how often the step got new words
	part    int       // how much of the step was told to be done, in parts
	heard   time.Time // the sign of life after which a silence was told
	flood   time.Time // since when lines are counted
	lines   int
}

// show tells the state when that is worth a line, until hide.
func (p *plainLines) show(s status.State, _ time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state, p.shown = s, true
	p.tell(time.Now())
}

// hide drops what waits. Nothing is written after it has returned.
func (p *plainLines) hide() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = false
	if p.timer != nil {
		p.timer.Stop()
	}
}

// over forgets what was told: the next turn may well begin with the same words.
func (p *plainLines) over() {
	p.hide()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told.words, p.told.phase = "", status.Idle
}

// tick is called by the timer, which may have been stopped while it waited for the lock.
func (p *plainLines) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		p.tell(time.Now())
	}
}

// tell writes what is due, and sets the timer to when the next line is.
func (p *plainLines) tell(now time.Time) {
	next := never
	if words := p.words(); words != "" && words != p.told.words {
		if next = p.wait(now); next <= 0 {
			p.stepTold(words)
			p.write(words, now)
			next = never
		}
	}
	if silence := p.silence(now); silence <= 0 {
		p.told.heard = p.state.Heard
		p.write(p.silent(now), now)
	} else {
		next = min(next, silence)
	}
	if p.timer == nil {
		p.timer = time.AfterFunc(next, p.tick)
	} else {
		p.timer.Reset(next)
	}
}

const never time.Duration = math.MaxInt64

// words is the line of a step: "Loading qwen3:14b, about 14s".
func (p *plainLines) words() string {
	s := status.State{Phase: p.state.Phase, Text: p.state.Text} // no clock
	words := s.Line(time.Time{}, status.Drawing{Width: math.MaxInt32})
	if expected := p.state.Estimate(p.state.Since); expected > 0 {
		words = status.Words{}.Likely(words, expected)
	}
	return words
}

// silent is the line about a step of which nothing comes any more: "No output for 10s · ctrl+c to stop".
func (p *plainLines) silent(now time.Time) string {
	words := status.Words{}.Silent(now.Sub(p.state.Heard))
	if p.stuck != "" {
		words += " · " + p.stuck
	}
	return words
}

// wait is how long new words have to wait. Those of a new step do not, but in a flood.
func (p *plainLines) wait(now time.Time) time.Duration {
	if p.told.lines >= floodLines && now.Sub(p.told.flood) < floodTime {
		return floodTime - now.Sub(p.told.flood)
	}
	sentence := p.told.reworks == 0 && p.state.Phase == status.UsingTool // in the place of the tool's name
	if !p.sameStep() || sentence || p.part() > p.told.part {
		return 0
	}
	return rewordEvery - now.Sub(p.told.at)
}

// sameStep tells whether the state only has newer words for what was told. Each server that is connected begins a step of its own, which is
// no news for a person.
func (p *plainLines) sameStep() bool {
	return p.state.Phase == p.told.phase && (p.state.Since.Equal(p.told.step) || p.state.Phase == status.Connecting)
}

func (p *plainLines) part() int { return int(p.state.Part * rewordPart) }

// stepTold notes what of the step is told with its words.
func (p *plainLines) stepTold(words string) {
	if p.sameStep() {
		p.told.reworks++
	} else {
		p.told.reworks = 0
	}
	p.told.phase, p.told.step = p.state.Phase, p.state.Since
	p.told.words, p.told.part = words, p.part()
}

// silence is how long from now a silence is worth a line.
func (p *plainLines) silence(now time.Time) time.Duration {
	if p.state.Heard.IsZero() || p.state.Heard.Equal(p.told.heard) {
		return never
	}
	return p.state.Steady(now, true)
}

func (p *plainLines) write(line string, now time.Time) {
	if now.Sub(p.told.flood) >= floodTime {
		p.told.flood, p.told.lines = now, 0
	}
	p.told.lines++
	p.told.at = now
	fmt.Fprintln(p.w, line)
}
