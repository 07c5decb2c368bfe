package headless

import (
	"io"
	"sync"
	"time"

	"github.com/aloudchat/aloud/status"
)

const (
	liveFrame  = 125 * time.Millisecond
	eraseLine  = "\r\x1b[K"
	liveFrames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
)

// liveLine keeps one status line at the bottom of a terminal while an answer is being made.
// Its goroutine lives from show to hide; hide waits for it, so that nothing is drawn over what is printed next.
type liveLine struct {
	w     io.Writer
	width int

	mu    sync.Mutex
	state status.State
	stop  chan struct{} // nil: hidden
	done  chan struct{}
}

func newLiveLine(w io.Writer, width int) *liveLine { return &liveLine{w: w, width: width} }

// show draws the state from now on.
func (l *liveLine) show(s status.State) {
	if l.width == 0 || s.Phase == status.Idle || s.Phase == status.Stopped {
		return
	}
	l.mu.Lock()
	l.state = s
	l.mu.Unlock()
	if l.stop == nil {
		l.stop, l.done = make(chan struct{}), make(chan struct{})
		go l.animate(l.stop, l.done)
	}
}

// hide erases the line.
func (l *liveLine) hide() {
	if l.stop == nil {
		return
	}
	close(l.stop)
	<-l.done
	l.stop = nil
}

func (l *liveLine) animate(stop, done chan struct{}) {
	defer close(done)
	tick := time.NewTicker(liveFrame)
	defer tick.Stop()
	frames := []rune(liveFrames)
	for i := 0; ; i++ {
		l.mu.Lock()
		state := l.state
		l.mu.Unlock()
		io.WriteString(l.w, eraseLine+string(frames[i%len(frames)])+" "+state.Line(time.Now(), status.Drawing{Width: max(1, l.width-3), Hint: status.English.ToStop("ctrl+c")}))
		select {
		case <-tick.C:
		case <-stop:
			io.WriteString(l.w, eraseLine)
			return
		}
	}
}
