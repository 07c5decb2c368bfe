package servers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// Options are the options of Start. Only Board is required.
type Options struct {
	Board *Board
	Host  elicit.Host   // answers elicitations; nil declares no elicitation capability
	Roots []elicit.Root // folders shared with servers

	// Hold keeps servers from starting until it is closed, so that they do not delay the first frame. It may be nil.
	Hold <-chan struct{}

	// Patient makes Ready and Starting count a server that may be installing as starting. Without it only required
	// servers are counted so, and others only for their first 20 s.
	Patient bool

	dial dialer // replaces conn.Dial in tests
}

const (
	defaultStartupTimeout = 20 * time.Second
	defaultToolTimeout    = 60 * time.Second
)

// Set is a running set of servers. All methods are safe for concurrent use.
type Set struct {
	options Options
	running sync.WaitGroup

	mu     sync.Mutex      // guards the fields below, and those of the peers
	peers  []*peer         // in the order of the configuration
	off    map[toolID]bool // tools turned off for this session
	closed bool
}

// dialer connects to a server. It is conn.Dial but in tests.
type dialer func(ctx context.Context, config mcpclient.Server, h *elicit.Handler, heard func()) (*conn.Conn, error)

// Start starts all servers and returns at once. The board shows their states. The servers run until Close, also after
// ctx ends.
func Start(ctx context.Context, servers []mcpclient.Server, options Options) *Set {
	options.Roots = append([]elicit.Root{}, options.Roots...) // not nil
	if options.dial == nil {
		options.dial = conn.Dial
	}
	s := &Set{options: options, off: map[toolID]bool{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, config := range servers {
		s.peers = append(s.peers, newPeer(config))
	}
	for _, p := range s.peers {
		if p.config.Disabled {
			s.tellLocked(p, mcpclient.ServerOff)
		} else {
			s.startLocked(ctx, p)
		}
	}
	return s
}

// Add starts another server, after the others in the order of the configuration.
func (s *Set) Add(config mcpclient.Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		p := newPeer(config)
		s.peers = append(s.peers, p)
		s.startLocked(context.Background(), p)
	}
}

// Ready waits until every server is ready or has failed, or is late. The error names the required servers that failed.
func (s *Set) Ready(ctx context.Context) error {
	var failed []string
	err := s.wait(ctx, func() (bool, error) {
		failed = nil
		for _, p := range s.peers {
			if p.config.Required && p.failure != nil {
				why := mcpclient.ServerStatus{
					Detail: p.secrets.Text(p.failure.Error()), Stderr: p.secrets.Texts(conn.Output(p.failure)),
				}
				failed = append(failed, fmt.Sprintf("cannot start required server %q: %s", p.config.Name, why.Reason()))
			}
		}
		settled, all := s.startingLocked()
		return settled == all, nil
	})
	if err != nil || failed == nil {
		return err
	}
	return errors.New(strings.Join(failed, "; "))
}

// Starting returns how many of the servers that are on are ready, have failed or are late, and a channel that is closed
// at the next change.
func (s *Set) Starting() (settled, all int, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	settled, all = s.startingLocked()
	return settled, all, s.options.Board.next()
}

// startingLocked is Starting with s.mu held. A server that restarts counts as ready, because it keeps its tools.
func (s *Set) startingLocked() (settled, all int) {
	for _, p := range s.peers {
		if p.state == mcpclient.ServerOff {
			continue
		}
		all++
		late := p.run != nil && p.run.late && !p.config.Required && !s.options.Patient
		if p.state != mcpclient.ServerStarting || p.listed || late {
			settled++
		}
	}
	return settled, all
}

// Tools returns the tools that are on, in the order of the configuration. A server that was lost keeps its tools, and
// is restarted when one of them is called.
func (s *Set) Tools() []mcpclient.Tool {
	all, on := s.AllTools()
	var tools []mcpclient.Tool
	for i, t := range all {
		if on[i] {
			tools = append(tools, t)
		}
	}
	return tools
}

// AllTools returns the tools of all servers that are on. on reports which tools are on.
func (s *Set) AllTools() (tools []mcpclient.Tool, on []bool) {
	s.forEachOn(func(p *peer) {
		for _, t := range p.tools {
			tools = append(tools, t)
			on = append(on, !s.off[idOf(t)])
		}
	})
	return tools, on
}

// forEachOn calls f for every server that is on, with s.mu held.
func (s *Set) forEachOn(f func(*peer)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.peers {
		if p.state != mcpclient.ServerOff {
			f(p)
		}
	}
}

// Enable turns a tool on or off for this session. tool is the server's name for it.
func (s *Set) Enable(server, tool string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id := (toolID{server, tool}); on {
		delete(s.off, id)
	} else {
		s.off[id] = true
	}
}

// find returns the tool with a name, and its server. Its errors are ErrToolChanged.
func (s *Set) find(name string) (*peer, mcpclient.Tool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.peers {
		i := slices.IndexFunc(p.tools, func(t mcpclient.Tool) bool { return t.Name == name })
		switch {
		case i < 0:
			continue
		case p.state == mcpclient.ServerOff:
			return nil, mcpclient.Tool{}, toolChanged("tool %q is off, because server %q is off", name, p.config.Name)
		case s.off[idOf(p.tools[i])]:
			return nil, mcpclient.Tool{}, toolChanged("tool %q is off", name)
		}
		return p, p.tools[i], nil
	}
	return nil, mcpclient.Tool{}, toolChanged("no tool %q", name)
}

// Close ends all servers and their children, and waits for them for about 4 s at most.
func (s *Set) Close() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		for _, p := range s.peers {
			if p.state == mcpclient.ServerStarting {
				p.state, p.failure = mcpclient.ServerFailed, errClosed
			}
			s.stopLocked(p, "was closed")
		}
		s.options.Board.change(func() {})
	}
	s.mu.Unlock()
	s.running.Wait()
}
