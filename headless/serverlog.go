package headless

import (
	"fmt"
	"sync"
)

// ServerLog keeps what servers write for their logs until it is told. It is an asked.Listener, and safe for concurrent use.
type ServerLog struct {
	mu      sync.Mutex
	lines   []string
	left    int           // lines that came when there were too many already
	changed chan struct{} // closed with the next line; nil: nobody waits
}

// mostLogged is how many lines wait to be told.
const mostLogged = 500

// Logged takes a line.
func (l *ServerLog) Logged(server, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) >= mostLogged {
		l.left++
		return
	}
	l.lines = append(l.lines, server+" logs: "+line)
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// take returns what was not told yet, and what is closed when there is more; nil: there is no log.
func (l *ServerLog) take() (lines []string, more <-chan struct{}) {
	if l == nil {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	lines, l.lines = l.lines, nil
	if l.left > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more log lines, which are not shown", l.left))
		l.left = 0
	}
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return lines, l.changed
}
