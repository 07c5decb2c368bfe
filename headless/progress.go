package headless

import (
	"time"

	"github.com/aloudchat/aloud/status"
)

// progress tells on the error stream what is going on. Its methods are called from one goroutine; what it draws by itself ends with hide.
type progress interface {
	// show tells the state until hide. Where nothing is shown yet it may take a while first.
	show(s status.State, while time.Duration)
	// hide makes room for something else on the terminal. When it returns nothing is drawn any more.
	hide()
	// over is hide at the end of a turn.
	over()
}

// newProgress chooses by who reads: a person at a terminal gets a line that lives, or lines that stay where such a line cannot be drawn or would
// disturb. A program that reads the answer as text may write these lines into a log; one that reads an object finds everything there, and
// may well read both streams as one: it gets none.
func newProgress(o Options) progress {
	terminal := o.StatusWidth != nil
	switch {
	case o.Quiet, o.Format == FormatStreamJSON, o.Format == FormatJSON && !terminal:
		return silence{}
	case o.live():
		line := &liveLine{w: o.Stderr, width: o.StatusWidth, spins: o.Motion != status.MotionReduced}
		line.look = status.Drawing{Hint: status.Words{}.ToStop("ctrl+c"), Stuck: o.whenStuck()}
		return line
	case terminal:
		return &plainLines{w: o.Stderr, stuck: o.whenStuck()}
	}
	return &plainLines{w: o.Stderr}
}

// whenStuck is what a person at the terminal can do when nothing comes. Only a chat can be asked again.
func (o *Options) whenStuck() string {
	if o.Chat.Interactive {
		return status.Words{}.ToRetry("ctrl+c", "/retry")
	}
	return status.Words{}.ToStop("ctrl+c")
}

// live tells whether the line may be drawn over itself.
func (o *Options) live() bool {
	return o.StatusWidth != nil && !o.Plain && o.Motion != status.MotionNone
}

// silence tells nothing.
type silence struct{}

func (silence) show(status.State, time.Duration) {}
func (silence) hide()                            {}
func (silence) over()                            {}
